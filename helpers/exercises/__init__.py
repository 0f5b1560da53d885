"""The registry: every exercise of the course, by name and by notebook."""

from __future__ import annotations

from . import first_kernel, operator_fusion
from .contract import Exercise, FunctionExercise, KernelExercise, Mistake, Points, Prediction

__all__ = [
    "EXERCISES", "NOTEBOOKS", "get",
    "Exercise", "FunctionExercise", "KernelExercise", "Mistake", "Points", "Prediction",
]

_MODULES = {"01_first_kernel": first_kernel, "06_operator_fusion": operator_fusion}

NOTEBOOKS: dict[str, list[str]] = {
    notebook: [exercise.name for exercise in module.EXERCISES]
    for notebook, module in _MODULES.items()
}
EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise for module in _MODULES.values() for exercise in module.EXERCISES
}


def get(name: str) -> Exercise:
    """The exercise called `name`.  Raises KeyError with the nearest names when there is none."""
    if name in EXERCISES:
        return EXERCISES[name]
    import difflib

    near = difflib.get_close_matches(str(name), EXERCISES, n=2, cutoff=0.4)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(EXERCISES)}."
    raise KeyError(f"No exercise is called {name!r}. {hint}")
