"""Times on a GPU: pairs of neighbours, medians, and what the clocks did meanwhile.

Single timings decide nothing: clocks drift by several per cent within a second.  A candidate is
therefore timed in pairs with a ceiling kernel that moves the same bytes, in the order AB BA AB BA,
and judged by the median of the ratios within the pairs.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from helpers import gpu

PAIRS = 40
GUARD = 0.03            # noise allowance: ask T, fail only what is surely below 0.97 T
TOO_FAST = 1.10         # times the ceiling: no kernel that does the work gets there
WARM_UP_SECONDS = 2.0


def median_ms(function: Callable, *arguments, repeats: int = 30) -> tuple[float, float, float]:
    """Median, lower and upper quartile of the GPU time of `function(*arguments)`, in milliseconds.

    Raises RuntimeError where there is no GPU: a CPU time would say nothing about a GPU.
    """
    if gpu.device() is None:
        raise RuntimeError(f"No GPU time without a GPU. {gpu.problem()}")
    flush = _flusher()
    for _ in range(5):
        function(*arguments)
    times = []
    for _ in range(repeats):
        flush()
        times.append(_event_ms(lambda: function(*arguments)))
    low, middle, high = np.percentile(times, [25, 50, 75])
    return float(middle), float(low), float(high)


@dataclass
class Race:
    """A candidate against a ceiling: samples in milliseconds, in pairs."""

    ceiling_ms: list[float] = field(default_factory=list)
    candidate_ms: list[float] = field(default_factory=list)
    clocks: list[gpu.Clocks] = field(default_factory=list)
    dropped: int = 0
    dims: dict = field(default_factory=dict)
    bytes: int = 0                  # that one call must move
    copy_ms: float = 0.0            # what a copy of these bytes takes
    wall_ms: float = 0.0            # what a call takes by the host's clock, cache warm
    events_ms: float = 0.0          # the same by the GPU's clock
    wrong: str | None = None        # what was found wrong with a timed result

    @property
    def ratios(self) -> list[float]:
        """Share of the ceiling's speed, pair by pair."""
        return [b / s for b, s in zip(self.ceiling_ms, self.candidate_ms, strict=True)]

    @property
    def share(self) -> float:
        """Median share of the ceiling's speed."""
        return statistics.median(self.ratios)

    def interval(self) -> tuple[float, float]:
        """99 % bootstrap interval of the median share."""
        ratios = np.array(self.ratios)
        random = np.random.default_rng(0)
        draws = random.choice(ratios, (1000, ratios.size)).astype(float)
        low, high = np.percentile(np.median(draws, axis=1), [0.5, 99.5])
        return float(low), float(high)


def race(candidate: Callable[[int], None], ceiling: Callable[[int], None],
         before: Callable[[int], None], after: Callable[[int], str | None],
         sets: int, pairs: int = PAIRS) -> Race:
    """Time `candidate(i)` against `ceiling(i)` on rotating input sets i = 0 .. sets - 1.

    before(i)   prepares set i, untimed: fresh values, poisoned output
    after(i)    checks what the candidate made of set i, untimed; a sentence when it is wrong
    """
    result = Race()
    _warm_up(candidate, ceiling, sets)
    gc.collect()
    gc.disable()
    try:
        for pair in range(pairs):
            i = pair % sets
            before(i)
            first = gpu.clocks()
            arms = (ceiling, candidate) if pair % 2 == 0 else (candidate, ceiling)
            # The neighbour set has just been written: both arms start with the same cold L2.
            times, flush = {}, _flusher()
            for arm in arms:
                flush()
                times[arm] = _event_ms(lambda arm=arm, i=i: arm(i))
            result.wrong = after(i)
            if result.wrong:
                return result
            second = gpu.clocks()
            if _disturbed(first, second):
                result.dropped += 1
                continue
            result.clocks.append(second)
            result.ceiling_ms.append(times[ceiling])
            result.candidate_ms.append(times[candidate])
    finally:
        gc.enable()
    return result


def batch_ms(function: Callable[[], None], calls: int = 10) -> float:
    """Milliseconds of one call by the GPU's clock, from calls that follow each other."""
    torch.cuda._sleep(calls * _HOLD_CYCLES)
    return _event_ms(lambda: [function() for _ in range(calls)]) / calls


def wall_ms(function: Callable[[], None], expected_ms: float) -> float:
    """Milliseconds of one call by the host's clock, from a batch of at least 100 ms.

    The GPU's own clock is asked through PyTorch, which a learner's process could have changed, and
    sees one stream; this one does neither.  The batch is queued while the GPU is held, so that the
    time Python takes to launch is not in it.
    """
    calls = max(3, round(100 / max(expected_ms, 1e-3)))
    calls = min(calls, 500)

    def batch(count: int) -> float:
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(1 + calls // 8):     # 0.12 ms a call: longer than a launch takes
            torch.cuda._sleep(2 * _HOLD_CYCLES)
        for _ in range(count):
            function()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    held = min(batch(0), batch(0))
    return (batch(calls) - held) / calls


def agree(wall: float, event: float) -> bool:
    """Do the two clocks tell the same time of a call, both in milliseconds?"""
    return abs(wall - event) <= max(0.10 * event, 0.015)


def _warm_up(candidate, ceiling, sets) -> None:
    """Run both arms until their times settle within 1 %, at least 25 calls, at most 2 s."""
    spent, last = 0.0, None
    for block in range(20):
        times = [_event_ms(lambda i=i: candidate(i % sets)) for i in range(10)]
        spent += sum(times) + sum(
            _event_ms(lambda i=i: ceiling(i % sets)) for i in range(10))
        now = statistics.median(times)
        settled = last is not None and abs(now / last - 1) < 0.01
        if block >= 2 and (settled or spent > WARM_UP_SECONDS * 1e3):
            return
        last = now


def _disturbed(first: gpu.Clocks, second: gpu.Clocks) -> bool:
    """The GPU slowed itself down, or its clock moved by more than 5 %, within the pair."""
    if first.throttled or second.throttled:
        return True
    if first.sm_mhz and second.sm_mhz:
        return abs(first.sm_mhz / second.sm_mhz - 1) > 0.05
    return False


def _event_ms(function: Callable[[], None]) -> float:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    function()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


_scratch: dict[int, torch.Tensor] = {}
_HOLD_CYCLES = 1_000_000    # about half a millisecond


def _flusher() -> Callable[[], None]:
    """Overwrites the L2 cache, then holds the GPU while the launch to be timed is queued.

    Without the hold the pair of events would also see how long Python takes to launch.
    """
    index = gpu.device().index
    if index not in _scratch:
        _scratch[index] = torch.empty(max(4 * gpu.l2_bytes(), 64 << 20), dtype=torch.uint8,
                                      device=gpu.device())

    def flush() -> None:
        _scratch[index].zero_()
        torch.cuda._sleep(_HOLD_CYCLES)

    return flush


def release() -> None:
    """Give the flush buffer back when a block of measurements ends: small GPUs need it."""
    _scratch.clear()
