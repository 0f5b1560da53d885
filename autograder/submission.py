"""What learners hand in: find it and read it.

A submission is data.  Nothing here runs it, and nothing in it may stop a batch: what cannot be read
raises `Unreadable`, whose text is for the learner and the instructor alike.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from autograder.needed import Cell, code_for
from autograder.restore import grade_id, restore

__all__ = ["Cell", "Unreadable", "code_for", "find", "prepare", "read", "released_notebook",
           "renamed", "reopen", "restore", "sha256"]

MAX_BYTES = 20_000_000
MAX_CODE_BYTES = 1_000_000      # written as JSON, six times as much at most, it must fit a message
MAX_CELLS = 2000        # a released notebook has about a hundred
MAX_DEPTH = 100         # of nested lists and dicts: far beyond what a notebook or a plot needs
BOOKED = "gpu_course"   # what an autograded notebook's metadata keep of the report they show

# nbgrader passes over a folder without any notebook; with this empty file in it, it does not.
PLACEHOLDER = "no-notebook-was-handed-in.ipynb"
GLOB = re.compile(r"[\[\]*?]")                  # nbgrader never matches a folder with these


class Unreadable(Exception):
    """A submission that cannot be graded.  One sentence says why, and what to do."""


# --- which file ---------------------------------------------------------------------------------


def find(folder: Path, assignment: str, released: dict | None = None) -> Path:
    """The notebook of a submission folder.

    A notebook under another name is taken if it is the only one that belongs to the assignment: by
    its name, or by ids of cells that it shares with `released`.  Raises Unreadable, and names what
    is there instead.
    """
    right = folder / f"{assignment}.ipynb"
    if right.exists() or right.is_symlink():
        return _plain_file(right)
    there = list(islice(_notebooks(folder), 50))
    mine = [path for path in there if assignment in path.stem]
    if released is not None and len(mine) != 1:
        mine = [path for path in there if _shares_cells(path, released)]
    if len(mine) == 1:
        return _plain_file(mine[0])
    if not there:
        others = sorted(path.name for path in folder.glob("*")
                        if path.name not in (PLACEHOLDER, "timestamp.txt"))[:10] \
            if folder.is_dir() else []
        raise Unreadable("No notebook was handed in" + (
            f"; there is only {', '.join(others)}." if others else ": the folder is empty."))
    names = ", ".join(str(path.relative_to(folder)) for path in there[:10])
    raise Unreadable(
        f"There is no {right.name}.  Found {names}, and " + (
            "several of them could be meant" if mine else "none of it looks like this assignment") +
        f": hand in one file with the name {right.name}.")


def renamed(path: Path, assignment: str) -> list[str]:
    """The remark on a notebook that `find` took although it has another name."""
    if path.name == f"{assignment}.ipynb":
        return []
    return [f"the file is called {path.name}; taken as {assignment}.ipynb"]


def _notebooks(folder: Path) -> Iterator[Path]:
    """Notebooks in a folder and in folders inside it (archives often add one)."""
    for place in [folder, *sorted(folder.glob("*/"))]:
        if place != folder and (place.is_symlink() or place.name.startswith((".", "__MACOSX"))):
            continue                    # a link may lead to somebody else's work
        for path in sorted(place.iterdir()) if place.is_dir() else ():
            if path.suffix.lower() == ".ipynb" and path.name[0] != "." \
                    and path.name != PLACEHOLDER:
                yield path


def _shares_cells(path: Path, released: dict) -> bool:
    wanted = {cell["id"] for cell in released["cells"]}
    try:
        cells = read(_plain_file(path))["cells"]
    except Unreadable:
        return False
    ids = {cell.get("id") for cell in cells} | {grade_id(cell) for cell in cells}
    return len(wanted & ids) >= 3       # "setup" is everywhere


def _plain_file(path: Path) -> Path:
    """Not a link to somebody else's file, and not a pipe that would be read for ever."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Unreadable(f"{path.name} is not a plain file.")
    return path


