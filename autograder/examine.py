"""Examine submissions: `python -m autograder examine NOTEBOOK.ipynb | ASSIGNMENT`.

This process is the examiner's outer half: it reads submissions, keeps a referee (referee.py) busy,
ends what shows no sign of life, and writes one report a submission, by rename.  It imports
neither PyTorch nor anything of a learner's.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import html
import json
import os
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder import provenance, stage, submission
from autograder.channel import Broken, Silent, receive, send
from autograder.course import BuildError, Course
from autograder.release import write
from autograder.sandbox import Box, Limits, Sandbox

FORMAT = 1
SILENCE = 90            # seconds without a sign of life after which a referee is stopped
START = 180             # seconds it may take to start, PyTorch and all
WITHOUT_GPU, WITH_GPU = 4 << 30, 32 << 30       # bytes of memory of each box


class Stopped(Exception):
    """A referee ended before its verdict.

    hung     it had to be ended, after no sign of life
    died     by a signal or a limit, as a kernel that it played could do; else it is our fault
    """

    def __init__(self, text: str, hung: bool = False, died: bool = False):
        super().__init__(text)
        self.hung, self.died = hung, died


def has_gpu() -> bool:
    """Is there a GPU to be used?  Asked without PyTorch."""
    return Path("/dev/nvidiactl").exists() and os.environ.get("CUDA_VISIBLE_DEVICES") != ""


class Referee:
    """The two boxes for one submission, as seen from here: the referee's and the learner's.

    They are started by `launch`, which does not wait, and replaced when one of them is not fit to
    go on.  The thread that launches them must live as long as they do.
    """

    def __init__(self, require_sandbox: bool = False):
        self.sandbox = Sandbox.find(require_sandbox)
        self.about: dict = {}
        self.boxes: list[Box] = []
        self.ready = False

    def launch(self) -> None:
        """Start both boxes unless they are there."""
        if self.boxes:
            return
        self.folder = Path(tempfile.mkdtemp(prefix="stage-"))
        for_worker, for_referee = stage.lay_out(self.folder)
        memory = WITH_GPU if has_gpu() else WITHOUT_GPU
        alone = ["alone"] if self.sandbox.kind == "bubblewrap" else []
        worker = self.sandbox.start(for_worker, "worker.py", alone, has_gpu(), Limits(memory))
        self.boxes.append(worker)
        fd = worker.channel.fileno()
        self.boxes.insert(0, self.sandbox.start(
            for_referee, "judge.py", [str(fd)], has_gpu(), Limits(memory), inherited=[fd]))
        self.ready = False

    def start(self) -> None:
        """Start both boxes and wait until they are ready; raises BuildError."""
        self.launch()
        if self.ready:
            return
        referee = self.boxes[0]
        try:
            told = receive(referee.channel, START)
        except Broken as error:
            told = {"broken": referee.verdict() or str(error)}
        if "ready" not in told:
            self.stop()
            raise BuildError(f"the referee does not start: {told.get('broken')}")
        self.about = {"device": told["ready"], "sandbox": self.sandbox.description}
        self.ready = True

    def judge(self, request: dict) -> dict:
        """The verdict on one exercise; raises Stopped."""
        self.start()
        referee, worker = self.boxes
        try:
            send(referee.channel, request)
            while "result" not in (answer := receive(referee.channel, SILENCE)):
                if "broken" in answer:
                    raise Stopped(answer["broken"])
                if "lost" in answer:
                    time.sleep(0.15)        # the watch may be about to say why
                    verdict = worker.verdict() or answer["lost"]
                    worker.kill()
                    send(referee.channel, {"verdict": verdict})
        except Broken as error:
            time.sleep(0.15)
            verdict = referee.verdict()
            self.stop()
            raise Stopped(verdict or str(error), verdict is None and isinstance(error, Silent),
                          verdict is not None) from None
        except Stopped:
            self.stop()
            raise
        result = answer["result"]
        if not result["fit"]:
            self.stop()
        if "fault" in result:
            raise Stopped(result["fault"])
        return result

    def stop(self) -> None:
        """End both boxes at once; may be called from another thread, and twice."""
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            box.kill()
            box.channel.close()
        if boxes:
            shutil.rmtree(self.folder, ignore_errors=True)


# --- one submission -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """One submission to examine."""

    assignment: str
    student: str
    path: Path                      # the notebook, or the folder that should hold one
    exercises: Sequence[str] = ()   # only these; the rest comes from `before`
    before: dict = field(default_factory=dict)


def released(course: Course, assignment: str) -> dict:
    """The learners' notebook of an assignment; raises BuildError when it was not built."""
    try:
        return submission.released_notebook(course.student(assignment))
    except OSError:
        raise BuildError(f"no notebook {assignment}: notebooks/ has {', '.join(names(course))}"
                         ) from None


