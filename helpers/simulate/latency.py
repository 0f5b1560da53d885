"""Latency and how a warp scheduler hides it: a discrete-event model with one issue slot a cycle.

A task alternates between work (it needs the execution unit) and waiting (for memory).  A core
that stays with its task is idle while it waits; a scheduler that holds many tasks runs another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Step = tuple[int, int]      # (cycles of work, cycles of waiting afterwards)


@dataclass(frozen=True)
class Span:
    """What one task did from `start` to `end`: kind is "work", "wait" or "ready"."""

    task: int
    kind: str
    start: int
    end: int


def switching(tasks: Sequence[Sequence[Step]]) -> list[Span]:
    """All tasks are resident; whenever the unit is free, the one that waited longest runs.

    A task keeps the unit for one piece of work.  Switching costs nothing: the registers of every
    resident warp stay where they are.
    """
    spans: list[Span] = []
    position = [0] * len(tasks)
    ready = [0] * len(tasks)        # since when the task could go on
    now = 0
    while True:
        open_tasks = [t for t, steps in enumerate(tasks) if position[t] < len(steps)]
        if not open_tasks:
            return spans
        task = min(open_tasks, key=lambda t: (ready[t], t))
        work, wait = tasks[task][position[task]]
        start = max(now, ready[task])
        _append(spans, task, "ready", ready[task], start)
        _append(spans, task, "work", start, start + work)
        _append(spans, task, "wait", start + work, start + work + wait)
        now, ready[task] = start + work, start + work + wait
        position[task] += 1


def staying(tasks: Sequence[Sequence[Step]]) -> list[Span]:
    """One task after another, each to its end: the unit is idle while its task waits."""
    spans: list[Span] = []
    now = 0
    for task, steps in enumerate(tasks):
        _append(spans, task, "ready", 0, now)
        for work, wait in steps:
            _append(spans, task, "work", now, now + work)
            _append(spans, task, "wait", now + work, now + work + wait)
            now += work + wait
    return spans


def alike(tasks: int, work: int, wait: int, rounds: int) -> list[list[Step]]:
    """`tasks` equal tasks, each `rounds` times work, then wait."""
    return [[(work, wait)] * rounds for _ in range(tasks)]


def end(spans: Sequence[Span]) -> int:
    """When the last task is done."""
    return max(span.end for span in spans)


def utilisation(spans: Sequence[Span]) -> float:
    """Share of the time in which the execution unit worked."""
    return sum(s.end - s.start for s in spans if s.kind == "work") / end(spans)


def finished_at(spans: Sequence[Span]) -> list[int]:
    """When each task was done, by task number."""
    last: dict[int, int] = {}
    for span in spans:
        last[span.task] = max(span.end, last.get(span.task, 0))
    return [last[task] for task in sorted(last)]


def bound(tasks: int, work: int, wait: int) -> float:
    """Utilisation in the long run: each task works `work` of every `work + wait` cycles."""
    return min(1.0, tasks * work / (work + wait))


def in_flight(bytes_per_second: float, latency_seconds: float) -> float:
    """Little's law: bytes that must be under way at any moment to keep a memory busy."""
    return bytes_per_second * latency_seconds


def rows(spans: Sequence[Span], name: str = "T") -> dict[str, list[tuple[int, int, str]]]:
    """The spans as rows of `plots.timeline`, one for each task."""
    table: dict[str, list[tuple[int, int, str]]] = {}
    for span in sorted(spans, key=lambda span: (span.task, span.start)):
        table.setdefault(f"{name}{span.task + 1}", []).append((span.start, span.end, span.kind))
    return table


def _append(spans: list[Span], task: int, kind: str, start: int, stop: int) -> None:
    if stop > start:
        spans.append(Span(task, kind, start, stop))
