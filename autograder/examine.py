"""Examine submissions: `python -m autograder examine NOTEBOOK.ipynb | ASSIGNMENT`.

This process is the examiner's outer half: it reads submissions, keeps a referee (referee.py) busy,
stops one that shows no sign of life, and writes one report a submission, by rename.  It imports
neither PyTorch nor anything of a learner's.
"""

from __future__ import annotations

import contextlib
import fcntl
import html
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder import provenance, submission
from autograder.channel import Broken, receive, send
from autograder.course import ROOT, BuildError, Course
from autograder.release import write

FORMAT = 1
SILENCE = 90            # seconds without a sign of life after which a referee is stopped
START = 180             # seconds it may take to start, PyTorch and all


class Stopped(Exception):
    """A referee ended before its verdict; `hung` when it had to be ended."""

    def __init__(self, text: str, hung: bool):
        super().__init__(text)
        self.hung = hung


class Referee:
    """The process that judges, as seen from here.  Replaced whenever it ends."""

    def __init__(self, require_sandbox: bool = False):
        self.flags = ["--require-sandbox"] if require_sandbox else []
        self.process: subprocess.Popen | None = None
        self.about: dict = {}

    def start(self) -> None:
        """Start one unless there is one; raises BuildError when none can be."""
        if self.process is not None:
            return
        ours, theirs = socket.socketpair()
        self.errors, self.stage = tempfile.TemporaryFile("w+"), tempfile.mkdtemp(prefix="stage-")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "autograder.referee", str(theirs.fileno()), self.stage,
                 *self.flags],
                cwd=ROOT, env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self.errors, start_new_session=True)
        self.channel = ours
        try:
            self.about = receive(ours, START)["ready"]
        except Broken as error:
            raise BuildError(f"the referee did not start ({error}):\n{self.stop()}") from None

    def judge(self, request: dict) -> dict:
        """The verdict on one exercise; raises Stopped."""
        self.start()
        try:
            send(self.channel, request)
            while "result" not in (answer := receive(self.channel, SILENCE)):
                pass
        except Broken as error:
            hung = self.process.poll() is None and "time" in str(error)
            raise Stopped(self.stop(at_once=hung) or str(error), hung) from None
        if not answer["result"]["sound"]:
            self.stop()
        return answer["result"]

    def stop(self, at_once: bool = False) -> str:
        """End it; returns the last lines that it wrote."""
        if self.process is None:
            return ""
        self.channel.close()            # it tidies up and goes
        if not at_once:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self.kill()
        self.process.wait()
        self.errors.seek(0)
        last = "\n".join(self.errors.read()[-4000:].strip().splitlines()[-8:])
        self.errors.close()
        shutil.rmtree(self.stage, ignore_errors=True)
        self.process = None
        return last

    def kill(self) -> None:
        """End it and its sandbox now; may be called from another thread."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


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
            verdict = judge(course, task, referee, name, most, notebook, release)
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


def judge(course, task, referee, name, most, notebook, release) -> dict:
    """The verdict on one exercise, whatever becomes of the referee."""
    cells = submission.code_for(notebook, release, name)
    request = {"submission": f"{task.assignment}/{task.student}/{task.path}", "exercise": name,
               "cells": [vars(cell) for cell in cells]}
    for last in (False, True):
        try:
            verdict = referee.judge(request)
        except Stopped as stopped:
            if stopped.hung:
                return nothing(name, most, f"The examination was stopped after {SILENCE} s without "
                               "a result: a kernel that never ends?")
            if last:
                return {**nothing(name, most, "The examination of this exercise failed twice. That "
                                  "is no verdict on the answer: it has to be examined again."),
                        "fault": str(stopped)}
        else:
            own = next((c.source for c in cells if c.label == "exercise cell"), "")
            note = provenance.note(course, name, own)
            return {**verdict, "notes": [note] if note else []}
    raise AssertionError("unreachable")


def nothing(name: str, most: float, why: str) -> dict:
    """No points, and the reason, in the form of a verdict."""
    return {"points": 0.0, "max": most, "notes": [], "seconds": 0.0,
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
    referees = [Referee(require_sandbox) for _ in range(max(1, min(processes, len(todo))))]

    def work(referee: Referee) -> None:
        try:
            while not over.is_set():
                task = waiting.get_nowait()
                report = examine(course, task, referee)
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

    threads = [threading.Thread(target=work, args=[referee], daemon=True) for referee in referees]
    for thread in threads:
        thread.start()
    try:
        # Python 3.11 takes a thread for finished when a wait for it is interrupted.
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
    except KeyboardInterrupt:
        with lock:
            over.set()
        for referee in referees:
            referee.kill()
        for thread in threads:
            thread.join(10)
        raise
    if problems:
        raise problems[0]