def worth(notebook: dict) -> dict[str, float]:
    """Points of each exercise of a released notebook, in order."""
    found = {}
    for cell in notebook["cells"]:
        meta = cell["metadata"].get("nbgrader", {})
        if meta.get("grade") and meta["grade_id"].endswith("-check"):
            found[meta["grade_id"].removesuffix("-check")] = float(meta["points"])
    return found


def examine(course: Course, task: Task, referee: Referee) -> dict:
    """The report on one submission.  Raises BuildError only for what is wrong with the course."""
    start, release = time.monotonic(), released(course, task.assignment)
    points = worth(release)
    report = {
        "format": FORMAT, "assignment": task.assignment, "student": task.student, "sha256": None,
        "status": "graded", "remarks": [], "points": 0.0, "max": sum(points.values()),
        "exercises": {},
    }
    try:
        path = handed_in(task, release)
        report["sha256"] = submission.sha256(path)
        handed = submission.read(path)
        other = looks_like(course, handed, task.assignment)
        if other:
            raise submission.Unreadable(f"This is {other}, not {task.assignment}.")
        notebook, remarks = submission.restore(handed, release)
        if path != task.path:       # it was looked for in a folder
            remarks = submission.renamed(path, task.assignment) + remarks
        report["remarks"] = remarks
    except submission.Unreadable as error:
        report["status"] = "unreadable" if report["sha256"] else "no notebook"
        report["remarks"] = [str(error)]
        report["exercises"] = {name: nothing(name, most, str(error))
                               for name, most in points.items()}
    else:
        for name, most in points.items():
            if task.exercises and name not in task.exercises:
                report["exercises"][name] = task.before["exercises"][name]
                continue
            verdict = judge(course, referee, name, most, notebook, release)
            if verdict.get("fault"):
                report["status"] = "incomplete"
            report["exercises"][name] = verdict
    report["points"] = sum(verdict["points"] for verdict in report["exercises"].values())
    report |= referee.about
    report["seconds"] = round(time.monotonic() - start, 3)
    report["finished"] = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return report


def looks_like(course: Course, notebook: dict, assignment: str) -> str | None:
    """Another assignment that this notebook is certainly of, by the checks in it."""
    texts = "\n".join(cell["source"] for cell in notebook["cells"])

    def checks(name: str) -> int:
        return sum(f"check({exercise})" in texts for exercise in worth(released(course, name)))

    if checks(assignment):
        return None
    return next((name for name in names(course) if checks(name) > 1), None)


def names(course: Course) -> list[str]:
    """Released assignments."""
    return sorted(path.parent.name for path in course.release.glob("*/*.ipynb")
                  if path.stem == path.parent.name)


def handed_in(task: Task, release: dict) -> Path:
    """The notebook that was handed in; raises Unreadable when there is none."""
    if task.path.is_dir():
        return submission.find(task.path, task.assignment, release)
    return submission.find(task.path.parent, task.path.stem, release)


def judge(course, referee, name, most, notebook, release) -> dict:
    """The verdict on one exercise, whatever becomes of the referee."""
    cells = submission.code_for(notebook, release, name)
    request = {"exercise": name, "cells": [vars(cell) for cell in cells]}
    own = next((c.source for c in cells if c.label == "exercise cell"), "")
    note = provenance.note(course, name, own)
    notes = [note] if note else []
    for last in (False, True):
        try:
            with gpu_to_itself():
                return {**referee.judge(request), "notes": notes}
        except Stopped as stopped:
            if stopped.hung:
                return nothing(name, most, f"The examination was stopped after {SILENCE} s without "
                               "a result: a kernel that never ends?", notes)
            if last and stopped.died:
                # Twice the same end: the kernel's doing, as far as can be told from here.
                return nothing(name, most, "Your kernel was tried twice, and both times the "
                               f"process that tried it {stopped}.",
                               [*notes, f"{name} ended its referee twice: it {stopped}."])
            if last:
                return {**nothing(name, most, "The examination of this exercise failed twice. That "
                                  "is no verdict on the answer: it has to be examined again."),
                        "fault": str(stopped)}
    raise AssertionError("unreachable")


