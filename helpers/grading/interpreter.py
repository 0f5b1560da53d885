"""Triton's interpreter as an instrument: run any kernel on the CPU and watch its memory.

`@triton.jit` functions stay what they are.  While `watching()` is active, or for good after
`install()` on a machine without a GPU, launching one runs its *interpreted twin*: the same Python
function, executed by Triton's own interpreter with numpy.  Nothing depends on TRITON_INTERPRET or
on the order of imports, so a GPU box counts traffic in the process that also runs the GPU.

Every access to global memory passes one of four entry points of the interpreter (masked load,
masked store, read-modify-write, compare-and-swap; tensor descriptors and block pointers end there
too).  There a `Trace` checks the address, counts bytes and 32-byte sectors, and remembers who
wrote what.  An access outside every known tensor is recorded and not performed, so a wild pointer
cannot crash the process.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

SECTOR = 32  # bytes: the unit in which NVIDIA GPUs (compute capability >= 6.0) move global memory

_builder = triton_interpreter.interpreter_builder
_TENSOR = tl.core.tensor


# --- what is recorded ---------------------------------------------------------------------------

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

    kind     "load outside" | "store outside" | "two programs store" | "two lanes store" |
             "reads another program's store"
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
        "load outside": f"Program {program} of {where} loads {element}, outside the tensor.",
        "store outside": f"Program {program} of {where} stores to {element}, outside the tensor.",
        "two programs store": f"Program {program} of {where} overwrites {element} with another "
                              "value than an earlier program stored: the order decides.",
        "two lanes store": f"Program {program} of {where} stores two different values to "
                           f"{element} in one instruction.",
        "reads another program's store": f"Program {program} of {where} loads {element}, which "
                                         "another program of the same launch stores.",
    }[fault.kind]


@dataclass(frozen=True)
class Launch:
    """One kernel launch: what the compiler would have been asked for."""

    function: JITFunction
    arguments: dict
    grid: tuple[int, ...]


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
    scratch: bool = False   # allocated by the learner's own code


@dataclass
class Trace:
    """What the launches inside `watching()` did to global memory."""

    traffic: dict[str, Traffic] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    order: np.random.Generator | None = None    # shuffles the programs of each launch
    ghost: bool = False                         # launches do nothing: see honesty.py
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
        if not size or any(region.start == start for region in self._regions):
            return
        itemsize = tensor.element_size()
        flags = torch.zeros(size // itemsize, dtype=torch.bool)
        if scratch:
            flags.fill_(True)
        else:
            flags.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(True)
        self._regions.append(_Region(
            name, start, start + size, tensor.data_ptr(), itemsize, flags.numpy(),
            self.traffic.setdefault(name, Traffic()),
            np.full(size // itemsize, -1, dtype=np.int64), scratch,
        ))

    def _begin(self, function, arguments: dict, grid: tuple[int, ...]) -> None:
        self.launches.append(Launch(function, arguments, grid))
        for region in self._regions:
            region.writer.fill(-1)
        self._kernel = function.__name__
        self._file = inspect.getfile(function.fn)
        count = int(np.prod(grid))
        self._permutation = None if self.order is None else self.order.permutation(count)

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
        if itemsize != region.itemsize:     # a pointer that was cast: count, but do not map
            self._count(region, active, itemsize, store, atomic)
            return None
        index = ((active - np.uint64(region.start)) // np.uint64(itemsize)).astype(np.int64)
        first = (region.first - region.start) // itemsize
        keep = None
        allowed = region.allowed[index]
        if not allowed.all():
            self._fault("store outside" if store else "load outside", region,
                        int(index[~allowed][0]) - first, int(np.count_nonzero(~allowed)))
            # A stray store must not destroy a guard band that later cases rely on.
            keep = allowed if store else None
        writer = region.writer[index]
        other = (writer >= 0) & (writer != self._linear)
        if store and not atomic:
            self._check_store(region, active, index, values, other, first)
            region.writer[index] = self._linear
        elif not store and other.any():
            self._fault("reads another program's store", region, int(index[other][0]) - first)
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


# --- the hooks ----------------------------------------------------------------------------------

_trace: Trace | None = None     # the active trace, if any


def _poison(shape, dtype: np.dtype, triton_dtype) -> np.ndarray:
    """What a masked lane without `other` holds: on a GPU anything, so here the worst."""
    if triton_dtype == tl.bfloat16:
        return np.full(shape, 0x7FC0, dtype=dtype)
    if triton_dtype.is_fp8():
        return np.full(shape, 0x7F, dtype=dtype)
    if np.issubdtype(dtype, np.floating):
        return np.full(shape, np.nan, dtype=dtype)
    if dtype == np.bool_:
        return np.ones(shape, dtype=dtype)
    return np.full(shape, np.iinfo(dtype).max // 3, dtype=dtype)


def _masked_load(original, pointers, mask, other, *rest, **more):
    dtype = triton_interpreter._get_np_dtype(pointers.get_element_ty())
    if _trace is not None:
        lanes = _trace.access(pointers.data, _array(mask), _itemsize(pointers), store=False)
        shape = np.broadcast_shapes(pointers.data.shape, lanes.shape)
        if other is None:
            fill = _poison(shape, dtype, pointers.get_element_ty())
        else:
            fill = np.broadcast_to(_array(other), shape)
        other = triton_interpreter.TensorHandle(
            np.ascontiguousarray(fill, dtype=dtype), pointers.get_element_ty())
        mask = triton_interpreter.TensorHandle(np.broadcast_to(lanes, shape), tl.int1)
        pointers = triton_interpreter.TensorHandle(
            np.broadcast_to(pointers.data, shape), pointers.dtype)
    return original(pointers, mask, other, *rest, **more)


def _masked_store(original, pointers, value, mask, *rest, **more):
    if _trace is not None:
        lanes = _trace.access(pointers.data, _array(mask), _itemsize(pointers), store=True,
                              atomic=_atomic_depth > 0, values=np.asarray(value.data))
        mask = triton_interpreter.TensorHandle(lanes, tl.int1)
    return original(pointers, value, mask, *rest, **more)


def _atomic_rmw(original, operation, pointers, value, mask, *rest, **more):
    if _trace is not None:
        lanes = _trace.access(pointers.data, _array(mask), _itemsize(pointers),
                              store=True, atomic=True)
        mask = triton_interpreter.TensorHandle(lanes, tl.int1)
    return original(operation, pointers, value, mask, *rest, **more)


def _atomic_cas(original, pointers, compare, value, *rest, **more):
    if _trace is not None:
        lanes = _trace.access(pointers.data, np.ones(pointers.data.shape, dtype=bool),
                              _itemsize(pointers), store=True, atomic=True)
        if not lanes.all():
            raise IndexError("atomic_cas outside every tensor")
    return original(pointers, compare, value, *rest, **more)


_atomic_depth = 0


def _atomic_plain(original, *args, **more):
    """Triton 3.9's atomic load and store, which the interpreter builds from plain ones."""
    global _atomic_depth
    _atomic_depth += 1
    try:
        return original(*args, **more)
    finally:
        _atomic_depth -= 1


