"""The four functions that learners call: check, hint, ready, show."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from . import exercises, gpu
from .exercises.contract import Exercise, KernelExercise, Prediction, sizes
from .grading import interpreter
from .grading.report import FAILED, Criterion, Result

if gpu.device() is None:
    interpreter.install()

_hints_given: dict[str, int] = {}


def ready() -> None:
    """Print one line of truth about this environment; raises when it cannot run the course."""
    from .doctor import report

    print(report())


def check(function: Callable) -> Result:
    """Judge your function against the exercise of its name; seconds without a GPU or with one.

    Returns the points, shown as a table of criteria.  A wrong answer is no exception.
    """
    from .grading.examiner import examine

    exercise = _find(function)
    if isinstance(function, str):
        exercise = f"Write check({function}), without quotes: it takes the function itself."
    if isinstance(exercise, str):
        result = Result("check", [Criterion("exercise", 0, 0, FAILED, [exercise])], None,
                        gpu.name())
    else:
        try:
            result = examine(exercise, function)
        except Exception as error:      # ours, not the learner's; a cell must not die of it
            why = (f"The check itself failed ({type(error).__name__}: {error}). This is not your "
                   "fault: please report it.")
            result = Result(exercise.name, [
                Criterion("examiner", 0, exercise.points.total, FAILED, [why])], None, gpu.name())
    if not _in_notebook():
        print(result.text())
    return result


def hint(function_or_name: Callable | str) -> None:
    """Print the next hint: first a question, then a nudge, at last almost the line."""
    exercise = _find(function_or_name)
    if isinstance(exercise, str):
        print(exercise)
        return
    if not exercise.hints:
        print(f"There are no hints for {exercise.name}.")
        return
    given = min(_hints_given.get(exercise.name, 0), len(exercise.hints) - 1)
    _hints_given[exercise.name] = given + 1
    last = " (the last)" if given + 1 == len(exercise.hints) else ""
    print(f"Hint {given + 1} of {len(exercise.hints)}{last}: {exercise.hints[given]}")


def show(name: str) -> None:
    """Print what an exercise asks: the task, what must move, the points and their thresholds."""
    exercise = _find(name)
    print(exercise if isinstance(exercise, str) else _contract(exercise))


def _contract(exercise: Exercise) -> str:
    lines = [f"{exercise.name}  ({exercise.points.total:g} points)", "",
             *textwrap.wrap(exercise.spec, 79)]
    if isinstance(exercise, KernelExercise):
        from .grading.draw import Draw
        from .grading.speed import CEILINGS

        inputs = list(exercise.inputs(Draw(0), **exercise.cases[0]))
        need = exercise.compulsory(**exercise.counted)
        lines += [
            "", f"Call:      {exercise.name}({', '.join([*exercise.outputs, *inputs])}); "
                f"the outputs exist, you fill them",
            f"Sizes:     tried with {'; '.join(sizes(c) for c in exercise.cases)}; "
            "on a GPU with larger ones",
            f"Numerics:  {exercise.points.numerics:g} points, against float64",
            f"Traffic:   {exercise.points.traffic:g} points; at {sizes(exercise.counted)} at least "
            f"{sum(need.values()) / 1e3:.1f} kB must move:",
            "           " + ", ".join(f"{k} {v / 1e3:.1f} kB" for k, v in need.items()),
        ]
        if exercise.tiers:
            tiers = ", ".join(f"{points:g} from {share:.0%}" for share, points in exercise.tiers)
            lines.append(f"Speed:     {exercise.points.speed:g} points on a GPU: {tiers} of the "
                         f"speed of {CEILINGS[exercise.ceiling]}")
    elif isinstance(exercise, Prediction):
        lines += ["", f"Within a factor of {exercise.full:g} a number counts fully, within "
                      f"{exercise.half:g} half."]
    lines += ["", f"Stuck?     hint(\"{exercise.name}\") has {len(exercise.hints)} hints."]
    return "\n".join(lines)


def _find(function_or_name) -> Exercise | str:
    """The exercise, or a sentence that says why there is none."""
    name = function_or_name
    if not isinstance(name, str):
        name = getattr(function_or_name, "__name__", None)
        if name is None or not callable(function_or_name):
            return (f"This takes the function that you wrote, without quotes or brackets, for "
                    f"example check({next(iter(exercises.EXERCISES))}); "
                    f"it got a {type(function_or_name).__name__}.")
    try:
        return exercises.get(name)
    except KeyError as error:
        return error.args[0]


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return type(get_ipython()).__name__ == "ZMQInteractiveShell"
