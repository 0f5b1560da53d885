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
    assignment = options.assignment or guess(course, path)
    task = Task(assignment, options.student, path)
    referee = Referee(options.require_sandbox)
    try:
        referee.start()
        report = examine(course, task, referee)
    finally:
        referee.stop()
    if options.report:
        save(options.report, report)
    for remark in report["remarks"]:
        say(remark)
    for verdict in report["exercises"].values():
        say(verdict["text"] + "\n")
    say(f"{report['points']:g} of {report['max']:g} points on {report['device']}; "
        f"sandbox: {report['sandbox']}; {report['seconds']:.1f} s")
    return 1 if report["status"] == "incomplete" and not options.report else 0


def guess(course: Course, path: Path) -> str:
    """Which assignment a notebook belongs to: by its name, else by its cells."""
    names = sorted(p.name for p in course.release.glob("[0-9]*") if p.is_dir())
    for name in names:
        if path.stem == name:
            return name
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    fits = [name for name in names
            if any(f"check({exercise})" in text for exercise in worth(released(course, name)))]
    if len(fits) == 1:
        return fits[0]
    raise BuildError(f"which assignment is {path.name}?  Say --assignment with one of "
                     f"{', '.join(names)}")


def many(course: Course, options) -> int:
    """Examine every submission of an assignment; what has a report already is left alone."""
    name = options.what
    points = worth(released(course, name))
    unknown = set(options.exercise) - set(points)
    if unknown:
        raise BuildError(f"{name} has no exercise {', '.join(sorted(unknown))}; it has "
                         f"{', '.join(points)}")
    submitted = course.root / "autograder" / "submitted"
    with alone(reports(course, name)):
        problems = submission.prepare(submitted, name)
        todo, done = tasks(course, name, options.student_names, options.exercise,
                                    options.again)
        for line in problems:
            say(line)
        total, start, seen = len(todo), time.monotonic(), []
        say(f"{name}: {total} to examine, {done} examined before; sandbox: "
            f"{Sandbox.find(options.require_sandbox).description}")

        def report_done(report: dict) -> None:
            seen.append(report)
            left = (time.monotonic() - start) / len(seen) * (total - len(seen))
            state = "" if report["status"] == "graded" else f"  {report['status'].upper()}"
            say(f"{len(seen):4}/{total}  {report['student']:20} {report['points']:6g} of "
                f"{report['max']:g}  {report['seconds']:6.1f} s  {clock(left)} left{state}")

        if todo:
            examine_all(course, todo, options.jobs, options.require_sandbox, report_done)
        submission.reopen(submitted, course.root / "autograder" / "autograded",
                          reports(course, name).parent, name, released(course, name))
        odd = summary(course, name, options.student_names)
        say(f"{len(seen)} examined in {clock(time.monotonic() - start)}.  Book them: nbgrader "
            f"autograde {name}")
        return 1 if odd or problems else 0


def summary(course: Course, name: str, students: Sequence[str]) -> int:
    """Say what of all reports needs a look; returns how many submissions could not be graded."""
    found = [report for path in sorted(reports(course, name).glob("*.json"))
             if (report := load(path)) and (not students or report["student"] in students)]
    odd = [report for report in found if report["status"] != "graded"]
    for report in odd:
        say(f"{report['student']}: {report['status']}: {' '.join(report['remarks'])}")
    noted: dict[str, list[str]] = {}
    for report in found:
        for verdict in report["exercises"].values():
            for note in verdict["notes"]:
                noted.setdefault(note, []).append(report["student"])
    for note, who in noted.items():
        say(f"to look at: {note} {len(who)} of {len(found)}: {', '.join(who[:10])}"
            + (", ..." if len(who) > 10 else ""))
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
    add.add_argument("--exercise", nargs="*", default=[], help="only these, of what is examined")
    add.add_argument("--require-sandbox", action="store_true",
                     help="refuse to run learners' code without bubblewrap")
    add.add_argument("--course", type=Path, default=ROOT, help="another course folder")
    add.add_argument("--jobs", type=int, default=jobs(), help="submissions at a time")
    add.add_argument("--students", nargs="*", default=[], dest="student_names")
    add.add_argument("--again", action="store_true", help="also what has a report")
    add.add_argument("--assignment", help="of a notebook file; else by its name")
    add.add_argument("--student", default="you", help="of a notebook file")
    add.add_argument("--report", type=Path, help="write the report of a notebook file here")
    options = parser.parse_args(arguments)
    course = Course(options.course.resolve(), {}, {})
    try:
        is_file = options.what.endswith(".ipynb") or Path(options.what).is_file()
        return one(course, options) if is_file else many(course, options)
    except (BuildError, SandboxMissing) as error:
        print(error, file=sys.stderr)
        return 2


def jobs() -> int:
    """One submission at a time where there may be a GPU, else one a core."""
    return 1 if Path("/dev/nvidiactl").exists() else len(os.sched_getaffinity(0))


if __name__ == "__main__":
    sys.exit(main())