@contextlib.contextmanager
def gpu_to_itself() -> Iterator[None]:
    """One examination at a time on a GPU, whoever runs it: timings must not disturb each other."""
    if not has_gpu():
        yield
        return
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]      # the one that is used
    name = f"gpu-course-{hashlib.sha256(first.encode()).hexdigest()[:12]}.lock"
    path, flags = Path(tempfile.gettempdir(), name), os.O_RDONLY | os.O_NOFOLLOW
    # Reading is enough to lock.  Linux lets nobody "create" what another user has made in /tmp.
    try:
        fd = os.open(path, flags)
    except FileNotFoundError:
        fd = os.open(path, flags | os.O_CREAT, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def nothing(name: str, most: float, why: str, notes: Sequence[str] = ()) -> dict:
    """No points, and the reason, in the form of a verdict."""
    return {"points": 0.0, "max": most, "notes": list(notes), "seconds": 0.0,
            "text": f"{name}      0/{most:g}\n  {why}",
            "html": f"<div><b>{name}</b>: 0 of {most:g} points<br>{html.escape(why)}</div>",
            "data": {"exercise": name, "points": 0.0, "max": most, "mistake": None, "criteria": [
                {"name": "examination", "points": 0.0, "max": most, "status": "failed",
                 "lines": [why]}]}}


# --- all submissions of an assignment -----------------------------------------------------------


def reports(course: Course, assignment: str) -> Path:
    """Folder of the reports on one assignment."""
    return course.root / "autograder" / "reports" / assignment


def load(path: Path) -> dict | None:
    """A report that was written before, or None."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        return report if report.get("format") == FORMAT else None
    except (OSError, ValueError, AttributeError):
        return None


def save(path: Path, report: dict) -> None:
    """Write a report by rename: a reader sees the old one or the new one, never half of one."""
    write(path, (json.dumps(report, indent=1) + "\n").encode())


def tasks(course: Course, assignment: str, students: Sequence[str]) -> tuple[list[Task], int]:
    """What is left to do, and how many are done already.

    A submission is left when it has no report, when it was handed in again since, or when it was
    marked by `again`.
    """
    folder, marked = course.root / "autograder" / "submitted", marks(course, assignment)
    left, done, release = [], 0, released(course, assignment)
    for student in sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []:
        if students and student not in students or not (folder / student / assignment).is_dir():
            continue
        if submission.GLOB.search(student):
            continue        # `prepare` has said so: nbgrader would not find it again
        task = Task(assignment, student, folder / student / assignment)
        before = load(reports(course, assignment) / f"{student}.json")
        if before is None or before["status"] == "incomplete" or not is_current(
                before, task, release):
            left.append(task)
        elif student in marked:
            left.append(replace(task, exercises=marked[student], before=before))
        else:
            done += 1
    return left, done


def marks(course: Course, assignment: str) -> dict[str, list[str]]:
    """Students whose report is to be made again, and which exercises; all when none is named."""
    try:
        return json.loads((reports(course, assignment) / ".again").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def mark(course: Course, assignment: str, marked: dict[str, list[str]]) -> None:
    """Remember them, so that an examination that is stopped goes on with them."""
    write(reports(course, assignment) / ".again", json.dumps(marked).encode())


def is_current(report: dict, task: Task, release: dict) -> bool:
    """Was it this submission, byte for byte, that the report is about?"""
    try:
        return report["sha256"] == submission.sha256(handed_in(task, release))
    except submission.Unreadable as error:
        return report["sha256"] is None and report["remarks"] == [str(error)]


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Only one examination of an assignment at a time; raises BuildError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BuildError(f"{folder.name} is being examined already") from None
        yield


def examine_all(course: Course, todo: Sequence[Task], processes: int, require_sandbox: bool,
                done: Callable[[Task, dict], None]) -> None:
    """Examine and save every task; `done` is called with each report, in one thread at a time.

    After Ctrl-C every process is gone and every report written is whole.
    """
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in todo:
        waiting.put(task)
    lock, problems, over = threading.Lock(), [], threading.Event()

    def work() -> None:
        # A referee for each submission: one that a kernel has spoilt spoils no other.  The next
        # one imports PyTorch while this one works.
        referee, following = Referee(require_sandbox), Referee(require_sandbox)
        try:
            while not over.is_set():
                task = waiting.get_nowait()
                referee.launch()
                if not waiting.empty():
                    following.launch()
                with stopped_by(over, referee):
                    report = examine(course, task, referee)
                referee.stop()
                referee, following = following, referee
                with lock:
                    if not over.is_set():       # else it was ended, and that is no verdict
                        save(reports(course, task.assignment) / f"{task.student}.json", report)
                        done(task, report)
        except queue.Empty:
            pass
        except BaseException as error:      # shown by the thread that waits
            problems.append(error)
            over.set()
        finally:
            referee.stop()
            following.stop()

    threads = [threading.Thread(target=work, daemon=True)
               for _ in range(max(1, min(processes, len(todo))))]
    for thread in threads:
        thread.start()
    try:
        # Python 3.11 takes a thread for finished when a wait for it is interrupted.
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
    except KeyboardInterrupt:
        with lock:
            over.set()
        for thread in threads:
            thread.join(30)
        raise
    if problems:
        raise problems[0]


@contextlib.contextmanager
def stopped_by(over: threading.Event, referee: Referee) -> Iterator[None]:
    """End the referee's boxes when `over` is set, though its thread waits for an answer."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            if over.is_set():
                for box in list(referee.boxes):
                    box.kill()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