def _set_grid_idx(original, x, y, z):
    if _trace is not None:
        x, y, z = _trace.place(x, y, z, _builder.grid_dim)
    original(x, y, z)


def _array(handle) -> np.ndarray:
    # Descriptors of Triton 3.6 and 3.7 pass the mask as a bare array.
    return handle if isinstance(handle, np.ndarray) else handle.data


def _itemsize(pointers) -> int:
    return max(1, pointers.get_element_ty().primitive_bitwidth // 8)


_HOOKS = {
    "create_masked_load": _masked_load,
    "create_masked_store": _masked_store,
    "create_atomic_rmw": _atomic_rmw,
    "create_atomic_cas": _atomic_cas,
    "create_atomic_load": _atomic_plain,
    "create_atomic_store": _atomic_plain,
    "set_grid_idx": _set_grid_idx,
}


# --- interpreted twins --------------------------------------------------------------------------

_twins: dict[int, tuple[JITFunction, triton_interpreter.InterpretedFunction]] = {}
_running = 0        # launches being interpreted now (device functions see this)


def is_running() -> bool:
    """A launch is being interpreted right now."""
    return _running > 0


def _twin(function: JITFunction) -> triton_interpreter.InterpretedFunction:
    """The interpreted twin of a jitted function, rebuilt when its globals may have changed."""
    known = _twins.get(id(function))
    if known and known[0] is function:
        return known[1]
    plain = function.fn
    scope = dict(plain.__globals__)     # a copy: the interpreter adds its own names to it
    if plain.__closure__:
        scope.update(zip(plain.__code__.co_freevars,
                         (cell.cell_contents for cell in plain.__closure__), strict=True))
    copied = types.FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__,
                                plain.__closure__)
    copied.__annotations__ = dict(inspect.get_annotations(plain))
    copied.__kwdefaults__ = plain.__kwdefaults__
    copied.__module__, copied.__qualname__ = plain.__module__, plain.__qualname__
    twin = triton_interpreter.InterpretedFunction(copied)
    _twins[id(function)] = (function, twin)
    return twin


