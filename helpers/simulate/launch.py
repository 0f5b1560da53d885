"""A launch: which lane owns which element, and when which block runs on which multiprocessor.

Plain Python and exact.  The hardware gives the next block to the first multiprocessor (SM) that
has a free slot; `schedule` does the same with the blocks' durations as its only knowledge.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

WARP = 32       # threads: the same on every NVIDIA GPU so far


@dataclass(frozen=True)
class Block:
    """One block of a launch, as it ran: on SM `sm`, in its slot `slot`, from start to end."""

    index: int
    sm: int
    slot: int
    start: float
    end: float


def blocks_for(n: int, block: int) -> int:
    """Blocks of `block` elements needed to cover n: rounded up, since the last may be ragged."""
    return -(-n // block)


def idle_lanes(n: int, block: int) -> int:
    """Lanes of the last block that own no element, so that a mask must hold them back."""
    return blocks_for(n, block) * block - n


def owner(element: int, block: int) -> tuple[int, int, int]:
    """(block, warp within the block, lane within the warp) of an element, one element a thread."""
    thread = element % block
    return element // block, thread // WARP, thread % WARP


def waves(blocks: int, sms: int, resident: int) -> int:
    """How often every slot of the GPU is filled until no block is left."""
    return math.ceil(blocks / (sms * resident))


def schedule(durations: Sequence[float], sms: int, resident: int = 1) -> list[Block]:
    """Run blocks of the given durations on `sms` SMs that hold `resident` blocks each.

    Blocks start in the order of their index, each in the slot that is free first.  Durations do
    not depend on the neighbours: shared bandwidth is not part of this model.
    """
    if sms < 1 or resident < 1:
        raise ValueError("A launch needs at least one SM and one resident block.")
    # Ties go to another SM before a second slot of the same one: blocks spread out first.
    free = [(0.0, slot, sm) for slot in range(resident) for sm in range(sms)]
    heapq.heapify(free)
    ran = []
    for index, duration in enumerate(durations):
        start, slot, sm = heapq.heappop(free)
        ran.append(Block(index, sm, slot, start, start + duration))
        heapq.heappush(free, (start + duration, slot, sm))
    return ran


def makespan(ran: Sequence[Block]) -> float:
    """When the last block ends."""
    return max((block.end for block in ran), default=0.0)


def efficiency(ran: Sequence[Block], sms: int, resident: int = 1) -> float:
    """Share of the slots' time in which a block was running."""
    if not ran:
        return 0.0
    return sum(block.end - block.start for block in ran) / (makespan(ran) * sms * resident)


def rows(ran: Sequence[Block], resident: int = 1) -> dict[str, list[tuple[float, float, str]]]:
    """The schedule as rows of `plots.timeline`, one for each slot, coloured by wave."""
    table: dict[str, list[tuple[float, float, str]]] = {}
    seen: dict[tuple[int, int], int] = {}
    for block in sorted(ran, key=lambda block: (block.sm, block.slot, block.start)):
        name = f"SM {block.sm}" + (f", slot {block.slot}" if resident > 1 else "")
        wave = seen[block.sm, block.slot] = seen.get((block.sm, block.slot), 0) + 1
        table.setdefault(name, []).append((block.start, block.end, f"wave {wave}"))
    return table
