"""The examiner: judges a function against an exercise on numerics, traffic and speed.

The order is from cheap and safe to dear: a ghost run, then small cases in the interpreter (a
missing mask is named there, before it can break the GPU's context), then the compiler, then the
GPU, then the clock.  Nothing here raises for a wrong answer.
"""

from __future__ import annotations

import copy
import inspect
import platform
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata

import torch

from helpers import gpu
from helpers.exercises.contract import (
    Exercise,
    FunctionExercise,
    KernelExercise,
    Prediction,
    sizes,
)

from . import mistakes, speed
from .draw import POISONS, Draw
from .failures import Failure, explain_crash, explain_faults, explain_mismatch, explain_poison
from .honesty import watching_torch
from .interpreter import watching
from .numerics import Expected, compare, expect
from .quiet import TookTooLong, quiet, time_limit
from .report import FAILED, NOT_TRIED, PARTIAL, PASSED, Criterion, Result
from .trace import Trace

SECONDS = 20        # for one attempt: a loop that never ends costs this much, once


CRASHES = (Exception, SystemExit, TookTooLong)


@dataclass(frozen=True)
class Attempt:
    """One call of the candidate: a case, a dtype, and what surrounds it."""

    dims: dict
    dtype: torch.dtype
    padding: int = 0
    poison: float = POISONS[0]
    device: str = "cpu"

    def __str__(self) -> str:
        return f"{sizes(self.dims)} {str(self.dtype).removeprefix('torch.')}" + (
            ", rows apart" if self.padding and "M" in self.dims else "")


@dataclass
class Outcome:
    """What one attempt left behind."""

    outputs: dict[str, torch.Tensor]
    expected: dict[str, Expected]
    trace: Trace | None
    failure: Failure | None
    crashed: bool = False


def examine(exercise: Exercise, candidate: Callable, seed: int | None = None,
            with_speed: bool = True) -> Result:
    """Judge `candidate`.  `seed` is secret and fresh unless a test or a replay gives it."""
    seed = secrets.randbits(48) if seed is None else seed
    where = gpu.name() if isinstance(exercise, KernelExercise) else ""
    result = Result(exercise.name, device=where, versions=_versions())
    with quiet():
        if isinstance(exercise, KernelExercise):
            _examine_kernel(exercise, candidate, seed, result, with_speed)
        elif isinstance(exercise, FunctionExercise):
            _examine_function(exercise, candidate, seed, result)
        elif isinstance(exercise, Prediction):
            _examine_prediction(exercise, candidate, result)
    return result


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("torch", "triton", "numpy"):
        found[package] = metadata.version(package)
    return found


# --- kernels ------------------------------------------------------------------------------------


def _examine_kernel(exercise, candidate, seed, result, with_speed) -> None:
    points = exercise.points
    failure = _numerics(exercise, candidate, seed)
    if failure:
        result.mistake = failure.mistake
        result.criteria.append(
            Criterion("numerics", 0, points.numerics, FAILED, failure.lines))
        for name in ("traffic", "speed"):
            if getattr(points, name):
                result.criteria.append(Criterion(name, 0, getattr(points, name), NOT_TRIED))
        return
    where = f"interpreter and {gpu.name()}" if gpu.device() else \
        "interpreter; a GPU may still differ"
    result.criteria.append(Criterion(
        "numerics", points.numerics, points.numerics, PASSED,
        [f"Right on all {len(list(_attempts(exercise, seed)))} cases ({where})."]))
    if points.traffic:
        criterion, mistake = _traffic(exercise, candidate, seed)
        result.criteria.append(criterion)
        result.mistake = mistake
    if points.speed:
        result.criteria.append(speed.judge(exercise, candidate, seed) if with_speed else Criterion(
            "speed", 0, points.speed, NOT_TRIED))


def _attempts(exercise: KernelExercise, seed: int) -> Iterator[Attempt]:
    """What the interpreter runs: every case in float32, some with padded rows, secret ones, and
    two in float16."""
    for i, dims in enumerate(exercise.cases):
        yield Attempt(dims, torch.float32, padding=24 * (i % 2), poison=POISONS[i % 2])
    # Sizes that nobody can prepare for, and with them another order of the programs.
    for i, dims in enumerate(exercise.secret(random.Random(seed))):
        yield Attempt(dims, torch.float32, padding=8, poison=POISONS[i % 2])
    if torch.float16 in exercise.dtypes:
        for dims in (exercise.cases[1], exercise.cases[-1]):
            yield Attempt(dims, torch.float16)


def _gpu_attempts(exercise: KernelExercise) -> Iterator[Attempt]:
    device = str(gpu.device())
    for dtype in exercise.dtypes:
        if dtype == torch.bfloat16 and not gpu.has_bfloat16():
            continue
        for i, dims in enumerate([*exercise.cases, *exercise.gpu_cases]):
            yield Attempt(dims, dtype, 24 * (i % 2), POISONS[i % 2], device)