def _run(function, *args, grid, warmup, **kwargs):
    """In place of JITFunction.run: interpret the launch."""
    global _running
    if warmup:
        return None
    if isinstance(function, JITFunction):
        twin = _twin(function)
    else:
        twin = function
    if _trace is None:
        return _run_guarded(function, args, grid, kwargs)
    bound = _bind(twin.fn, args, kwargs)
    for name, tensor in _tensors(bound):
        _trace.register(name, tensor, scratch=True)
    grid = grid(bound) if callable(grid) else grid
    grid = tuple(int(size) for size in grid) + (1,) * (3 - len(tuple(grid)))
    jitted = function if isinstance(function, JITFunction) else JITFunction(function.fn)
    _trace._begin(jitted, bound, grid)
    if _trace.ghost:
        return None
    _running += 1
    scope = _patch_language()
    try:
        return _original_interpreted_run(twin, *args, grid=grid, warmup=False, **kwargs)
    finally:
        scope.restore()
        _running -= 1
        if not _running:
            for key, (known, _) in list(_twins.items()):
                if not known.fn.__module__.startswith("triton."):
                    del _twins[key]


def _run_guarded(function, args, grid, kwargs):
    """A launch that nobody watches: still refuse to leave the tensors it was given."""
    bound = _bind(function.fn, args, kwargs)
    with watching(**{name: tensor for name, tensor in _tensors(bound)
                     if tensor.device.type == "cpu"}) as trace:
        _run(function, *args, grid=grid, warmup=False, **kwargs)
    outside = [fault for fault in trace.faults if fault.kind.endswith("outside")]
    if outside:
        raise MemoryFault(describe(outside[0]) + " A GPU would not have told you.")


def _tensors(bound: dict) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in bound.items():
        base = getattr(value, "base", value)    # a TensorDescriptor has a base
        if isinstance(base, torch.Tensor):
            yield name, base


def _bind(function, args, kwargs) -> dict:
    names = inspect.signature(function).parameters
    return inspect.getcallargs(function, *args, **{k: v for k, v in kwargs.items() if k in names})


def _call(function, *args, **kwargs):
    """In place of JITFunction.__call__: a device function called by an interpreted kernel."""
    if not _running:
        return _original_call(function, *args, **kwargs)
    return _twin(function).rewrite()(*args, **kwargs)


