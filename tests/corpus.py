"""Submissions as data: what a file of tests/attacks or tests/fairness holds."""

import ast
import contextlib
import io
import linecache
import re
import types
import warnings
from dataclasses import dataclass
from pathlib import Path

SETUP = "import torch\nimport triton\nimport triton.language as tl\n"


@dataclass(frozen=True)
class Submission:
    """One file of the corpus: what a learner hands in for one exercise, and what it must earn."""

    name: str
    exercise: str
    cells: tuple[str, ...]      # the exercise's own is the last
    earns: float                # without a GPU
    says: str = ""              # what the report must match
    alone: bool = False         # only in a process of its own
    hangs: bool = False         # only with limits of seconds
    slow: bool = False          # honest, but not fast enough on a GPU for every point
    in_process: float | None = None     # what it earns there, where that is something else
    on_gpu: float | None = None         # the same on a GPU, in process, speed apart

    @property
    def here(self) -> float:
        """Points in this process: what `check` in a notebook would say."""
        return self.earns if self.in_process is None else self.in_process

    def must_say(self, text: str) -> None:
        """Fails unless the report gives the right reason."""
        assert re.search(self.says, text), f"{self.says!r} is not said by:\n{text}"

    def function(self):
        """The learner's function, as a notebook would have it; errors of other cells are passed."""
        module = types.ModuleType(self.name)
        for i, source in enumerate(self.cells):
            file = f"<{self.name} {i}>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            try:
                with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    exec(compile(source, file, "exec"), module.__dict__)
            except Exception:
                if i in (0, len(self.cells) - 1):
                    return lambda *_: module.missing        # the cell does not run
        return getattr(module, self.exercise)

    @property
    def request(self) -> dict:
        """For a referee, as examine.py would ask."""
        labels = [*(f"cell {i}" for i in range(1, len(self.cells))), "exercise cell"]
        return {"exercise": self.exercise, "cells": [
            {"source": source, "label": label, "needed": label in ("cell 1", "exercise cell")}
            for label, source in zip(labels, self.cells, strict=True)]}


def read(path: Path) -> Submission:
    """The file as data: nothing in it runs here."""
    said = {statement.targets[0].id: ast.literal_eval(statement.value)
            for statement in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(statement, ast.Assign)}
    shared = [(path.parent / "with" / f"{said['WITH']}.py").read_text()] if "WITH" in said else []
    return Submission(
        path.stem, said["EXERCISE"], (SETUP, *shared, *said.get("BEFORE", ()), said["CELL"]),
        said["EARNS"], said.get("SAYS", ""), said.get("ALONE", False), said.get("HANGS", False),
        said.get("SLOW", False), said.get("IN_PROCESS"), said.get("ON_GPU"))


def submissions(folder: str) -> list[Submission]:
    """All of tests/attacks or tests/fairness."""
    return [read(path) for path in sorted((Path(__file__).parent / folder).glob("*.py"))]