def _numerics(exercise, candidate, seed) -> Failure | None:
    failure = _wrong_signature(exercise, candidate)
    if failure:
        return failure
    attempts = list(_attempts(exercise, seed))
    for attempt in (attempts[0], attempts[len(exercise.cases) - 1]):
        failure = _ghost(exercise, candidate, attempt, seed)
        if failure:
            return failure
    outcomes: list[Outcome] = []
    for i, attempt in enumerate(attempts):
        outcomes.append(run(exercise, candidate, attempt, seed + i))
        if outcomes[-1].crashed:
            break
    failure = next((outcome.failure for outcome in outcomes if outcome.failure), None)
    if failure:
        failure.name_right([attempt for attempt, outcome in zip(attempts, outcomes, strict=False)
                            if outcome.failure is None])
        _name_mistake(exercise, failure, attempts, outcomes, seed)
        return failure
    launches = [launch for outcome in outcomes for launch in outcome.trace.launches]
    from .compiler import compile_launches

    failure = compile_launches(launches)
    if failure or gpu.device() is None:
        return failure
    right = []
    for i, attempt in enumerate(_gpu_attempts(exercise)):
        outcome = run(exercise, candidate, attempt, seed + 100 + i)
        if outcome.failure:
            outcome.failure.name_right(right)
            outcome.failure.lines.append(
                "The interpreter finds it right, the GPU does not: look for what the interpreter "
                "cannot see (order of programs, precision of the dtype).")
            return outcome.failure
        right.append(attempt)
    return None


def run(exercise: KernelExercise, candidate: Callable, attempt: Attempt, seed: int,
        ghost: bool = False) -> Outcome:
    """One attempt: draw, call, look at every trace it left."""
    draw = Draw(seed, attempt.dtype, attempt.device, attempt.padding)
    inputs = exercise.inputs(draw, **attempt.dims)
    expected = dict(zip(exercise.outputs, expect(
        exercise.reference, inputs, attempt.dtype, seed, exercise.exact), strict=True))
    input_guards = list(draw.guards)
    outputs = {name: draw.output(one.truth, attempt.poison) for name, one in expected.items()}
    output_guards = draw.guards[len(input_guards):]
    arguments = (*outputs.values(), *inputs.values())
    tensors = {**outputs, **{k: v for k, v in inputs.items() if isinstance(v, torch.Tensor)}}
    trace, work = None, []
    try:
        with time_limit(SECONDS):
            if attempt.device == "cpu":
                with watching(order_seed=seed, ghost=ghost, **tensors) as trace:
                    with watching_torch() as work:
                        returned = candidate(*arguments)
            else:
                returned = candidate(*arguments)
                torch.cuda.synchronize()
    except CRASHES as error:        # whatever the learner's code raises is a verdict, not a crash
        return Outcome(outputs, expected, trace, explain_crash(error, attempt, trace),
                       crashed=True)
    failure = None
    for name, guard in zip(outputs, output_guards, strict=True):
        if not guard.in_place(outputs[name]):
            failure = Failure([f"{name} was exchanged for another tensor. Your kernel must store "
                               f"into the {name} that it is given."])
        outputs[name] = guard.own
    if trace is not None and failure is None:
        failure = explain_faults(trace, work, ghost, exercise, attempt)
    for name, guard in zip((k for k in inputs if k in tensors), input_guards, strict=True):
        if failure is None and not guard.unchanged():
            failure = Failure([f"{attempt}: {name} has changed. An input must only be read."])
    for name, guard in zip(outputs, output_guards, strict=True):
        if failure is None and not guard.intact():
            failure = Failure([f"{attempt}: something was stored outside {name}. "
                               "The mask of the store lets too many lanes through."])
    if ghost:
        touched = [name for name, guard in zip(outputs, output_guards, strict=True)
                   if not guard.unchanged() and not guard.constant()]      # zero_() is fine
        if touched and failure is None:
            failure = Failure([f"{', '.join(touched)} was written although no kernel ran: "
                               "the work must be done by your Triton kernel."])
        return Outcome(outputs, expected, trace, failure)
    if failure:
        return Outcome(outputs, expected, trace, failure)
    for name, output in outputs.items():
        mismatch = compare(name, output, expected[name])
        if mismatch:
            failure = explain_poison(name, output, attempt) or explain_mismatch(mismatch, attempt)
            if isinstance(returned, torch.Tensor):
                failure.lines.append(f"Your function returns a tensor: write into {name} instead.")
            return Outcome(outputs, expected, trace, failure)
    return Outcome(outputs, expected, trace, None)