def _run_first_config(tuner, *args, **kwargs):
    """In place of Autotuner.run: speed means nothing here, so the first configuration will do."""
    config = tuner.configs[0]
    chosen = {**kwargs, **config.all_kwargs()}
    if config.pre_hook is not None:
        config.pre_hook({**dict(zip(tuner.arg_names, args, strict=False)), **chosen})
    return tuner.fn.run(*args, **chosen)


def _patch_language():
    """Patch all of triton.language for the time of one launch.

    Triton patches what the kernel's own globals name; device functions of `tl.standard` would
    patch more, and not undo it, which would break the next real compilation.
    """
    holder = types.FunctionType((lambda: None).__code__, {"tl": tl, "core": tl.core})
    scope = _original_patch_lang(holder)
    # Triton 3.6 converts a one-element array to int, which numpy >= 2.4 refuses.
    scope.set_attr(_TENSOR, "__index__", lambda self: int(np.asarray(self.handle.data).item()))
    return scope


def _patch_nothing(_function):
    return triton_interpreter._LangPatchScope()


_original_call = JITFunction.__call__
_original_patch_lang = triton_interpreter._patch_lang
_original_interpreted_run = triton_interpreter.InterpretedFunction.run


@contextlib.contextmanager
def _installed() -> Iterator[None]:
    """Everything above, put in place and taken away again.  May be nested."""
    undo = []

    def patch(owner, name, value):
        undo.append((owner, name, owner.__dict__.get(name)))
        setattr(owner, name, value)

    for name, hook in _HOOKS.items():
        if hasattr(_builder, name):
            original = getattr(type(_builder), name).__get__(_builder)
            patch(_builder, name, types.MethodType(
                lambda _self, *args, _hook=hook, _original=original, **kwargs:
                    _hook(_original, *args, **kwargs), _builder))
    patch(JITFunction, "run", _run)
    patch(JITFunction, "__call__", _call)
    patch(triton_interpreter.InterpretedFunction, "run", _run)
    patch(Autotuner, "run", _run_first_config)
    patch(triton_interpreter, "_patch_lang", _patch_nothing)
    try:
        yield
    finally:
        for owner, name, value in reversed(undo):
            if value is None:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


_permanent = contextlib.ExitStack()
_is_permanent = False


def install() -> None:
    """Interpret every launch from now on: what `import helpers` does where there is no GPU."""
    global _is_permanent
    if not _is_permanent:
        _permanent.enter_context(_installed())
        _is_permanent = True


@contextlib.contextmanager
def watching(order_seed: int | None = None, ghost: bool = False,
             **tensors: torch.Tensor) -> Iterator[Trace]:
    """Interpret the launches of the block and record their traffic and faults.

    tensors     the CPU tensors that kernels are given, by the names used in reports; others that
                a launch brings along are registered under the kernel's own parameter names
    order_seed  run the programs of each launch in a random order drawn from this seed
    ghost       replace every launch by nothing
    """
    global _trace
    trace = Trace(order=None if order_seed is None else np.random.default_rng(order_seed),
                  ghost=ghost)
    for name, tensor in tensors.items():
        if tensor.device.type != "cpu":
            raise ValueError(f"{name} is on {tensor.device}: traffic is counted on CPU tensors.")
        trace.register(name, tensor)
    before = _trace
    with _installed() if not _is_permanent else contextlib.nullcontext():
        _trace = trace
        try:
            # numpy warns about the NaN that poisoned lanes carry: they are meant to be there.
            with np.errstate(all="ignore"):
                yield trace
        finally:
            _trace = before


def count_traffic(**tensors: torch.Tensor):
    """Count what kernels move: `with count_traffic(out=out, x=x) as traffic: f(out, x)`.

    Afterwards `traffic["x"].loaded_bytes`, `.stored_bytes`, `.loaded_sectors`, `.stored_sectors`
    and `len(traffic.launches)`.
    """
    return watching(**tensors)
