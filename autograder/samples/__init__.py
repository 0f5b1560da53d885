"""Sample submissions: what learners hand in, as replacements of exercise cells.

Each module here is one learner.  CELLS gives the text of an exercise cell, EDITS changes the
reference's text (each key must occur in it), and every other exercise is solved unless SOLVE is
False.  The module's docstring says what the learner did.  expected.json holds the points of each
criterion on a machine without a GPU.
"""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path

from autograder.course import BuildError, Course
from autograder.kernels import BEGIN, END, cell_text

HERE = Path(__file__).resolve().parent
NAMES = ("solved", "untouched", "unfused", "wrong_tail", "power_of_two_only", "calls_torch")


def expected() -> dict:
    """Points by sample, notebook, exercise and criterion."""
    return json.loads((HERE / "expected.json").read_text(encoding="utf-8"))


def solved_text(course: Course, exercise: str) -> str:
    """The reference as a learner would have typed it: without the marks of the build."""
    lines = cell_text(course.kernels, exercise).splitlines()
    return "\n".join(line for line in lines if line.strip() not in (BEGIN, END))


def answer(course: Course, sample: str, exercise: str) -> str | None:
    """Text of one exercise cell in a sample submission; None leaves the cell as released."""
    module = importlib.import_module(f"autograder.samples.{sample}")
    if exercise in getattr(module, "CELLS", {}):
        return module.CELLS[exercise].strip("\n")
    if not getattr(module, "SOLVE", True):
        return None
    text = solved_text(course, exercise)
    for old, new in getattr(module, "EDITS", {}).get(exercise, {}).items():
        if old not in text:
            raise BuildError(
                f"autograder/samples/{sample}.py: {exercise} no longer contains {old!r}"
            )
        text = text.replace(old, new)
    return text


def submission(course: Course, sample: str, released: dict) -> dict:
    """The released notebook after this learner worked on it."""
    notebook = copy.deepcopy(released)
    for cell in notebook["cells"]:
        meta = cell["metadata"].get("nbgrader", {})
        if cell["cell_type"] == "code" and meta.get("solution"):
            text = answer(course, sample, meta["grade_id"])
            cell["source"] = cell["source"] if text is None else text
    return notebook
