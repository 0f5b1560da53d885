"""The files that the two boxes can see: the worker's, with tools but no answers, the referee's."""

from __future__ import annotations

import shutil
from pathlib import Path

from autograder.course import ROOT

HERE = Path(__file__).resolve().parent
# No exercises (references), no kernels (solutions), no experiments and measurements (keys).
TOOLS = ("doctor.py", "gpu.py", "plots.py", "assembly.py", "inductor.py", "simulate", "widgets",
         "exercises/contract.py", "grading")
# Among the examiner's tools, what a worker needs; nothing else is in reach of its learner.
GRADING = ("__init__", "dialect", "draw", "failures", "honesty", "interpreter", "numerics", "quiet",
           "record", "rehearse", "trace")


def lay_out(folder: Path) -> tuple[Path, Path]:
    """Fill the empty `folder`; returns the worker's stage and the referee's."""
    return for_worker(folder / "worker"), for_referee(folder / "referee")


def for_worker(folder: Path) -> Path:
    """What a learner's code may see."""
    helpers = folder / "helpers"
    helpers.mkdir(parents=True)
    for name in ("worker.py", "channel.py", "known.py"):
        shutil.copy(HERE / name, folder / name)
    for name in TOOLS:
        source, target = ROOT / "helpers" / name, helpers / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=_only_needed)
        else:
            shutil.copy(source, target)
    (helpers / "exercises" / "__init__.py").touch()
    shutil.copy(HERE / "facade.py", helpers / "__init__.py")
    return folder


def for_referee(folder: Path) -> Path:
    """All of helpers, and the referee."""
    shutil.copytree(ROOT / "helpers", folder / "helpers",
                    ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "autograder").mkdir()
    for name in ("__init__.py", "channel.py", "referee.py"):
        shutil.copy(HERE / name, folder / "autograder" / name)
    shutil.copy(HERE / "judge.py", folder / "judge.py")
    return folder


def _only_needed(folder: str, names: list[str]) -> list[str]:
    if Path(folder).name != "grading":
        return [name for name in names if name == "__pycache__"]
    return [name for name in names if name.removesuffix(".py") not in GRADING]
