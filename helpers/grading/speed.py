"""The speed criterion: share of what this GPU itself reaches, in the same run."""

from __future__ import annotations

import statistics
from collections.abc import Callable

import torch

from helpers import gpu
from helpers.exercises.contract import KernelExercise, sizes

from . import clock, mistakes
from .draw import POISONS, Draw, same_bits
from .failures import explain_crash
from .numerics import compare, expect
from .quiet import CRASHES
from .remote import Remote
from .report import FAILED, NOT_MEASURED, PARTIAL, PASSED, Criterion

SECONDS_AT_LEAST = 250e-6   # of one timed call: launch overhead must not be what is measured
SETS = 2            # of inputs, in turn
RUNS = 3
CEILINGS = {"copy": "a copy of the same bytes", "reference": "the reference kernel"}


def timed_bytes() -> int:
    """Bytes that one timed call should move on this GPU: four times its L2, 250 µs at least."""
    probe = max(4 * gpu.l2_bytes(), 64 << 20)
    source = torch.zeros(probe // 2, dtype=torch.uint8, device=gpu.device())
    target = torch.empty_like(source)
    milliseconds, _, _ = clock.median_ms(target.copy_, source, repeats=10)
    wanted = max(4 * gpu.l2_bytes(), int(SECONDS_AT_LEAST * probe / (milliseconds / 1e3)))
    free, _ = torch.cuda.mem_get_info()
    return min(wanted, free // 16)      # references in float64 take several times as much


def judge(exercise: KernelExercise, candidate: Callable, seed: int) -> Criterion:
    """Time the candidate on the GPU; "not measured" is a third outcome beside pass and fail."""
    maximum = exercise.points.speed
    if gpu.device() is None:
        return Criterion("speed", 0, maximum, NOT_MEASURED, [
            f"These points need a GPU. {gpu.problem()}"])
    try:
        best = None
        for attempt in range(RUNS):
            result = race(exercise, candidate, seed + 1000 * attempt)
            if result.wrong:
                return Criterion("speed", 0, maximum, FAILED, [result.wrong])
            if len(result.ratios) < clock.PAIRS * 0.7:
                continue        # the GPU was disturbed: try again
            if best is None or result.share > best.share:
                best = result
            if not _close(exercise, best):
                break
        return _verdict(exercise, best)
    except torch.cuda.OutOfMemoryError:
        return Criterion("speed", 0, maximum, NOT_MEASURED, [
            "The GPU's memory is full: close other notebooks, then check again."])
    except CRASHES as error:
        return Criterion("speed", 0, maximum, FAILED,
                         explain_crash(error, "at the timed size", None).lines)
    finally:
        clock.release()
        torch.cuda.empty_cache()


def race(exercise: KernelExercise, candidate: Callable, seed: int, pairs: int = clock.PAIRS,
         verify: bool = True, bytes: int | None = None) -> clock.Race:
    """The candidate against its ceiling: every timed call is checked.

    What is right is worked out only after each call, and the reference kernel runs on the other
    set: nowhere in the GPU's memory is there an answer to be found before it is computed.
    verify=False leaves the checks and the fresh values out: for statistics about the clock.
    """
    dims = exercise.timed(bytes or timed_bytes())
    device = str(gpu.device())
    sets, drawn = [], [0] * SETS

    def fresh(draw: Draw) -> dict:
        """New tensors; the numbers beside them stay, so that one plan fits every call."""
        inputs = exercise.inputs(draw, **dims)
        return {name: value if isinstance(value, torch.Tensor) else numbers.get(name, value)
                for name, value in inputs.items()}

    numbers: dict = {}
    numbers = {name: value for name, value in fresh(_draw(exercise, 0, device)).items()
               if not isinstance(value, torch.Tensor)}
    for i in range(SETS):
        draw = _draw(exercise, seed + i, device)
        inputs = fresh(draw)
        like = exercise.reference(**inputs)
        like = like if isinstance(like, tuple) else (like,)
        outputs = [draw.output(one, POISONS[0]) for one in like]
        draw.guards.clear()
        sets.append((outputs, inputs))
    moved = _bytes(exercise, dims)
    source = torch.empty(moved // 2, dtype=torch.uint8, device=device).random_()
    target = torch.empty_like(source)
    reference = mistakes.reference(exercise)
    count = 0

    def before(i: int) -> None:
        nonlocal count
        count += 1
        if not verify:
            return
        outputs, inputs = sets[i]
        drawn[i] = seed + 10 * count
        values = fresh(_draw(exercise, drawn[i], device))
        for name, value in inputs.items():
            if isinstance(value, torch.Tensor):
                value.copy_(values[name])       # same storage, new values: a memo would be stale
        for output in outputs:
            output.fill_(POISONS[count % 2])

    def run(i: int) -> None:
        outputs, inputs = sets[i]
        candidate(*outputs, *inputs.values())

    def ceiling(i: int) -> None:
        if exercise.ceiling == "copy":
            target.copy_(source)
        else:
            reference(*spare, *sets[1 - i][1].values())

    def after(i: int) -> str | None:
        if not verify:
            return None
        outputs, inputs = sets[i]
        values = fresh(_draw(exercise, drawn[i], device))
        for name, value in inputs.items():
            if isinstance(value, torch.Tensor) and not same_bits(value, values[name]):
                return f"{sizes(dims)}: {name} has changed. An input must only be read."
        expected = expect(exercise.reference, values, exercise.timed_dtype, seed, exercise.exact,
                          perturbations=1)
        for name, output, truth in zip(exercise.outputs, outputs, expected, strict=True):
            if compare(name, output, truth):
                return f"{sizes(dims)}: {name} is wrong in a timed call, right in the others."
        return None

    run(0)      # compiles
    if isinstance(candidate, Remote):
        candidate.leave()       # from here on the learner's own process is gone
    spare = [torch.empty_like(output) for output in sets[0][0]]     # never the candidate's
    result = clock.race(run, ceiling, before, after, SETS, pairs)
    result.dims, result.bytes = dims, moved
    result.copy_ms, _, _ = clock.median_ms(target.copy_, source, repeats=10)
    if verify and not result.wrong:
        result.events_ms = clock.batch_ms(lambda: run(0))
        result.wall_ms = clock.wall_ms(lambda: run(0), result.events_ms)
    return result


def _draw(exercise, seed: int, device: str) -> Draw:
    return Draw(seed, exercise.timed_dtype, device, on_device=True)


def _bytes(exercise, dims) -> int:
    """Compulsory bytes of the timed case: `compulsory` counts float32, so rescale to its dtype."""
    return sum(exercise.compulsory(**dims).values()) * exercise.timed_dtype.itemsize // 4


def reached(exercise: KernelExercise, result: clock.Race) -> float:
    """Points of the highest tier that the result may have reached, noise allowed for."""
    _, high = result.interval()
    return max((points for share, points in exercise.tiers
                if high >= share * (1 - clock.GUARD)), default=0.0)


def _close(exercise, result) -> bool:
    """Full points missed by so little that noise could be the reason: worth another run."""
    full = exercise.tiers[-1][0]
    if _too_fast(result) or not clock.agree(result.wall_ms, result.events_ms):
        return True
    return reached(exercise, result) < exercise.points.speed and result.share > 0.85 * full


def _too_fast(result) -> bool:
    """Faster than the GPU can copy the bytes that must move: no kernel that moves them is."""
    return statistics.median(result.candidate_ms) * clock.TOO_FAST < result.copy_ms


def _verdict(exercise, result) -> Criterion:
    maximum = exercise.points.speed
    if result is None:
        return Criterion("speed", 0, maximum, NOT_MEASURED, [
            "The GPU's clock kept changing (too hot, or in use by others): check again later."])
    low, high = result.interval()
    seconds = statistics.median(result.candidate_ms) / 1e3
    lines = [
        f"{sizes(result.dims)} {str(exercise.timed_dtype).removeprefix('torch.')} on "
        f"{gpu.name()}: must move {result.bytes / 1e9:.2f} GB, took {seconds * 1e3:.3f} ms, "
        f"{result.bytes / seconds / 1e12:.2f} TB/s.",
        f"You reach {result.share:.0%} of the speed of {CEILINGS[exercise.ceiling]} "
        f"(99 % interval {low:.0%} to {high:.0%}); {exercise.tiers[-1][0]:.0%} gives full points.",
    ]
    if _too_fast(result):
        lines.append("Faster than this GPU can copy: the time cannot be right, so it is not "
                     "counted. If your code is honest, tell your instructor.")
        return Criterion("speed", 0, maximum, NOT_MEASURED, lines)
    if not clock.agree(result.wall_ms, result.events_ms):
        lines.append(f"Two clocks disagree about a call: {result.events_ms:.3f} ms by the GPU's, "
                     f"{result.wall_ms:.3f} ms by the host's, so it is not counted. Work on "
                     "another stream or thread is not seen by the first; check again otherwise.")
        return Criterion("speed", 0, maximum, NOT_MEASURED, lines)
    if result.clocks and result.clocks[-1].sm_mhz:
        speeds = [c.sm_mhz for c in result.clocks if c.sm_mhz]
        lines.append(f"SM clock {min(speeds)} to {max(speeds)} MHz, {result.dropped} of "
                     f"{result.dropped + len(result.ratios)} pairs set aside.")
    points = reached(exercise, result)
    status = PASSED if points == maximum else PARTIAL if points else FAILED
    if points < maximum:
        times = seconds * 1e3 / result.copy_ms
        lines.append(f"In that time the GPU could have moved these bytes {times:.1f} times.")
    return Criterion("speed", points, maximum, status, lines)
