"""From text source to gradebook, with sample submissions, and compare every score.

    python -m autograder.demo [--keep FOLDER]

Works in a folder of its own: no gradebook of yours is touched.  Exit code 1 if any criterion of
any submission, or a total in nbgrader's CSV, is not what samples/expected.json says.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from autograder import samples, steps
from autograder.course import ROOT, BuildError, Course, this_course

WHEN = "20260105T100000"        # when the samples were "handed in"
START = time.monotonic()


def say(line: str) -> None:
    print(f"{time.monotonic() - START:5.0f} s  {line}", flush=True)


def fresh_course(folder: Path) -> Course:
    """Text sources, kernels and nbgrader's settings copied into an empty folder."""
    course = this_course().at(folder)
    shutil.copytree(ROOT / "solutions", course.solutions, ignore=shutil.ignore_patterns("*.ipynb"))
    shutil.copytree(ROOT / "helpers" / "kernels", course.kernels)
    for settings in ("nbgrader_config.py", "autograder/nbgrader_config.py"):
        target = folder / settings
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / settings, target)
    return course


def as_on_a_cpu() -> None:
    """The expected points are those of a machine without a GPU; one thread a process."""
    os.environ.update(CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="1")
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    )


def hand_in(course: Course, name: str, students: Sequence[str]) -> None:
    """One archive with everybody's notebook, as a learning platform delivers it."""
    folder = course.root / "autograder" / "downloaded" / name / "archive"
    folder.mkdir(parents=True)
    released = json.loads(course.student(name).read_text(encoding="utf-8"))
    with zipfile.ZipFile(folder / "submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for student in students:
            notebook = samples.submission(course, student, released)
            archive.writestr(f"{student}__{WHEN}__{name}.ipynb", json.dumps(notebook))


def pipeline(course: Course, names: Sequence[str], students: Sequence[str]) -> dict:
    """Everything an instructor does; returns nbgrader's totals by (student, notebook)."""
    say(f"build and release {', '.join(names)}")
    steps.release(course, names)
    for name in names:
        hand_in(course, name, students)
        say(f"collect {len(students)} submissions of {name}")
        steps.collect(course, name)
    steps.add_students(course, students)
    for name in names:
        say(f"examine {len(students)} submissions of {name}, two at a time")
        for line in steps.examine(course, name):
            say(f"  {line}")
        say(f"book {name}")
        steps.book(course, name, students)
    pages = steps.feedback(course, names)
    say(f"feedback: {len(pages)} pages")
    grades = course.root / "autograder" / "grades.csv"
    totals = steps.export(course, grades)
    say(f"grades: {grades.name}, {len(totals)} rows")
    return totals


def compare(course: Course, names: Sequence[str], students: Sequence[str], expected: dict):
    """Rows (student, notebook, exercise, criterion, points or None, expected or None, status)."""
    for student in students:
        for name in names:
            found = steps.reports(course, name, student)
            for exercise in course.notebooks[name]:
                got = {c["name"]: c for c in found.get(exercise, [])}
                want = expected.get(student, {}).get(name, {}).get(exercise, {})
                for criterion in dict.fromkeys([*got, *want]) or ["-"]:
                    actual = got.get(criterion, {})
                    yield (student, name, exercise, criterion, actual.get("points"),
                           want.get(criterion), actual.get("status", "no report"))


def print_table(rows) -> int:
    """The table, one line a criterion; returns how many differ."""
    layout = "{:18} {:19} {:18} {:10} {:>8} {:>6}  {:14}{}"
    print(layout.format("submission", "notebook", "exercise", "criterion", "expected", "actual",
                        "status", ""))
    wrong = 0
    for *labels, actual, want, status in rows:
        differs = actual is None or want is None or abs(actual - want) > 1e-6
        wrong += differs
        numbers = ["none" if x is None else f"{x:g}" for x in (want, actual)]
        print(layout.format(*labels, *numbers, status, "  DIFFERS" if differs else "").rstrip())
    return wrong


def wrong_totals(rows, totals: dict) -> list[str]:
    """Where nbgrader's CSV and the sum of the criteria disagree."""
    sums: dict = {}
    for student, name, _, _, actual, _, _ in rows:
        sums[student, name] = sums.get((student, name), 0) + (actual or 0)
    return [f"{student}, {name}: the criteria add up to {total:g}, the CSV says "
            f"{totals.get((student, name), 'nothing')}"
            for (student, name), total in sums.items()
            if abs(totals.get((student, name), -1) - total) > 1e-6]


def write_expected(rows, path: Path) -> None:
    """Take the actual points as expected.  For authors: read the diff before you commit it."""
    tree = samples.expected()
    for student, name, exercise, criterion, actual, _, _ in rows:
        if actual is None:
            continue
        points = tree.setdefault(student, {}).setdefault(name, {}).setdefault(exercise, {})
        points[criterion] = int(actual) if actual == int(actual) else actual
    path.write_text(json.dumps(tree, indent=1) + "\n", encoding="utf-8")


def run(folder: Path, names: Sequence[str], students: Sequence[str], write: bool = False) -> int:
    """The whole demonstration in `folder`; returns the exit code."""
    as_on_a_cpu()
    course = fresh_course(folder)
    names = course.choose(names)
    totals = pipeline(course, names, students)
    rows = list(compare(course, names, students, samples.expected()))
    wrong = print_table(rows)
    disagreements = wrong_totals(rows, totals)
    for line in disagreements:
        print(line)
    if write:
        write_expected(rows, samples.HERE / "expected.json")
    say(f"{len(rows)} scores compared, {wrong} differ; "
        f"{len(totals)} totals in nbgrader's CSV, {len(disagreements)} disagree")
    return 1 if wrong or disagreements or not rows else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="autograder.demo", description=__doc__.split("\n")[0])
    parser.add_argument("--keep", type=Path, help="work in this new folder and leave it")
    parser.add_argument("--notebook", nargs="*", default=[], help="only these notebooks")
    parser.add_argument("--sample", nargs="*", default=[], help="only these submissions")
    parser.add_argument("--write-expected", action="store_true", help="for authors")
    options = parser.parse_args(arguments)
    unknown = set(options.sample) - set(samples.NAMES)
    if unknown:
        parser.error(f"no sample {', '.join(unknown)}; there are {', '.join(samples.NAMES)}")
    try:
        with tempfile.TemporaryDirectory(prefix="course-") as scratch:
            folder = Path(scratch)
            if options.keep:
                folder = options.keep.resolve()
                folder.mkdir(parents=True)
            return run(folder, options.notebook, options.sample or samples.NAMES,
                       options.write_expected)
    except (BuildError, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
