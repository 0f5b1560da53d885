"""Plays a plan (record.py) on data of the examiner's own.

The kernels are built from their text in a language that reaches nothing but their arguments
(dialect.py).  Everything in a plan may be a lie; what the replay makes of it is judged like the
work of any candidate, so a lie is at most a wrong answer.
"""

from __future__ import annotations

import importlib
import math
from typing import Any

import torch
import triton
import triton.language as tl

from .dialect import Refused, build, is_constant, member

_MOST = {"kernels": 64, "steps": 2000, "line": 3000}
_SCRATCH = {"cpu": 64 << 20, "cuda": 8 << 30}       # bytes of a plan's own memory, all together
_OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion"}
_DTYPES = {str(d).removeprefix("torch."): d for d in vars(torch).values()
           if isinstance(d, torch.dtype)}


class Plan:
    """A plan whose kernels are built; raises Refused when something in it cannot be played."""

    def __init__(self, data: dict):
        try:
            self._data = data
            kernels, self._steps = data["kernels"], data["steps"]
            if len(kernels) > _MOST["kernels"] or len(self._steps) > _MOST["steps"]:
                raise Refused("one call makes thousands of launches")
            self._kernels: list[Any] = [None] * len(kernels)
            self._building: set[int] = set()
            for number in range(len(kernels)):
                self._kernel(number)
        except Refused:
            raise
        except Exception as error:      # a plan is a stranger's data
            raise _unreadable(error) from None

    def play(self, arguments: dict[str, Any]) -> None:
        """Launch everything again, on these arguments of the learner's function."""
        tensors = {name: value for name, value in arguments.items()
                   if isinstance(value, torch.Tensor)}
        device = next((tensor.device for tensor in tensors.values()), torch.device("cpu"))
        if device.type == "cuda":
            triton.set_allocator(_room)
        memory: dict[str | int, torch.Tensor] = dict(tensors)
        for step in self._steps:
            try:
                launch = self._prepare(step, memory, device)
            except Refused:
                raise
            except torch.cuda.OutOfMemoryError:
                raise               # that is no fault of the plan's form
            except Exception as error:
                raise _unreadable(error) from None
            if launch is not None:
                kernel, grid, values = launch
                kernel[grid](**values)

    def _prepare(self, step: dict, memory: dict, device: torch.device):
        """Do what a step says, or return the launch that it is: kernel, grid, arguments."""
        if "new" in step:
            size = int(step["bytes"])
            taken = sum(one.numel() for name, one in memory.items() if isinstance(name, int))
            if not 0 <= size <= _SCRATCH[device.type] - taken:
                raise Refused(f"{size + taken:.3g} bytes of scratch memory")
            memory[int(step["new"])] = torch.empty(size, dtype=torch.uint8, device=device)
            return None
        if "fill" in step:
            value = step["value"]
            if not isinstance(value, (int, float)):
                raise Refused("a tensor is filled with something that is no number")
            view = _view(memory, step["fill"])
            if view.nbytes > view.untyped_storage().nbytes():
                raise Refused("a tensor whose elements overlap is filled")
            view.fill_(value)
            return None
        kernel = self._kernels[int(step["launch"])]
        if not isinstance(kernel, triton.JITFunction):
            raise Refused("a constexpr_function is no kernel")
        options = {str(k): v for k, v in step["options"].items() if v is not None}
        unknown = set(options) - _OPTIONS
        if unknown or not all(type(v) in (int, bool) for v in options.values()):
            names = ", ".join(sorted(unknown or options))[:80]
            raise Refused(f"the launch option {names} is not known in graded work")
        if set(step["arguments"]) != set(kernel.arg_names):
            raise Refused("a launch does not fit its kernel's parameters")
        values = {name: self._value(value, memory) for name, value in step["arguments"].items()}
        return kernel, tuple(int(n) for n in step["grid"]), values | options

    def _kernel(self, number: int):
        number = int(number)
        if self._kernels[number] is None:
            if number in self._building:
                raise Refused("a kernel calls itself")
            self._building.add(number)
            entry = self._data["kernels"][number]
            around = {}
            for name, value in entry["names"].items():
                if not name.isidentifier() or name.startswith("__"):
                    raise Refused(f"the name {name[:40]!r} in a kernel")
                around[name] = self._value(value, {})
                if is_constant(around[name]):       # Triton takes nothing else from outside
                    around[name] = tl.constexpr(around[name])
            self._kernels[number] = build(
                str(entry["source"]), around, min(max(int(entry["line"]), 1), _MOST["line"]),
                bool(entry["constexpr"]), **_jit_options(entry["options"]))
        return self._kernels[number]

    def _value(self, value, memory: dict):
        if not isinstance(value, dict):
            if not is_constant(value):
                raise Refused(f"an argument of type {type(value).__name__}")
            return value
        if "memory" in value:
            return _view(memory, value)
        if "descriptor" in value:
            from triton.tools.tensor_descriptor import TensorDescriptor

            return TensorDescriptor(
                _view(memory, value["descriptor"]), *([int(n) for n in value[key]]
                                                      for key in ("shape", "strides", "block")))
        if "tuple" in value:
            return tuple(self._value(one, memory) for one in value["tuple"])
        if "kernel" in value:
            return self._kernel(value["kernel"])
        return _from_language(str(value["language"]))


