"""Triton's interpreter as an instrument: run any kernel on the CPU and watch its memory.

`@triton.jit` functions stay what they are.  While `watching()` is active, or for good after
`install()` on a machine without a GPU, launching one runs its *interpreted twin*: the same Python
function, executed by Triton's own interpreter with numpy.  Nothing depends on TRITON_INTERPRET or
on the order of imports, so a GPU box counts traffic in the process that also runs the GPU.

Every access to global memory passes one of four entry points of the interpreter (masked load,
masked store, read-modify-write, compare-and-swap; tensor descriptors and block pointers end there
too).  There a `Trace` checks the address, counts bytes and 32-byte sectors, and remembers who
wrote what.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import math
import operator
import types
from collections.abc import Iterator

import numpy as np
import torch
import triton.language as tl
from triton.backends.nvidia.compiler import CUDAOptions
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from .trace import MemoryFault, Trace, describe

MOST_PROGRAMS = 1 << 22     # in one interpreted launch: more would take hours

_builder = triton_interpreter.interpreter_builder
_OPTIONS = {field.name for field in dataclasses.fields(CUDAOptions)} | {"device_print", "stream"}
_TENSOR = tl.core.tensor
_MATH = {name for name, one in vars(tl.math).items() if getattr(one, "__triton_builtin__", False)}


# --- the hooks ----------------------------------------------------------------------------------

_trace: Trace | None = None     # the active trace, if any


def _poison(shape, dtype: np.dtype, triton_dtype) -> np.ndarray:
    """What a masked lane without `other` holds: on a GPU anything, so here the worst."""
    if triton_dtype == tl.bfloat16:
        return np.full(shape, 0x7FC0, dtype=dtype)
    if triton_dtype.is_fp8():
        return np.full(shape, 0x7F, dtype=dtype)
    if np.issubdtype(dtype, np.floating):
        # NaN spoils a sum, but tl.max and tl.min pass over it.
        return np.resize(np.array([np.inf, np.nan, -np.inf], dtype=dtype), shape)
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
    """Bytes that one lane really moves: of a pointer 8, whatever it points to."""
    return np.dtype(triton_interpreter._get_np_dtype(pointers.get_element_ty())).itemsize


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
    scope.setdefault("range", _range)
    if plain.__closure__:
        scope.update(zip(plain.__code__.co_freevars,
                         (cell.cell_contents for cell in plain.__closure__), strict=True))
    # `from triton.language import load`: what the interpreter puts in its place is in the module.
    scope.update({name: _late(value) for name, value in scope.items()
                  if getattr(value, "__triton_builtin__", False)})
    copied = types.FunctionType(plain.__code__, scope, plain.__name__, plain.__defaults__,
                                plain.__closure__)
    copied.__annotations__ = dict(inspect.get_annotations(plain))
    copied.__kwdefaults__ = plain.__kwdefaults__
    copied.__module__, copied.__qualname__ = plain.__module__, plain.__qualname__
    twin = triton_interpreter.InterpretedFunction(copied)
    _twins[id(function)] = (function, twin)
    return twin


def _late(builtin):
    """A function of Triton's language, looked up in its module whenever it is called."""
    name = builtin.__name__
    home = next((m for m in (tl, tl.math, tl.core) if hasattr(m, name)), None)
    return builtin if home is None else (
        lambda *args, **kwargs: getattr(home, name)(*args, **kwargs))


def _run(function, *args, grid, warmup, **kwargs):
    """In place of JITFunction.run: interpret the launch."""
    global _running
    if warmup:
        return None
    if _running:
        raise TypeError(f"{function.__name__}: a kernel cannot launch a kernel")
    if isinstance(function, JITFunction):
        twin = _twin(function)
    else:
        twin = function
    if _trace is None:
        return _run_guarded(function, args, grid, kwargs)
    bound = _bind(twin.fn, args, kwargs)
    for name, tensor in _tensors(bound):
        _trace.register(name, tensor, scratch=True)
    grid = _checked_grid(grid(bound) if callable(grid) else grid)
    options = _checked_options(twin.fn, kwargs)
    jitted = function if isinstance(function, JITFunction) else JITFunction(function.fn)
    _trace.begin(jitted, bound, grid, options)
    if _trace.ghost:
        return None
    _running += 1
    scope = _patch_language()
    try:
        result = _original_interpreted_run(twin, *args, grid=grid, warmup=False, **kwargs)
        _trace.end()
        return result
    finally:
        scope.restore()
        _running -= 1
        if not _running:
            for key, (known, _) in list(_twins.items()):
                if not known.fn.__module__.startswith("triton."):
                    del _twins[key]


