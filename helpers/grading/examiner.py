"""The examiner: judges a function against an exercise on numerics, traffic and speed.

The order is from cheap and safe to dear: a ghost run, then small cases in the interpreter (a
missing mask is named there, before it can break the GPU's context), then the compiler, then the
GPU, then the clock.  Nothing here raises for a wrong answer.
"""

from __future__ import annotations

import platform
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import metadata

import torch

from helpers import gpu
from helpers.exercises.contract import Exercise, FunctionExercise, KernelExercise, Prediction

from . import mistakes, speed
from .attempt import Attempt, Outcome, run
from .compiler import compile_launches
from .draw import POISONS, parameters
from .failures import Failure, explain_signature
from .plain import examine_function, examine_prediction
from .quiet import quiet
from .remote import refuse_launches
from .report import FAILED, NOT_TRIED, PASSED, Criterion, Result
from .traffic import judge

REPEATS = 3         # calls on equal inputs on a GPU, whose results must be equal to the bit


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
            examine_function(exercise, candidate, seed, result)
        elif isinstance(exercise, Prediction):
            examine_prediction(exercise, candidate, result)
    return result


def refuse(exercise: Exercise, failure: Failure) -> Result:
    """The verdict where there is nothing to examine: `failure` says why."""
    if isinstance(exercise, Prediction):
        worth = {"prediction": exercise.points.total}
    else:
        worth = {name: points for name, points in asdict(exercise.points).items() if points}
    return Result(exercise.name, [
        Criterion(name, 0, points, NOT_TRIED if i else FAILED, [] if i else failure.lines)
        for i, (name, points) in enumerate(worth.items())], versions=_versions())


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
    failure = explain_signature(exercise.name, parameters(exercise), candidate)
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
    failure = compile_launches(launches) or refuse_launches(launches)
    if failure or gpu.device() is None:
        return failure
    atomics = any(outcome.trace.atomics for outcome in outcomes)
    right = []
    for i, attempt in enumerate(_gpu_attempts(exercise)):
        outcome = run(exercise, candidate, attempt, seed + 100 + i,
                      calls=1 if atomics else REPEATS)
        if outcome.failure:
            outcome.failure.name_right(right)
            outcome.failure.lines.append(
                "The interpreter finds it right, the GPU does not: look for what the interpreter "
                "cannot see (order of programs, precision of the dtype).")
            return outcome.failure
        right.append(attempt)
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
    outcome = _count(exercise, candidate, seed)
    maximum = exercise.points.traffic
    if outcome.failure:
        return Criterion("traffic", 0, maximum, FAILED, outcome.failure.lines), None
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
