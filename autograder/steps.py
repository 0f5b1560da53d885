"""nbgrader's steps over one course folder, called as an instructor calls them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.course import ROOT, BuildError, Course
from autograder.release import api, build_sources, nbgrader_config, succeed

REPORT = "application/vnd.gpu-course.report+json"


def release(course: Course, names: Sequence[str]) -> None:
    """Build and release into the course's own folders and gradebook."""
    build_sources(course, names, course.source)
    nbgrader = api(nbgrader_config(course.root))
    for name in names:
        succeed(nbgrader.generate_assignment(name), f"release {name}")


def collect(course: Course, name: str) -> None:
    """`nbgrader zip_collect`: archives in autograder/downloaded/ to autograder/submitted/."""
    command = [sys.executable, "-m", "nbgrader", "zip_collect", name, "--force"]
    run = subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=120)
    if run.returncode:
        raise BuildError(f"nbgrader failed to collect {name}:\n{run.stderr[-2000:]}")


def add_students(course: Course, students: Sequence[str]) -> None:
    """Register them before grading starts: two processes may grade one student's notebooks."""
    with api(nbgrader_config(course.root)).gradebook as gradebook:
        for student in students:
            gradebook.update_or_create_student(student)


def examine(course: Course, name: str, *flags: str) -> Iterator[str]:
    """`python -m autograder examine`: every submission, two at a time; yields what it says."""
    command = [sys.executable, "-m", "autograder", "examine", name, f"--course={course.root}",
               "--jobs=2", *flags]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as run:
        said = []
        for line in run.stdout:
            said.append(line.rstrip())
            yield said[-1]
    if run.returncode > 1:      # 1: some submissions could not be graded, and it said which
        raise BuildError(f"the examination of {name} failed:\n" + "\n".join(said[-15:]))


def book(course: Course, name: str, students: Sequence[str]) -> None:
    """`nbgrader autograde`: reports to grades.  Nobody's code runs any more."""
    nbgrader = api(nbgrader_config(course.root))
    for student in students:
        succeed(nbgrader.autograde(name, student), f"grade {name} of {student}")


def feedback(course: Course, names: Sequence[str]) -> list[Path]:
    """One HTML page a submission."""
    nbgrader = api(nbgrader_config(course.root))
    for name in names:
        succeed(nbgrader.generate_feedback(name), f"write feedback on {name}")
    return sorted((course.root / "autograder" / "feedback").glob("*/*/*.html"))


def export(course: Course, path: Path) -> dict[tuple[str, str], float]:
    """nbgrader's CSV at `path`; returns its scores by (student, notebook)."""
    from nbgrader.plugins import CsvExportPlugin

    with api(nbgrader_config(course.root)).gradebook as gradebook:
        plugin = CsvExportPlugin()
        plugin.to = str(path)
        plugin.export(gradebook)
    with path.open(newline="") as file:
        return {(r["student_id"], r["assignment"]): float(r["score"]) for r in csv.DictReader(file)}


def reports(course: Course, name: str, student: str) -> dict[str, list[dict]]:
    """Criteria by exercise, from the outputs of the check cells of one graded notebook."""
    folder = course.root / "autograder" / "autograded" / student / name
    nb = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    found = {}
    for cell in nb["cells"]:
        for output in cell.get("outputs", []):
            report = output.get("data", {}).get(REPORT)
            if report and cell["metadata"].get("nbgrader", {}).get("grade"):
                found[report["exercise"]] = report["criteria"]
    return found
