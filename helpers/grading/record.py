"""What a call of a learner's function launches, written down as data: a *plan*.

The function is called on decoys of the right shapes.  Its kernels' text, grids and arguments, the
scratch it allocates and the constants it fills in are all that leaves; what else it computes stays
behind.  `replay.py` plays a plan on other data, so a function that works without its kernels, or
that remembers an answer, has nothing to show.

A plan is plain data (JSON):

    kernels   [{"name", "source", "line", "constexpr", "names": {name: value}, "options": {}}]
    steps     [{"new": 0, "bytes": 4096},                           scratch that was allocated
               {"fill": memory, "value": 0.0},                      zero_() and the like
               {"launch": 0, "grid": [4, 1, 1], "arguments": {name: value}, "options": {}}]

    value     a number, text or None as it is; {"memory": "x" or scratch number, "offset": bytes,
              "dtype", "shape", "stride"}; {"descriptor": memory, "shape", "strides", "block",
              "padding"}; {"kernel": number}; {"language": "float16"}; {"tuple": [values]}
"""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

import torch
import triton.language as tl
from triton.runtime.autotuner import Autotuner
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from .dialect import ConstexprFunction, Refused, free_names, is_constant, parse, without_hints

_JIT_OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline", "debug")
_ZEROS = {"zeros", "zeros_like", "new_zeros", "zero_"}
_ONES = {"ones", "ones_like", "new_ones"}
_FULL = {"full": 1, "full_like": 1, "new_full": 2, "fill_": 1}   # which argument is the value


class Recorder:
    """Writes the plan of one call while it runs.  `arguments` are the function's, by name."""

    def __init__(self, arguments: Mapping[str, Any]):
        self.kernels: list[dict] = []
        self.steps: list[dict] = []
        self.captured: list[dict] = []      # launches into a CUDA graph, which is played later
        self.paused = False
        self._numbers: dict[int, int] = {}          # id of a kernel -> its number
        self._memory: dict[int, tuple[str | int, int]] = {}     # storage -> name, first address
        self._alive: list = []              # addresses must not be used again during the call
        for name, value in arguments.items():
            if isinstance(value, torch.Tensor):
                self._memory[value.untyped_storage().data_ptr()] = (name, value.data_ptr())
                self._alive.append(value)

    @property
    def plan(self) -> dict:
        """The plan as plain data."""
        return {"kernels": self.kernels, "steps": self.captured or self.steps}

    def saw(self, name: str, arguments: tuple, result) -> None:
        """A PyTorch operation ran: keep it if it fills memory with a constant."""
        if self.paused or not isinstance(result, torch.Tensor):
            return
        if name in _ZEROS | _ONES:
            value = 0 if name in _ZEROS else 1
        elif name in _FULL and len(arguments) > _FULL[name]:
            value = arguments[_FULL[name]]
        else:
            return
        if isinstance(value, torch.Tensor):
            return
        self.steps.append({"fill": self._tensor(result), "value": value})

    def launched(self, function: JITFunction, args, grid, kwargs: dict) -> None:
        """A kernel is launched: `function[grid](*args, **kwargs)`."""
        names = inspect.signature(function.fn).parameters
        bound = inspect.getcallargs(
            function.fn, *args, **{k: v for k, v in kwargs.items() if k in names})
        grid = grid(bound) if callable(grid) else grid
        step = {
            "launch": self.kernel(function), "grid": [int(size) for size in grid],
            "arguments": {name: self._value(value, name) for name, value in bound.items()},
            "options": {k: v for k, v in kwargs.items()
                        if k not in names and k not in ("debug", "instrumentation_mode")},
        }
        capturing = torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()
        (self.captured if capturing else self.steps).append(step)

    def _tensor(self, tensor: torch.Tensor) -> dict:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self._memory:
            number = sum(isinstance(name, int) for name, _ in self._memory.values())
            self._memory[storage.data_ptr()] = (number, storage.data_ptr())
            self._alive.append(tensor)
            self.steps.append({"new": number, "bytes": storage.nbytes()})
        name, first = self._memory[storage.data_ptr()]
        return {"memory": name, "offset": tensor.data_ptr() - first,
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "shape": list(tensor.shape), "stride": list(tensor.stride())}

    def kernel(self, function: JITFunction) -> int:
        """The number of a kernel in the plan; its text and what it takes from around it go in."""
        if id(function) in self._numbers:
            return self._numbers[id(function)]
        number = self._numbers[id(function)] = len(self.kernels)
        self._alive.append(function)
        if isinstance(function, InterpretedFunction):       # what TRITON_INTERPRET=1 makes of it
            function = JITFunction(function.fn)
        entry = {"name": function.__name__, "source": without_hints(function.src), "names": {},
                 "constexpr": isinstance(function, ConstexprFunction), "options": {
                     name: getattr(function, name) for name in _JIT_OPTIONS
                     if getattr(function, name, None)}}
        first = function.raw_src.index(next(
            line for line in function.raw_src if line.lstrip().startswith("def ")))
        entry["line"] = function.starting_line_number + first
        self.kernels.append(entry)
        around = function.get_capture_scope()
        for name in sorted(free_names(parse(function.src))):
            if name in around:
                entry["names"][name] = self._value(around[name], f"{function.__name__}: {name}")
        return number

    def _value(self, value, name: str):
        if isinstance(value, tl.constexpr):
            value = value.value
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
            value = value.item()        # a number of numpy
        if is_constant(value):
            return {"tuple": list(value)} if isinstance(value, tuple) else value
        if isinstance(value, (tuple, list)):
            return {"tuple": [self._value(one, name) for one in value]}
        if type(value).__name__ == "TensorDescriptor":
            return {"descriptor": self._tensor(value.base), "shape": [int(n) for n in value.shape],
                    "strides": [int(n) for n in value.strides],
                    "block": [int(n) for n in value.block_shape],
                    "padding": getattr(value, "padding", "zero")}
        path = _path_in_language(value)
        if path is not None:
            return {"language": path}
        if isinstance(value, (JITFunction, ConstexprFunction, InterpretedFunction)):
            return {"kernel": self.kernel(value)}
        raise Refused(f"{name} is a Python {type(value).__name__}: a graded kernel takes tensors, "
                      "numbers, text and other kernels")


