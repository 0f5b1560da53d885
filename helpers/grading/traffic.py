"""Bytes moved against the bytes that had to move, tensor by tensor."""

from __future__ import annotations

from helpers.exercises.contract import KernelExercise, sizes

from .trace import SECTOR, Trace


def judge(exercise: KernelExercise, trace: Trace) -> tuple[bool, list[str]]:
    """Whether the counted traffic is within the budget, and the lines that say why.

    Two-sided: more than the budget is waste; fewer bytes than any correct kernel needs means that
    something was not counted, and is an error of honesty, not a record.
    """
    need = exercise.compulsory(**exercise.counted)
    lines, good = [], True
    for name, least in need.items():
        moved = trace.traffic[name]
        factor = exercise.traffic.get(name, exercise.traffic["*"])
        requested = moved.loaded_bytes + moved.stored_bytes
        if requested < least:
            lines.append(f"{name}: {requested} bytes counted, at least {least} must move. "
                         "Something reads or writes it outside your kernels.")
            good = False
        elif moved.sector_bytes > factor * least:
            times = moved.sector_bytes / least
            lines.append(f"{name}: moved {times:.2f} times, {factor:g} is allowed"
                         + _how(moved, least) + ".")
            good = False
    scratch = sum(t.sector_bytes for name, t in trace.traffic.items() if name not in need)
    total = sum(need.values())
    if scratch > 0.05 * total:
        lines.append(f"{scratch} bytes go through tensors of your own: intermediate results that "
                     "could stay in registers.")
        good = False
    everything = sum(t.sector_bytes for t in trace.traffic.values())
    launches = len(trace.launches)
    lines.insert(0, f"{sizes(exercise.counted)}: {everything / 1e3:.1f} kB moved in {launches} "
                    f"launch{'es' if launches != 1 else ''}, {total / 1e3:.1f} kB must "
                    f"({everything / total:.2f} times).")
    return good, lines


def _how(moved, least: int) -> str:
    parts = []
    requested = moved.loaded_bytes + moved.stored_bytes
    if moved.loaded_bytes:
        parts.append(f"loaded {moved.loaded_bytes / least:.2f} times")
    if moved.stored_bytes:
        parts.append(f"stored {moved.stored_bytes / least:.2f} times")
    if moved.sector_bytes > 1.2 * requested:
        parts.append(f"only {requested / moved.sector_bytes:.0%} of each {SECTOR}-byte sector used")
    return f" ({', '.join(parts)})" if parts else ""