def _unreadable(error: Exception) -> Refused:
    return Refused(f"the launches cannot be read ({type(error).__name__}: {error!s:.200})")


def _room(size: int, _align: int, _stream) -> torch.Tensor:
    """Memory for descriptors that a kernel makes; learners set an allocator of their own."""
    return torch.empty(size, dtype=torch.int8, device="cuda")


def _jit_options(options: dict) -> dict:
    found = {}
    for name, value in options.items():
        if name in ("noinline", "debug"):
            found[name] = bool(value)
        elif name in ("do_not_specialize", "do_not_specialize_on_alignment"):
            found[name] = [one if isinstance(one, int) else str(one) for one in value]
    return found


def _from_language(path: str):
    if path in ("triton", "triton.language"):
        return triton if path == "triton" else tl
    parts = path.split(".")
    if path in ("triton.cdiv", "triton.next_power_of_2"):
        return getattr(triton, parts[1])
    if parts[:2] != ["triton", "language"] or not all(p.isidentifier() for p in parts):
        raise Refused(f"{path[:80]} is not part of Triton's language")
    try:
        return importlib.import_module(path)        # a module such as libdevice
    except ImportError:
        pass
    # Where a function was written is not always where it is offered: tl.exp is in tl.math.
    for candidate in (".".join(parts[2:]), parts[-1]):
        try:
            return member(candidate)
        except Refused:
            continue
    raise Refused(f"{path[:80]} is not part of Triton's language")


def _view(memory: dict, where: dict) -> torch.Tensor:
    """The tensor that a plan means; raises Refused when it lies outside its memory."""
    name = where["memory"]
    if name not in memory:
        raise Refused(f"memory called {str(name)[:40]!r}, which the call does not have")
    base, dtype = memory[name], _DTYPES.get(where["dtype"])
    if dtype is None:
        raise Refused(f"the dtype {str(where['dtype'])[:40]!r}")
    shape, stride = ([int(n) for n in where[key]] for key in ("shape", "stride"))
    offset = int(where["offset"])
    if (offset, dtype, shape, stride) == (0, base.dtype, list(base.shape), list(base.stride())):
        return base
    storage = base.untyped_storage()
    first = base.data_ptr() - storage.data_ptr() + offset
    reach = sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    last = first + (reach + 1) * dtype.itemsize if math.prod(shape) else first
    sound = first >= 0 and first % dtype.itemsize == 0 and last <= storage.nbytes() and all(
        n >= 0 for n in (*shape, *stride))
    if not sound:
        raise Refused("a view reaches outside its tensor")
    return torch.empty(0, dtype=dtype, device=base.device).set_(
        storage, first // dtype.itemsize, shape, stride)