def _path_in_language(value) -> str | None:
    """Where in Triton a value is found, as in "triton.language.math"; None for anything else."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
        return name if name == "triton" or name.startswith("triton.language") else None
    if isinstance(value, tl.dtype):
        return f"triton.language.{value.name}" if hasattr(tl, value.name) else _dtype_path(value)
    home, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
    return f"{home}.{name}" if name and f"{home}.".startswith("triton.") else None


def _dtype_path(value: tl.dtype) -> str | None:
    return next((f"triton.language.{name}" for name, one in vars(tl).items()
                 if isinstance(one, tl.dtype) and one == value), None)


@contextlib.contextmanager
def recording(recorder: Recorder, perform: bool = True) -> Iterator[None]:
    """Every launch of the block is written down; it is performed, too, if `perform` is set."""
    run, interpreted, bench = JITFunction.run, InterpretedFunction.run, Autotuner._bench

    def recorded(original):
        def record(function, *args, grid, warmup, **kwargs):
            real = perform or recorder.paused or warmup
            result = original(function, *args, grid=grid, warmup=warmup, **kwargs) if real else None
            if not recorder.paused and not warmup:
                recorder.launched(function, args, grid, kwargs)
            return result

        return record

    def unrecorded(tuner, *args, **kwargs):
        recorder.paused = True      # autotuning: only the version that wins counts
        try:
            return bench(tuner, *args, **kwargs)
        finally:
            recorder.paused = False

    JITFunction.run, InterpretedFunction.run = recorded(run), recorded(interpreted)
    Autotuner._bench = unrecorded
    try:
        yield
    finally:
        JITFunction.run, InterpretedFunction.run, Autotuner._bench = run, interpreted, bench