def _wrong_signature(exercise: KernelExercise, candidate) -> Failure | None:
    wanted = [*exercise.outputs,
              *exercise.inputs(Draw(0), **exercise.cases[0])]
    try:
        inspect.signature(candidate).bind(*wanted)
    except TypeError as error:
        return Failure([f"{exercise.name} is called as {exercise.name}({', '.join(wanted)}), and "
                        f"yours does not take that: {error}."])
    except ValueError:
        return None         # no signature to be had: the call itself will tell
    return None


def _ghost(exercise, candidate, attempt, seed) -> Failure | None:
    outcome = run(exercise, candidate, attempt, seed, ghost=True)
    if outcome.crashed and outcome.trace.launches:
        return None         # it looks at its result, which a ghost does not make
    if outcome.failure:
        return outcome.failure
    if not outcome.trace.launches:
        return Failure(["No Triton kernel was launched: call your kernel as "
                        "`kernel[grid](...)` in the function."])
    return None


def _name_mistake(exercise, failure, attempts, outcomes, seed) -> None:
    """Name the known wrong version that explains every outcome, and best, if one does."""
    best, best_distance = None, float("inf")
    for mistake in exercise.mistakes:
        if mistake.fails != "numerics":
            continue
        version, total = mistakes.variant(exercise, mistake), 0.0
        for i, outcome in enumerate(outcomes):
            other = run(exercise, version, attempts[i], seed + i)
            total += _distance(outcome, other)
            if total >= best_distance:
                break
        else:
            best, best_distance = mistake, total
    if best is not None:
        failure.mistake = best.name
        failure.lines.append(f"Your result is what you get when {best.says}.")


def _faults(outcome: Outcome) -> set:
    return {(f.kind, f.tensor, f.lanes) for f in outcome.trace.faults}


def _distance(a: Outcome, b: Outcome) -> float:
    """How far two results are apart; infinite unless b explains 95 % of a's error."""
    if a.crashed or b.crashed or _faults(a) != _faults(b):
        return float("inf")
    total = 0.0
    for name, truth in a.expected.items():
        x, y = a.outputs[name].double(), b.outputs[name].double()
        known = x.isfinite() & y.isfinite()
        special = (x == y) | (x.isnan() & y.isnan())
        if bool((~known & ~special).any()):
            return float("inf")
        apart = torch.where(known, (x - y).abs(), 0.0)
        error = torch.where(known, (x - truth.truth).abs(), 0.0).nan_to_num()
        if bool((apart > 0.05 * error + truth.allowed).any()):
            return float("inf")
        total += float(apart.sum())
    return total


# --- traffic ------------------------------------------------------------------------------------


def _count(exercise, candidate, seed) -> Outcome:
    return run(exercise, candidate, Attempt(dict(exercise.counted), torch.float32), seed)


def _traffic(exercise, candidate, seed) -> tuple[Criterion, str | None]:
    from .traffic import judge

    outcome = _count(exercise, candidate, seed)
    maximum = exercise.points.traffic
    if outcome.failure:
        return Criterion("traffic", 0, maximum, FAILED, outcome.failure.lines), None
    from .compiler import compile_launches

    failure = compile_launches(outcome.trace.launches)
    if failure:
        return Criterion("traffic", 0, maximum, FAILED, failure.lines), None
    good, lines = judge(exercise, outcome.trace)
    if good:
        return Criterion("traffic", maximum, maximum, PASSED, lines), None
    for mistake in exercise.mistakes:
        if mistake.fails == "traffic":
            other = _count(exercise, mistakes.variant(exercise, mistake), seed)
            named = set(exercise.compulsory(**exercise.counted))
            if other.trace and all(other.trace.traffic.get(k) == outcome.trace.traffic.get(k)
                                   for k in named):
                lines.append(f"Your traffic is what you get when {mistake.says}.")
                return Criterion("traffic", 0, maximum, FAILED, lines), mistake.name
    return Criterion("traffic", 0, maximum, FAILED, lines), None


# --- functions ----------------------------------------------------------------------------------


def _examine_function(exercise, candidate, seed, result) -> None:
    maximum = exercise.points.total
    cases = list(exercise.arguments(random.Random(seed)))
    wanted = [exercise.reference(*copy.deepcopy(arguments)) for arguments in cases]
    got = []
    for arguments in cases:
        try:
            with time_limit(10):
                got.append(candidate(*copy.deepcopy(arguments)))
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
    if isinstance(wanted, int):
        return float(got) == wanted
    return abs(got - wanted) <= tolerance * abs(wanted)


# --- predictions --------------------------------------------------------------------------------


def _examine_prediction(exercise, candidate, result) -> None:
    maximum = exercise.points.total
    names = list(exercise.units)
    try:
        with time_limit(10):
            committed = candidate()
    except CRASHES as error:
        failure = explain_crash(error, f"{exercise.name}()", None)
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