def _checked_grid(grid) -> tuple[int, int, int]:
    """The grid as three sizes.  Raises where a GPU would refuse it."""
    try:
        sizes = tuple(operator.index(size) for size in grid)
    except TypeError:
        raise TypeError(f"the grid must be a tuple of 1 to 3 whole numbers, not {grid!r}: "
                        "triton.cdiv(n, BLOCK) divides and rounds up") from None
    limits = (MOST_PROGRAMS, 65535, 65535)
    if not 1 <= len(sizes) <= 3 or any(
            not 0 <= size <= limit for size, limit in zip(sizes, limits, strict=False)) or (
            math.prod(sizes) > MOST_PROGRAMS):
        raise ValueError(f"the grid is {sizes}: each size must be 0 or more, and so many programs "
                         "are far more than this case needs")
    return sizes + (1,) * (3 - len(sizes))


def _checked_options(function, kwargs: dict) -> dict:
    """Launch options such as num_warps.  Raises for a keyword that is neither one of them nor a
    parameter of the kernel, and for a number of warps that no GPU takes."""
    parameters = inspect.signature(function).parameters
    options = {name: value for name, value in kwargs.items() if name not in parameters}
    unknown = set(options) - _OPTIONS
    if unknown:
        raise TypeError(f"{function.__name__} has no parameter {', '.join(sorted(unknown))}")
    warps = options.get("num_warps", 4)
    if warps not in (1, 2, 4, 8, 16, 32):
        raise ValueError(f"num_warps must be a power of two from 1 to 32, not {warps!r}")
    return options


def _run_guarded(function, args, grid, kwargs):
    """A launch that nobody watches: still refuse to leave the tensors it was given."""
    bound = _bind(function.fn, args, kwargs)
    with watching(**{name: tensor for name, tensor in _tensors(bound)
                     if tensor.device.type == "cpu"}) as trace:
        _run(function, *args, grid=grid, warmup=False, **kwargs)
    outside = [fault for fault in trace.faults if fault.kind in ("load outside", "store outside")]
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
    tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
    config = tuner.prune_configs(kwargs)[0]
    chosen = {**kwargs, **config.all_kwargs()}
    if config.pre_hook is not None:
        config.pre_hook({**tuner.nargs, **chosen})
    tuner.nargs = None
    return tuner.fn.run(*args, **chosen)


def _method(function):
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


class _LoopIndex(int):
    """A loop variable of an interpreted kernel: an int that can be cast like a Triton scalar."""

    def to(self, dtype, *_args, **_kwargs):
        """This number as a Triton scalar of type `dtype`."""
        return triton_interpreter.interpreter_semantic.to_tensor(int(self)).to(dtype)


def _range(start, stop=None, step=None, **_hints):
    """`range` and `tl.range` of interpreted kernels.  The hints are the compiler's."""
    if stop is None:
        start, stop = 0, start
    numbers = (int(getattr(n, "value", n)) if isinstance(n, tl.constexpr) else
               operator.index(n) for n in (start, stop, 1 if step is None else step))
    return map(_LoopIndex, range(*numbers))


def _convert_argument(argument):
    """A kernel argument as the interpreter wants it; Triton before 3.9 stumbles over bools."""
    if isinstance(argument, bool):
        handle = triton_interpreter.TensorHandle(np.array([argument]), tl.int1)
        return tl.tensor(handle, tl.int1)
    return _original_convert(argument)


def _patch_language():
    """Patch all of triton.language for the time of one launch.

    Triton patches what the kernel's own globals name; device functions of `tl.standard` would
    patch more, and not undo it, which would break the next real compilation.
    """
    holder = types.FunctionType((lambda: None).__code__, {"tl": tl, "core": tl.core})
    scope = _original_patch_lang(holder)
    # Triton 3.6 converts a one-element array to int, which numpy >= 2.4 refuses.
    scope.set_attr(_TENSOR, "__index__", lambda self: int(np.asarray(self.handle.data).item()))
    scope.set_attr(tl, "range", _range)
    for name, member in list(vars(_TENSOR).items()):
        # The method forms: x.max() is a jitted function, x.exp() a builtin of tl.math.
        if isinstance(member, JITFunction):
            scope.set_attr(_TENSOR, name, _method(member))
        elif name in _MATH:
            scope.set_attr(_TENSOR, name, _method(getattr(tl.math, name)))
    return scope


def _patch_nothing(_function):
    return triton_interpreter._LangPatchScope()


_original_call = JITFunction.__call__
_original_convert = triton_interpreter._implicit_cvt
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
    patch(triton_interpreter, "_implicit_cvt", _convert_argument)
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
                trace.check_outside()
        finally:
            _trace = before


def count_traffic(**tensors: torch.Tensor):
    """Count what kernels move: `with count_traffic(out=out, x=x) as traffic: f(out, x)`.

    Afterwards `traffic["x"].loaded_bytes`, `.stored_bytes`, `.loaded_sectors`, `.stored_sectors`
    and `len(traffic.launches)`.
    """
    return watching(**tensors)
