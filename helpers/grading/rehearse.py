"""The learner's side of a remote candidate: call the function on decoys, hand out its plan."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import torch

from .dialect import Refused
from .draw import GUARD
from .failures import explain_crash, explain_faults
from .honesty import watching_torch
from .interpreter import watching
from .quiet import CRASHES, quiet, time_limit
from .record import Recorder, recording
from .trace import Trace


def rehearse(function: Callable, request: dict, seconds: float) -> dict:
    """Answer one request of `remote.Remote`: {"plan": ...} or {"failure": lines}.

    Kernels run for the first request only, or where the function will not do without.
    """
    if not request["perform"]:
        answer = _rehearse(function, request, seconds, False)
        if "plan" in answer:
            return answer
    return _rehearse(function, request, seconds, True)


def _rehearse(function, request, seconds, perform: bool) -> dict:
    arguments = {one["name"]: _decoy(one["tensor"]) if "tensor" in one else one["value"]
                 for one in request["arguments"]}
    tensors = {name: one for name, one in arguments.items() if isinstance(one, torch.Tensor)}
    on_cpu = all(tensor.device.type == "cpu" for tensor in tensors.values())
    recorder, trace = Recorder(arguments), Trace()
    try:
        with quiet(), time_limit(seconds), contextlib.ExitStack() as stack:
            if on_cpu:
                trace = stack.enter_context(watching(**tensors))
            work = stack.enter_context(watching_torch(recorder))
            stack.enter_context(recording(recorder, perform))
            function(*arguments.values())
            if not on_cpu:
                torch.cuda.synchronize()
    except Refused as error:
        return {"failure": [f"{error}."]}
    except CRASHES as error:
        return {"failure": explain_crash(error, request["label"], trace).lines}
    # Faults of its kernels are for the examiner to see; here only what the plan cannot show.
    failure = explain_faults(trace, work, True, request["label"])
    return {"failure": failure.lines} if failure else {"plan": recorder.plan}


def _decoy(wanted: dict) -> torch.Tensor:
    """A tensor of the shape, strides and dtype that are wanted, somewhere in a larger storage."""
    shape, stride = wanted["shape"], wanted["stride"]
    dtype, device = getattr(torch, wanted["dtype"]), wanted["device"]
    reach = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    size = max(reach, 0) + 2 * GUARD
    if "values" in wanted:
        storage = torch.zeros(size, dtype=dtype, device=device)
    elif dtype.is_floating_point:
        wide = torch.float32 if dtype.itemsize < 2 else dtype
        storage = torch.empty(size, dtype=wide, device=device).normal_().to(dtype)
    else:
        low, high = wanted["range"]
        storage = torch.randint(low, high + 1, (size,), dtype=dtype, device=device)
    view = storage.as_strided(shape, stride, GUARD)
    if "values" in wanted:
        view.copy_(torch.tensor(wanted["values"], dtype=dtype).reshape(shape))
    return view
