"""The instructor's commands: `python -m autograder examine ...`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from autograder import submission
from autograder.course import ROOT, BuildError, Course
from autograder.examine import (
    Referee,
    Task,
    alone,
    examine,
    examine_all,
    load,
    mark,
    marks,
    names,
    nothing,
    released,
    reports,
    save,
    tasks,
    worth,
)
from autograder.sandbox import Sandbox, SandboxMissing


def say(line: str = "") -> None:
    print(line, flush=True)


def one(course: Course, options) -> int:
    """Examine one notebook and print the verdict on each exercise."""
    path = Path(options.what).absolute()
    if not path.exists():
        raise BuildError(f"there is no file {options.what}")
    assignment = options.assignment or guess(course, path)
    student = options.student[0] if options.student else "you"
    only = known_exercises(course, assignment, options.exercise)
    before = {"exercises": {name: nothing(name, most, "Not examined this time.")
                            for name, most in worth(released(course, assignment)).items()}}
    referee = Referee(options.require_sandbox)
    try:
        referee.start()
        report = examine(course, Task(assignment, student, path, only, before), referee)
    finally:
        referee.stop()
    if options.report:
        save(options.report, report)
    for remark in report["remarks"]:
        say(remark)
    shown = [verdict for name, verdict in report["exercises"].items() if not only or name in only]
    for verdict in shown:
        say(verdict["text"] + "\n")
    points, most = (sum(verdict[key] for verdict in shown) for key in ("points", "max"))
    say(f"{points:g} of {most:g} points on {report['device']}; "
        f"sandbox: {report['sandbox']}; {report['seconds']:.1f} s")
    return 1 if report["status"] == "incomplete" and not options.report else 0


def guess(course: Course, path: Path) -> str:
    """Which assignment a notebook belongs to: by its name, else by its cells."""
    there = names(course)
    if path.stem in there:
        return path.stem
    text = path.read_text(encoding="utf-8", errors="replace")
    fits = [name for name in there
            if any(f"check({exercise})" in text for exercise in worth(released(course, name)))]
    if len(fits) == 1:
        return fits[0]
    raise BuildError(f"which assignment is {path.name}?  Say --assignment with one of "
                     f"{', '.join(there)}")


def known_exercises(course: Course, name: str, exercises: Sequence[str]) -> Sequence[str]:
    points = worth(released(course, name))
    unknown = set(exercises) - set(points)
    if unknown:
        raise BuildError(f"{name} has no exercise {', '.join(sorted(unknown))}; it has "
                         f"{', '.join(points)}")
    return exercises


def many(course: Course, options) -> int:
    """Examine every submission of an assignment; what has a report already is left alone."""
    name, submitted = options.what, course.root / "autograder" / "submitted"
    known_exercises(course, name, options.exercise)
    found = {path.parent.name for path in submitted.glob(f"*/{name}")}
    if not found:
        raise BuildError(f"nothing was handed in: {submitted}/*/{name} does not exist")
    missing = set(options.student) - found
    if missing:
        raise BuildError(f"{', '.join(sorted(missing))} handed in nothing for {name}")
    with alone(reports(course, name)):
        problems = submission.prepare(submitted, name)
        for line in problems:
            say(line)
        marked = marks(course, name)
        if (options.exercise or options.again) and not marked:
            marked = {student: options.exercise for student in options.student or sorted(found)}
            mark(course, name, marked)
        elif marked:
            say(f"going on with {len(marked)} that were to be examined again")
        todo, done = tasks(course, name, options.student)
        sandbox = Sandbox.find(options.require_sandbox)
        say(f"{name}: {len(todo)} to examine, {done} examined before; sandbox: "
            f"{sandbox.description}")
        if sandbox.kind == "none":
            say("WARNING: learners' code runs under your account and sees what you see.  "
                "--require-sandbox refuses that.")
        start, seen = time.monotonic(), 0

        def is_done(task: Task, report: dict) -> None:
            nonlocal seen
            seen += 1
            if marked.pop(task.student, None) is not None:
                mark(course, name, marked)
            left = (time.monotonic() - start) / seen * (len(todo) - seen)
            state = "" if report["status"] == "graded" else f"  {report['status'].upper()}"
            say(f"{seen:4}/{len(todo)}  {report['student']:20} {report['points']:6g} of "
                f"{report['max']:g}  {report['seconds']:6.1f} s  {clock(left)} left{state}")

        try:
            if todo:
                examine_all(course, todo, options.jobs, options.require_sandbox, is_done)
        except KeyboardInterrupt:
            say(f"stopped: {seen} of {len(todo)} are done; run the same again to go on")
            return 130
        submission.reopen(submitted, course.root / "autograder" / "autograded",
                          reports(course, name).parent, name, released(course, name))
        odd = summary(course, name, options.student)
        say(f"{seen} examined in {clock(time.monotonic() - start)}.  Book them: nbgrader "
            f"autograde {name}")
        return 1 if odd or problems else 0


def summary(course: Course, name: str, students: Sequence[str]) -> int:
    """Say what of all reports needs a look; returns how many submissions could not be graded."""
    found = [report for path in sorted(reports(course, name).glob("*.json"))
             if (report := load(path)) and (not students or report["student"] in students)]
    odd = [report for report in found if report["status"] != "graded"]
    for report in odd:
        say(f"{report['student']}: {report['status']}: {' '.join(report['remarks'])}")
    for report in found:
        if report["status"] == "graded" and report["remarks"]:
            say(f"{report['student']}: mended: {'; '.join(report['remarks'][:3])}"
                + ("; ..." if len(report["remarks"]) > 3 else ""))
    noted: dict[str, list[str]] = {}
    for report in found:
        for verdict in report["exercises"].values():
            for note in verdict["notes"]:
                noted.setdefault(note, []).append(report["student"])
    for note, who in noted.items():
        say(f"to look at: {note} {len(who)} of {len(found)}: {', '.join(who[:10])}"
            + (", ..." if len(who) > 10 else ""))
    bare = {report["sandbox"] for report in found
            if report.get("sandbox", "").startswith("none")}
    for why in sorted(bare):
        say(f"WARNING: some were examined without a sandbox: {why}")
    say(f"{len(found)} reports, {len(odd)} of them on submissions that could not be graded")
    return len(odd)


def clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("examine", help="judge a notebook, or all submissions")
    add.add_argument("what", help="a notebook file, or the name of an assignment")
    add.add_argument("--student", action="append", default=[],
                     help="only this student's submission; may be repeated")
    add.add_argument("--exercise", action="append", default=[],
                     help="this exercise only, also where there is a report; may be repeated")
    add.add_argument("--again", action="store_true",
                     help="every exercise, also where there is a report")
    add.add_argument("--require-sandbox", action="store_true",
                     help="refuse to run learners' code without bubblewrap")
    add.add_argument("--jobs", type=int, default=jobs(),
                     help="submissions at a time; default: one with a GPU, else one a core")
    add.add_argument("--course", type=Path, default=ROOT, help="another course folder")
    add.add_argument("--assignment", help="of a notebook file; default: by its name or cells")
    add.add_argument("--report", type=Path, help="also write the report on a notebook file here")
    options = parser.parse_args(arguments)
    course = Course(options.course.resolve(), {}, {})
    try:
        is_file = options.what.endswith(".ipynb") or Path(options.what).is_file()
        return one(course, options) if is_file else many(course, options)
    except (BuildError, SandboxMissing) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def jobs() -> int:
    """One submission at a time where there may be a GPU, else one a core."""
    return 1 if Path("/dev/nvidiactl").exists() else len(os.sched_getaffinity(0))


if __name__ == "__main__":
    sys.exit(main())
