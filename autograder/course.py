"""Where a course lies and what its registry says: the one argument of every build step."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class BuildError(Exception):
    """Something an author or instructor has to put right.  The text says where and how."""


@dataclass(frozen=True)
class Course:
    """A folder with text sources and kernels, and the registry as plain data.

    points      points of each exercise, by name
    notebooks   exercises of each notebook in order, by notebook name
    """

    root: Path
    points: Mapping[str, float]
    notebooks: Mapping[str, Sequence[str]]

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def kernels(self) -> Path:
        return self.root / "helpers" / "kernels"

    @property
    def source(self) -> Path:
        """nbgrader's source directory: built, never committed."""
        return self.root / "autograder" / "source"

    @property
    def release(self) -> Path:
        """nbgrader's release directory: the learners' notebooks."""
        return self.root / "notebooks"

    def text(self, name: str) -> Path:
        return self.solutions / f"{name}.py"

    def executed(self, name: str) -> Path:
        return self.solutions / f"{name}.ipynb"

    def student(self, name: str) -> Path:
        return self.release / name / f"{name}.ipynb"

    def choose(self, names: Sequence[str]) -> list[str]:
        """The notebooks meant by command line arguments: names, paths, or nothing for all."""
        names = [Path(name).stem for name in names]
        unknown = [name for name in names if name not in self.notebooks]
        if unknown:
            raise BuildError(
                f"no notebook {', '.join(unknown)}; there are {', '.join(self.notebooks)}"
            )
        return names or list(self.notebooks)

    def at(self, root: Path) -> Course:
        """The same registry over another folder."""
        return replace(self, root=Path(root))


def this_course() -> Course:
    """The course of this repository.  Imports helpers, and so torch and triton."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from helpers.exercises import EXERCISES, NOTEBOOKS

    points = {name: exercise.points.total for name, exercise in EXERCISES.items()}
    return Course(ROOT, points, NOTEBOOKS)


def own_bin_first() -> None:
    """nbgrader calls `alembic` by name: find the one beside this Python, whatever PATH says."""
    own = str(Path(sys.executable).parent)
    if own not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = own + os.pathsep + os.environ.get("PATH", "")
