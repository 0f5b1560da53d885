"""The two sliders of notebook 01: latency hiding, and what fits on a multiprocessor."""

from __future__ import annotations

from collections.abc import Callable

from helpers import plots
from helpers.simulate import latency

from .sliders import Sliders


def hide_latency() -> Sliders:
    """How many warps keep one execution unit busy, for pieces of work and waits of any length."""

    def draw(warps: int, work: int, wait: int) -> plots.Picture:
        # Three round trips of one warp: enough to see the pattern, and no idle end to explain.
        until = 3 * (work + wait)
        spans = latency.switching(latency.alike(warps, work, wait, rounds=12))
        busy = sum(min(s.end, until) - min(s.start, until) for s in spans if s.kind == "work")
        shown = [latency.Span(s.task, s.kind, s.start, min(s.end, until)) for s in spans
                 if s.start < until]
        return plots.timeline(
            latency.rows(shown, "warp "), "One scheduler: "
            f"{warps} warps, {work} cycles of work, {wait} of waiting", "time [cycles]",
            note=f"unit busy {100 * busy / until:.0f} % (simulated)")

    return Sliders(draw, warps=(1, 16, 4, 1), work=(1, 20, 5, 1), wait=(0, 100, 40, 5))


def fit_blocks(occupancy: Callable, sm: dict) -> Sliders:
    """The warp slots of one SM, filled by your `occupancy` with as many blocks as fit."""

    def draw(threads: int, registers: int, shared_KiB: int) -> plots.Picture:
        slots = sm["max_threads"] // sm["warp_size"]
        answer = occupancy(threads, registers, shared_KiB * 1024, sm)
        title = (f"{threads} threads a block, {registers} registers a thread, "
                 f"{shared_KiB} KiB shared memory a block")
        try:
            blocks, warps = answer
            per_block = warps // blocks if blocks else 0
        except (TypeError, ValueError):
            blocks = warps = per_block = 0
            title = "occupancy has no answer yet"
        kinds = [("next block" if i // per_block % 2 else "block")
                 if i < min(warps, slots) else "empty slot" for i in range(slots)]
        return plots.cells(
            kinds, slots // 4, title,
            paints={"block": plots.ACCENT, "next block": plots.TINTS[1],
                    "empty slot": plots.PALE},
            note=f"{blocks} blocks, {warps} of {slots} warps", size=(6.0, 2.2))

    return Sliders(draw, threads=[256, 32, 64, 128, 512, 1024], registers=(16, 255, 32, 1),
                   shared_KiB=(0, sm["shared_memory"] // 1024, 0, 4))
