"""From source notebooks to the learners': nbgrader's generate_assignment, without its risks.

nbgrader deletes the release folder when it is forced and when a run fails, so it works in a scratch
folder here, and a notebook is replaced by rename after all went well.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder.course import ROOT, BuildError, Course, own_bin_first
from autograder.text import MARKUP, build_notebook, plain_id


def notebook_bytes(nb) -> bytes:
    """How the build writes a notebook: one format, so two builds can be compared byte by byte."""
    import nbformat

    return (nbformat.writes(nb, version=nbformat.NO_CONVERT) + "\n").encode()


def write(path: Path, data: bytes) -> None:
    """Write by rename: a reader sees the old file or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    os.replace(part, path)


def build_sources(course: Course, names: Sequence[str], into: Path) -> None:
    """Text sources to nbgrader's source layout.  All are read before the first is written."""
    built, problems = {}, []
    for name in names:
        try:
            built[name] = notebook_bytes(build_notebook(course, name))
        except BuildError as error:
            problems.append(str(error))
    if problems:
        raise BuildError("\n".join(problems))
    for name, data in built.items():
        write(into / name / f"{name}.ipynb", data)


def nbgrader_config(root: Path, **sections):
    """autograder/nbgrader_config.py over another root; sections override single settings."""
    from traitlets.config import Config
    from traitlets.config.loader import PyFileConfigLoader

    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT / "autograder")).load_config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.db_url = f"sqlite:///{root}/autograder/gradebook.db?timeout=60"
    config.merge(Config(sections))
    return config


def api(config):
    """nbgrader's own API; its log is captured by each call, not printed."""
    own_bin_first()
    from nbgrader.apps import NbGraderAPI

    return NbGraderAPI(config=config)


def succeed(result: dict, what: str) -> None:
    """Turn nbgrader's answer into an error with the last lines of its log."""
    if not result["success"]:
        log = (result.get("log") or "") + (result.get("error") or "")
        raise BuildError(f"nbgrader failed to {what}:\n" + "\n".join(log.splitlines()[-15:]))


@contextmanager
def released(course: Course, names: Sequence[str], beside: Path | None = None) -> Iterator[Course]:
    """A scratch course in which `names` are built and released; no database is touched.

    `beside` is a folder on the file system on which the results are wanted (rename needs that).
    """
    scratch = Path(tempfile.mkdtemp(prefix=".scratch-", dir=beside))
    try:
        copy = course.at(scratch)
        build_sources(course, names, copy.source)
        off = {"SaveCells": {"enabled": False}, "GenerateAssignment": {"no_database": True}}
        nbgrader = api(nbgrader_config(scratch, **off))
        for name in names:
            succeed(nbgrader.generate_assignment(name), f"release {name}")
            check_clean(copy.student(name))
        yield copy
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_clean(path: Path) -> None:
    """Nothing of a solution and no output may be in a notebook that learners get."""
    text = path.read_text(encoding="utf-8")
    found = MARKUP.search(text)
    if found or has_results(json.loads(text)):
        raise BuildError(f"{path.name} would be released with {found[0] if found else 'outputs'}")


def has_results(nb: dict) -> bool:
    """Has any cell been run?"""
    return any(cell.get("outputs") or cell.get("execution_count") for cell in nb["cells"])


def why_not_replace(path: Path) -> str | None:
    """Why the notebook at `path` is somebody's work, or None when the build may replace it.

    A released notebook proves itself: nbgrader's cells carry the checksum of what was released and
    every other cell's id is the hash of its content.  So neither git nor a record of the last
    build is needed, and a fresh clone, an unpacked archive and an author's third build in a row
    behave alike.
    """
    if not path.exists():
        return None
    import nbformat
    from nbgrader.utils import compute_checksum

    try:
        nb = nbformat.reads(path.read_text(encoding="utf-8"), as_version=nbformat.NO_CONVERT)
        if has_results(nb):
            return "it has outputs of a run"
        seen: Counter = Counter()
        for number, cell in enumerate(nb.cells, start=1):
            meta = cell.metadata.get("nbgrader")
            given, now = ((meta.get("checksum"), compute_checksum(cell)) if meta
                          else (cell.get("id"), plain_id(cell, seen)))
            if given != now:
                return f"cell {number} was edited: {cell.source.strip()[:50]!r}"
    except Exception as error:      # unreadable: certainly not what the build wrote
        return f"it cannot be read ({type(error).__name__})"
    return None


def refuse_edited(course: Course, names: Sequence[str]) -> None:
    edited = [(course.student(name), why_not_replace(course.student(name))) for name in names]
    lines = [f"{path.relative_to(course.root)}: {why}" for path, why in edited if why]
    if lines:
        raise BuildError(
            "\n".join(lines) + "\nNothing was written.  Copy what you want to keep, then delete "
            "the notebook or build with: python -m autograder.build --force"
        )


def replace_released(course: Course, built: Course, names: Sequence[str]) -> list[str]:
    """Put what was built in place; returns the names whose learners' notebook changed."""
    changed = []
    for name in names:
        data = built.student(name).read_bytes()
        target = course.student(name)
        if not target.exists() or target.read_bytes() != data:
            changed.append(name)
            write(target, data)
        source = Path(name) / f"{name}.ipynb"
        write(course.source / source, (built.source / source).read_bytes())
    return changed
