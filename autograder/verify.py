"""`make check`: is what is committed what the text sources build?"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path

from autograder.course import Course
from autograder.text import TOPICS

EXCERPT = 30        # lines of a difference that are shown


def cell_lines(nb: dict, metadata: bool = True) -> list[str]:
    """A notebook as lines a person can compare: one heading a cell, then its source."""
    lines = []
    for cell in nb["cells"]:
        lines.append(f"--- {cell['cell_type']} cell {cell.get('id')}")
        lines += "".join(cell["source"]).splitlines()
        if metadata:
            lines.append(f"    metadata {json.dumps(cell['metadata'], sort_keys=True)}")
    return lines


def difference(path: Path, expected: Path, metadata: bool = True) -> list[str]:
    """Unified diff from the notebook at `path` to the one it should be, cut to an excerpt."""
    try:
        old = cell_lines(json.loads(path.read_text(encoding="utf-8")), metadata)
    except (ValueError, KeyError, TypeError):
        return ["it is not a readable notebook"]
    new = cell_lines(json.loads(expected.read_text(encoding="utf-8")), metadata)
    diff = list(difflib.unified_diff(old, new, "committed", "built from the text", "", "", 1, ""))
    left = len(diff) - EXCERPT
    return diff[:EXCERPT] + ([f"... {left} more lines"] if left > 0 else [])


def check_student(course: Course, built: Course, name: str) -> list[str]:
    """Problems of notebooks/NN_name: it must be the very bytes that the build makes."""
    path, expected = course.student(name), built.student(name)
    shown = path.relative_to(course.root)
    fix = f"edit solutions/{name}.py, then make build"
    if not path.exists():
        return [f"{shown} is missing: make build"]
    others = [p.name for p in path.parent.iterdir() if p != path and p.name[0] != "."]
    problems = [f"{shown.parent}/{other} does not belong there" for other in sorted(others)]
    if path.read_bytes() != expected.read_bytes():
        diff = difference(path, expected) or ["only the notebook's own metadata or layout differ"]
        problems += [f"{shown} differs from what solutions/{name}.py builds:", *diff, fix]
    return problems


def check_executed(course: Course, built: Course, name: str) -> list[str]:
    """Problems of solutions/NN_name.ipynb, if there is one: same cells, and really executed."""
    path = course.executed(name)
    if not path.exists():
        return []
    shown = path.relative_to(course.root)
    diff = difference(path, built.source / name / f"{name}.ipynb", metadata=False)
    again = f"python -m autograder.execute {name}, on a GPU"
    if diff:
        return [f"{shown} was executed from another text:", *diff, again]
    code = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if c["cell_type"] == "code"]
    if not all(cell["execution_count"] for cell in code):
        return [f"{shown} was not executed to its end: {again}"]
    return []


def check_strays(course: Course) -> list[str]:
    """Notebooks and text sources that no registry entry stands for."""
    stray = [p for p in sorted(course.release.glob("*")) if p.name not in course.notebooks]
    stray += [p for p in sorted(course.solutions.glob("*.*")) if p.stem not in course.notebooks]
    return [f"{p.relative_to(course.root)}: helpers/exercises registers no notebook {p.stem}"
            for p in stray]


def taught_topics(built: Course, names: Sequence[str]) -> dict[int, list[str]]:
    """Topic number -> notebooks that teach it, from the cells' metadata."""
    taught: dict[int, list[str]] = {}
    for name in names:
        nb = json.loads((built.source / name / f"{name}.ipynb").read_text(encoding="utf-8"))
        numbers = {int(t) for c in nb["cells"] for t in c["metadata"].get("topics", "").split()}
        for number in numbers:
            taught.setdefault(number, []).append(name)
    return taught


def ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 7 -> "1-3 7"."""
    runs: list[list[int]] = []
    for n in sorted(numbers):
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return " ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


def coverage(built: Course, names: Sequence[str]) -> tuple[str, list[int]]:
    """A sentence about the topics, and those that no notebook teaches."""
    taught = taught_topics(built, names)
    left = [n for n in range(1, TOPICS + 1) if n not in taught]
    line = f"topics: {len(taught)} of {TOPICS} taught"
    return f"{line}, open: {ranges(left)}" if left else line, left
