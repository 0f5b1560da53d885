"""Exercises without a kernel: functions against a reference, predictions against a key."""

from __future__ import annotations

import copy
import inspect
import random

from helpers import gpu

from . import mistakes
from .failures import Failure, explain_crash
from .quiet import CRASHES, time_limit
from .remote import Declined
from .report import FAILED, PARTIAL, PASSED, Criterion

SECONDS = 10        # for one call: a loop that never ends costs this much, once
PATIENCE = 20       # until a process elsewhere, with that limit of its own, is given up


def examine_function(exercise, candidate, seed, result) -> None:
    """Adds the verdict on a FunctionExercise to `result`: every case, each with its own copies."""
    maximum = exercise.points.total
    cases = list(exercise.arguments(random.Random(seed)))
    wanted = [exercise.reference(*copy.deepcopy(arguments)) for arguments in cases]
    got, local = [], inspect.isfunction(candidate)
    for arguments in cases:
        try:
            with time_limit(SECONDS if local else PATIENCE):
                got.append(candidate(*copy.deepcopy(arguments)))
        except Declined as error:
            failure = error.failure
            break
        except CRASHES as error:        # a verdict, not a crash
            failure = explain_crash(error, exercise.describe(*arguments), None)
            break
        if got[-1] is None:
            failure = Failure([f"{exercise.name} returns nothing yet."])
            break
    else:
        number = next((i for i in range(len(cases))
                       if not _equal(got[i], wanted[i], exercise.tolerance)), None)
        if number is None:
            result.criteria.append(Criterion("numerics", maximum, maximum, PASSED,
                                             [f"Right on all {len(cases)} cases."]))
            return
        failure = Failure([f"{exercise.describe(*cases[number])}: you say "
                           f"{_shown(got[number])}, right is {_shown(wanted[number])}."])
        for mistake in exercise.mistakes:
            if _same_answers(mistakes.variant(exercise, mistake), cases, got, exercise.tolerance):
                failure.mistake = mistake.name
                failure.lines.append(f"Your result is what you get when {mistake.says}.")
                break
    result.mistake = failure.mistake
    result.criteria.append(Criterion("numerics", 0, maximum, FAILED, failure.lines))


def _same_answers(version, cases, answers, tolerance) -> bool:
    try:
        return all(_equal(version(*copy.deepcopy(arguments)), answer, tolerance)
                   for arguments, answer in zip(cases, answers, strict=True))
    except Exception:       # a wrong version may crash where the learner's does not
        return False


def _shown(value) -> str:
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(_shown(one) for one in value) + ")"
    return repr(_plain(value))


def _plain(value):
    """A number of numpy or PyTorch as Python's own."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _equal(got, wanted, tolerance) -> bool:
    if isinstance(wanted, (tuple, list)):
        return (isinstance(got, (tuple, list)) and len(got) == len(wanted)
                and all(_equal(g, w, tolerance) for g, w in zip(got, wanted, strict=True)))
    got = _plain(got)
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return type(got) is type(wanted) and got == wanted
    if isinstance(wanted, int) or not -1e300 < got < 1e300:      # 10**400 is no float
        return got == wanted
    return abs(got - wanted) <= tolerance * abs(wanted)


def examine_prediction(exercise, candidate, result) -> None:
    """Adds the verdict on a Prediction to `result`; the key is asked only after the commitment."""
    maximum = exercise.points.total
    names = list(exercise.units)
    try:
        with time_limit(SECONDS if inspect.isfunction(candidate) else PATIENCE):
            committed = candidate()
    except CRASHES as error:
        failure = error.failure if isinstance(error, Declined) else explain_crash(
            error, f"{exercise.name}()", None)
        result.criteria.append(Criterion("prediction", 0, maximum, FAILED, failure.lines))
        return
    if isinstance(committed, dict):
        committed = {name: _plain(value) for name, value in committed.items()}
    sane = isinstance(committed, dict) and set(committed) == set(names) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v < 1e12
        for v in committed.values())
    if not sane:
        result.criteria.append(Criterion("prediction", 0, maximum, FAILED, [
            f"Commit one positive number for each of {', '.join(names)}; "
            f"yours is {committed!r}."]))
        return
    key, how = exercise.key(gpu.device())
    lines, earned = [how], 0.0
    for name in names:
        unit, ratio = exercise.units[name], committed[name] / key[name]
        off = max(ratio, 1 / ratio)
        share = 1.0 if off <= exercise.full else 0.5 if off <= exercise.half else 0.0
        earned += share * maximum / len(names)
        lines.append(f"{name}: you said {committed[name]:.3g} {unit}, it is {key[name]:.3g} {unit}"
                     + (f" (a factor of {off:.1f} away)" if share < 1 else ""))
    status = PASSED if earned == maximum else PARTIAL if earned else FAILED
    result.criteria.append(Criterion("prediction", round(earned, 2), maximum, status, lines))