def sha256(path: Path) -> str:
    """Of the file's bytes: what makes a report current."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def prepare(submitted: Path, assignment: str) -> list[str]:
    """Before nbgrader: let it see folders without a notebook.

    They get an empty file that says so by its name and is graded with 0 points and a reason.
    Links in a submission are removed: nbgrader would copy what they lead to into the feedback.
    Returns a sentence for each such link and for each folder that nbgrader cannot see all the same.
    """
    problems = []
    for folder in sorted(submitted.glob(f"*/{assignment}")):
        student = folder.parent.name
        for link in [path for path in folder.rglob("*") if path.is_symlink()]:
            link.unlink()
            problems.append(f"{student}: {link.relative_to(folder)} was a link: removed.")
        if GLOB.search(student):
            problems.append(f"{student}: nbgrader passes over student ids with any of [ ] * ?; "
                            "rename the folder.")
        elif not folder.is_dir():
            problems.append(f"{student}: {assignment} is not a folder.")
        elif not any(path.name != PLACEHOLDER for path in folder.glob("*.ipynb")):
            (folder / PLACEHOLDER).touch()
        else:
            (folder / PLACEHOLDER).unlink(missing_ok=True)
    return problems


def reopen(submitted: Path, autograded: Path, reports: Path, assignment: str,
           released: dict | None = None) -> list[str]:
    """Before nbgrader: remove autograded copies that do not show the current report.

    nbgrader skips what it finds there, be it half of what a killed run wrote, or the grade of an
    earlier submission or report.  Returns the students who will be graded (again).
    """
    again = []
    for folder in sorted(submitted.glob(f"*/{assignment}")):
        student = folder.parent.name
        copy = autograded / student / assignment
        report = reports / assignment / f"{student}.json"
        if copy.exists() and not _is_booked(folder, copy, report, released):
            shutil.rmtree(copy)
        if not copy.exists():
            again.append(student)
    return again


def _is_booked(folder: Path, copy: Path, report: Path, released: dict | None) -> bool:
    assignment = folder.name
    try:
        booked = read(copy / f"{assignment}.ipynb")["metadata"].get(BOOKED)
        now = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError, Unreadable):
        return False
    try:
        digest = sha256(find(folder, assignment, released))
    except Unreadable:
        digest = None
    return digest == now["sha256"] and booked == {k: now[k] for k in ("sha256", "finished")}


# --- what is in it ------------------------------------------------------------------------------


def read(path: Path) -> dict:
    """A notebook as plain data of format 4, with junk made harmless.

    Every cell has a type, a text, metadata (a dict) and, if it is code, a list of outputs; ids are
    as submitted.  Raises Unreadable.
    """
    if path.stat().st_size > MAX_BYTES:
        raise Unreadable(f"The file is larger than {MAX_BYTES / 1e6:.0f} MB: clear the outputs and "
                         "hand it in again.")
    data = path.read_bytes()
    if not data.strip():
        raise Unreadable("The file is empty.")
    try:
        raw = json.loads(data.decode("utf-8-sig"), parse_constant=lambda _: None)
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8, as notebooks are.") from None
    except RecursionError:
        raise Unreadable("The file is nested too deeply to be a notebook.") from None
    except ValueError as error:
        if b"<<<<<<<" in data and b">>>>>>>" in data:
            raise Unreadable("The file holds both sides of a merge conflict of git: choose one "
                             "and hand it in again.") from None
        if data.lstrip()[:1] == b"<":
            raise Unreadable("The file is a web page, not a notebook: download the notebook "
                             "itself.") from None
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable("The file is no notebook: it is not JSON, or only a part of it"
                         f"{where}.") from None
    notebook = _clean(raw)
    _check_format(notebook)
    metadata = notebook.get("metadata")
    cells = [_cell(cell) for cell in notebook["cells"] if isinstance(cell, dict)]
    if sum(len(c["source"].encode()) for c in cells if c["cell_type"] == "code") > MAX_CODE_BYTES:
        raise Unreadable(f"The code cells hold more than {MAX_CODE_BYTES / 1e6:.0f} MB of text: "
                         "load data from a file instead of typing it in.")
    return {"nbformat": 4, "nbformat_minor": 5, "cells": cells,
            "metadata": metadata if isinstance(metadata, dict) else {}}


def released_notebook(path: Path) -> dict:
    """The notebook that learners got.  Its absence is the instructor's problem, not theirs."""
    try:
        return read(path)
    except (OSError, Unreadable) as error:
        raise FileNotFoundError(f"{path}: the released notebook cannot be read ({error}); "
                                "run nbgrader generate_assignment") from error


def _clean(value, depth: int = 0):
    """A copy without lone surrogates, which no file can hold, and not too deep."""
    if depth > MAX_DEPTH:
        raise Unreadable("The file is nested too deeply to be a notebook.")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item, depth + 1) for key, item in value.items()}
    return value


def _check_format(notebook) -> None:
    if not isinstance(notebook, dict):
        raise Unreadable("The file is JSON, but no notebook.")
    version = notebook.get("nbformat", 4)
    if "worksheets" in notebook or version in (1, 2, 3):
        raise Unreadable("The notebook is in an old format (before 2015): open it in JupyterLab, "
                         "save it and hand it in again.")
    if version != 4:
        raise Unreadable(f"The notebook says that it is in format {str(version)[:20]}; only "
                         "format 4 is known.")
    if "cells" not in notebook:
        raise Unreadable("The file is JSON, but no notebook: it has no cells.")
    if not isinstance(notebook["cells"], list):
        raise Unreadable("The notebook is damaged: its cells are not a list.")
    if len(notebook["cells"]) > MAX_CELLS:
        raise Unreadable(f"The notebook has {len(notebook['cells'])} cells, more than {MAX_CELLS}.")


def _cell(raw: dict) -> dict:
    kind = raw.get("cell_type")
    metadata = raw.get("metadata")
    cell = {"cell_type": kind if kind in ("code", "markdown", "raw") else "markdown",
            "metadata": metadata if isinstance(metadata, dict) else {},
            "source": as_text(raw.get("source")).replace("\r\n", "\n")}
    if isinstance(raw.get("id"), str):
        cell["id"] = raw["id"]
    if cell["cell_type"] == "code":
        outputs, count = raw.get("outputs"), raw.get("execution_count")
        cell["outputs"] = [o for o in outputs if isinstance(o, dict)] \
            if isinstance(outputs, list) else []
        cell["execution_count"] = as_count(count)
    elif isinstance(raw.get("attachments"), dict):
        cell["attachments"] = raw["attachments"]
    return cell


def as_text(value) -> str:
    """Notebooks write a text as a string or as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def as_count(value) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None
