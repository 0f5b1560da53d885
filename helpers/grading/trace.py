"""What the launches of a block did to global memory: bytes, sectors, faults, launches.

The interpreter's hooks (interpreter.py) report every access here.  An access outside every known
tensor is recorded and not performed, so a wild pointer cannot crash the process.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass, field

import numpy as np
import torch
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.jit import JITFunction

SECTOR = 32  # bytes: the unit in which NVIDIA GPUs (compute capability >= 6.0) move global memory


@dataclass
class Traffic:
    """Global-memory traffic of one tensor, as requested by the programs of the launches.

    Bytes count each element once per program and instruction; sectors are the distinct 32-byte
    sectors that one instruction of one program touches.
    """

    loaded_bytes: int = 0
    stored_bytes: int = 0
    loaded_sectors: int = 0
    stored_sectors: int = 0

    @property
    def sector_bytes(self) -> int:
        """Bytes moved in whole sectors, loads and stores together."""
        return SECTOR * (self.loaded_sectors + self.stored_sectors)


@dataclass(frozen=True)
class Fault:
    """An access that no correct kernel makes.

    kind     "load outside" | "store outside" | "load between" | "store between" (two rows that
             lie apart) | "two programs store" | "two lanes store" |
             "reads another program's store" | "changed outside" (of every launch) |
             "changed behind" (in a launch, but by no store) | "reads unwritten" (memory of the
             learner's own that no kernel has filled)
    tensor   name of the tensor concerned, or None for an address far from all of them
    index    offset in elements from the tensor's first element
    lanes    how many lanes of that instruction were at fault
    """

    kind: str
    tensor: str | None
    index: int
    program: tuple[int, int, int]
    kernel: str
    line: int | None
    lanes: int = 1


class MemoryFault(IndexError):
    """A kernel left the tensors that it was given."""


def describe(fault: Fault) -> str:
    """A fault in one sentence, in the learner's terms."""
    where = f"{fault.kernel}, line {fault.line}" if fault.line else fault.kernel
    program = fault.program[0] if fault.program[1:] == (0, 0) else fault.program
    if fault.tensor is None:
        verb = "stores to" if fault.kind.startswith("store") else "loads from"
        return f"Program {program} of {where} {verb} an address far outside every tensor."
    element = f"{fault.tensor}[{fault.index}]"
    return {
        "load between": f"Program {program} of {where} loads {element}, between two rows.",
        "store between": f"Program {program} of {where} stores to {element}, between two rows.",
        "load outside": f"Program {program} of {where} loads {element}, outside the tensor.",
        "store outside": f"Program {program} of {where} stores to {element}, outside the tensor.",
        "two programs store": f"Program {program} of {where} overwrites {element} with another "
                              "value than an earlier program stored: the order decides.",
        "two lanes store": f"Program {program} of {where} stores two different values to "
                           f"{element} in one instruction.",
        "changed outside": f"{element} was changed by something else than your kernels.",
        "changed behind": f"{element} changed while {fault.kernel} ran, but no tl.store did it.",
        "reads unwritten": f"Program {program} of {where} loads {element}, which no kernel of "
                           "yours has stored.",
        "reads another program's store": f"Program {program} of {where} loads {element}, which "
                                         "another program of the same launch stores.",
    }[fault.kind]


@dataclass(frozen=True)
class Launch:
    """One kernel launch: what the compiler would have been asked for."""

    function: JITFunction
    arguments: dict
    grid: tuple[int, ...]
    options: dict = field(default_factory=dict)     # num_warps and the like


@dataclass
class _Region:
    """One storage that kernels may touch, and which of its elements belong to the tensor."""

    name: str
    start: int              # address of the storage, bytes
    end: int
    first: int              # address of the tensor's first element
    itemsize: int
    allowed: np.ndarray     # bool per element of the storage
    traffic: Traffic
    writer: np.ndarray      # linear program index of the last plain store in this launch, or -1
    memory: np.ndarray      # the storage's bytes, as they are now
    scratch: bool = False   # allocated by the learner's own code

    def __post_init__(self):
        self.held = self.memory.copy()                      # bytes at the end of the last launch
        self.stored = np.zeros(self.allowed.shape, bool)    # elements stored in this launch
        self.ever = self.stored.copy()                      # elements ever stored by a kernel
        self.constant = self.is_constant()

    def is_constant(self) -> bool:
        """All elements of the tensor are equal, as after zero_() or fill_()."""
        elements = self.memory[:self.allowed.size * self.itemsize].reshape(-1, self.itemsize)
        elements = elements[self.allowed]
        return bool((elements == elements[:1]).all())

    def changed(self) -> np.ndarray:
        """Elements whose bytes differ from those at the end of the last launch."""
        size = self.allowed.size * self.itemsize
        return (self.memory[:size] != self.held[:size]).reshape(-1, self.itemsize).any(1)


@dataclass
class Trace:
    """What the launches inside `watching()` did to global memory."""

    traffic: dict[str, Traffic] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    order: np.random.Generator | None = None    # shuffles the programs of each launch
    ghost: bool = False                         # launches do nothing: see honesty.py
    atomics: bool = False       # was there an atomic access?
    max_faults: int = 16

    _regions: list[_Region] = field(default_factory=list)
    _program: tuple[int, int, int] = (0, 0, 0)
    _linear: int = 0
    _permutation: np.ndarray | None = None
    _kernel: str = ""
    _file: str = ""

    def __getitem__(self, name: str) -> Traffic:
        return self.traffic[name]

    # -- regions --

    def register(self, name: str, tensor: torch.Tensor, scratch: bool = False) -> None:
        """Let kernels touch `tensor` (on the CPU); elements outside its view count as faults."""
        storage = tensor.untyped_storage()
        start, size = storage.data_ptr(), storage.nbytes()
        known = next((region for region in self._regions if region.start == start), None)
        if not size or (known and (known.end == start + size or not known.scratch)):
            return
        if known:       # memory of the learner's that was freed and is used again
            self._regions.remove(known)
        itemsize = tensor.element_size()
        memory = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
        flags = torch.zeros(size // itemsize, dtype=torch.bool)
        if scratch:
            flags.fill_(True)
        else:
            flags.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(True)
        self._regions.append(_Region(
            name, start, start + size, tensor.data_ptr(), itemsize, flags.numpy(),
            self.traffic.setdefault(name, Traffic()),
            np.full(size // itemsize, -1, dtype=np.int64), memory, scratch,
        ))

    def begin(self, function, arguments: dict, grid: tuple[int, ...], options: dict) -> None:
        """A launch starts: forget who stored what, and draw the order of its programs."""
        self.launches.append(Launch(function, arguments, grid, options))
        self.check_outside()
        for region in self._regions:
            region.writer.fill(-1)
            region.stored.fill(False)
        self._kernel = function.__name__
        self._file = inspect.getfile(function.fn)
        count = int(np.prod(grid))
        self._permutation = None if self.order is None else self.order.permutation(count)

    def end(self) -> None:
        """A launch is over: whatever changed must have been stored by it."""
        for region in self._regions:
            behind = region.changed() & ~region.stored
            if behind.any():
                self._fault("changed behind", region, self._first(region, behind))
            region.ever |= region.stored
            region.held = region.memory.copy()

    def check_outside(self) -> None:
        """Between launches nothing may change but by a constant fill: that would be work done by
        something else than kernels, whatever tool it used."""
        for region in self._regions:
            changed = region.changed()
            if not changed.any():
                continue
            region.constant = region.is_constant()
            if region.scratch:
                region.ever.fill(False)     # freed and used again, perhaps: reading it will tell
            elif not region.constant:
                self._fault("changed outside", region, self._first(region, changed))
            region.held = region.memory.copy()

    @staticmethod
    def _first(region, elements: np.ndarray) -> int:
        return int(np.argmax(elements)) - (region.first - region.start) // region.itemsize

    def place(self, x: int, y: int, z: int, grid) -> tuple[int, int, int]:
        """The program to run now: the interpreter's next one, or the shuffled one in its place."""
        linear = (x * grid[1] + y) * grid[2] + z
        if self._permutation is not None and linear < len(self._permutation):
            linear = int(self._permutation[linear])
            x, rest = divmod(linear, grid[1] * grid[2])
            y, z = divmod(rest, grid[2])
        self._program, self._linear = (x, y, z), linear
        return x, y, z

    def _fault(self, kind: str, region: _Region | None, index: int, lanes: int = 1) -> None:
        name = region.name if region else None
        if len(self.faults) < self.max_faults and not any(
                f.kind == kind and f.tensor == name and f.kernel == self._kernel
                for f in self.faults):
            self.faults.append(
                Fault(kind, name, index, self._program, self._kernel, self._current_line(), lanes))

    def _current_line(self) -> int | None:
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back
        return None

    # -- the four entry points --

    def access(self, pointers, mask, itemsize: int, store: bool, atomic: bool = False,
               values: np.ndarray | None = None) -> np.ndarray:
        """Check and count one access; returns the mask of the lanes that may be performed."""
        self.atomics |= atomic
        addresses, mask = np.broadcast_arrays(np.asarray(pointers, dtype=np.uint64),
                                              np.asarray(mask, dtype=bool))
        safe = np.array(mask)
        active = addresses[mask]
        if not active.size:
            return safe
        low, high = int(active.min()), int(active.max())
        for region in self._regions:
            if region.start <= low and high + itemsize <= region.end:
                flat = None if values is None else np.broadcast_to(values, mask.shape)[mask]
                good = self._in_region(region, active, itemsize, store, atomic, flat)
                if good is not None:
                    safe[mask] = good
                return safe
        # Lanes of one instruction lie in several storages, or in none of ours.
        owned = np.zeros(active.shape, dtype=bool)
        for region in self._regions:
            inside = (active >= region.start) & (active + np.uint64(itemsize) <= region.end)
            if inside.any():
                flat = None if values is None else np.broadcast_to(
                    values, mask.shape)[mask][inside]
                self._in_region(region, active[inside], itemsize, store, atomic, flat)
                owned |= inside
        stray = int(active[~owned][0]) if not owned.all() else None
        if stray is not None:
            nearest = min(self._regions, default=None, key=lambda r: min(
                abs(stray - r.start), abs(stray - r.end)))
            if nearest and min(abs(stray - nearest.start), abs(stray - nearest.end)) > 1 << 20:
                nearest = None
            index = (stray - nearest.first) // nearest.itemsize if nearest else 0
            self._fault("store outside" if store else "load outside", nearest, index)
        safe[mask] = owned
        return safe

    def _in_region(self, region, active, itemsize, store, atomic, values):
        """Count the access; returns lanes to keep when some must not be performed, else None."""
        unit = np.uint64(region.itemsize)
        index = ((active - np.uint64(region.start)) // unit).astype(np.int64)
        first = (region.first - region.start) // region.itemsize
        keep = None
        allowed = region.allowed[index]
        if itemsize > region.itemsize:      # a pointer that was cast: it covers several elements
            last = ((active + np.uint64(itemsize - 1 - region.start)) // unit).astype(np.int64)
            allowed = allowed & region.allowed[last]
            region.stored[last] |= store
        if not allowed.all():
            stray = index[~allowed]
            inside = region.allowed[:stray[0]].any() and region.allowed[stray[0]:].any()
            self._fault(f"{'store' if store else 'load'} {'between' if inside else 'outside'}",
                        region, int(stray[0]) - first, stray.size)
            # A stray store must not destroy a guard band that later cases rely on.
            keep = allowed if store else None
        writer = region.writer[index]
        other = (writer >= 0) & (writer != self._linear)
        if store:
            region.stored[index] = True
        if store and not atomic:
            self._check_store(region, active, index, values, other, first)
            region.writer[index] = self._linear
        elif not store and other.any():
            self._fault("reads another program's store", region, int(index[other][0]) - first)
        elif not store and region.scratch and not region.constant:
            unwritten = ~(region.ever | region.stored)[index]
            if unwritten.any():
                self._fault("reads unwritten", region, int(index[unwritten][0]) - first)
        self._count(region, active, itemsize, store, atomic)
        return keep

    def _check_store(self, region, active, index, values, other, first) -> None:
        # Two equal values are harmless on a GPU too; only differing ones depend on the order.
        if values is None:
            return
        if other.any():
            held = _memory(active[other], values.dtype)
            if held.tobytes() != values[other].tobytes():
                self._fault("two programs store", region, int(index[other][0]) - first)
        unique, where = np.unique(index, return_index=True)
        if unique.size < index.size:
            same = values[where][np.searchsorted(unique, index)]
            clash = np.ascontiguousarray(same).view(np.uint8) != np.ascontiguousarray(
                values).view(np.uint8)
            if clash.any():
                lane = int(np.argmax(clash)) // values.dtype.itemsize
                self._fault("two lanes store", region, int(index[lane]) - first)

    def _count(self, region, active, itemsize, store, atomic) -> None:
        unique = np.unique(active)
        sectors = int(np.unique(unique // np.uint64(SECTOR)).size)
        size = int(unique.size) * itemsize
        if store or atomic:
            region.traffic.stored_bytes += size
            region.traffic.stored_sectors += sectors
        if not store or atomic:
            region.traffic.loaded_bytes += size
            region.traffic.loaded_sectors += sectors


def _memory(addresses: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """What memory holds now at these (checked) addresses."""
    everywhere = np.ones(addresses.shape, dtype=bool)
    return triton_interpreter._interpreter.load(
        np.ascontiguousarray(addresses), everywhere, np.zeros(addresses.shape, dtype), dtype)
