"""One call of a candidate on one case: what is drawn, what is called, what it left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from helpers.exercises.contract import KernelExercise, sizes

from .draw import POISONS, Draw, same_bits
from .failures import Failure, explain_crash, explain_faults, explain_mismatch, explain_poison
from .honesty import watching_torch
from .interpreter import watching
from .numerics import Expected, compare, expect
from .quiet import CRASHES, time_limit
from .remote import Declined, Remote
from .trace import Trace

SECONDS = 20        # for one attempt: a loop that never ends costs this much, once


@dataclass(frozen=True)
class Attempt:
    """One call of the candidate: a case, a dtype, and what surrounds it."""

    dims: dict
    dtype: torch.dtype
    padding: int = 0
    poison: float = POISONS[0]
    device: str = "cpu"

    def __str__(self) -> str:
        return f"{sizes(self.dims)} {str(self.dtype).removeprefix('torch.')}" + (
            ", rows apart" if self.padding and "M" in self.dims else "")


@dataclass
class Outcome:
    """What one attempt left behind."""

    outputs: dict[str, torch.Tensor]
    expected: dict[str, Expected]
    trace: Trace | None
    failure: Failure | None
    crashed: bool = False


def run(exercise: KernelExercise, candidate: Callable, attempt: Attempt, seed: int,
        ghost: bool = False, calls: int = 1) -> Outcome:
    """One attempt: draw, call, look at every trace it left.

    calls   that are made on equal inputs; their results must be equal to the bit
    """
    if isinstance(candidate, Remote):
        candidate.label = str(attempt)
    # The truth is found on the CPU: memory of the GPU that was freed would still hold it.
    expected = dict(zip(exercise.outputs, expect(
        exercise.reference, exercise.inputs(
            Draw(seed, attempt.dtype, padding=attempt.padding), **attempt.dims),
        attempt.dtype, seed, exercise.exact), strict=True))
    draw = Draw(seed, attempt.dtype, attempt.device, attempt.padding)
    inputs = exercise.inputs(draw, **attempt.dims)
    input_guards = list(draw.guards)
    outputs = {name: draw.output(one.truth, attempt.poison) for name, one in expected.items()}
    output_guards = draw.guards[len(input_guards):]
    arguments = (*outputs.values(), *inputs.values())
    tensors = {**outputs, **{k: v for k, v in inputs.items() if isinstance(v, torch.Tensor)}}
    trace, work = None, []
    try:
        # A remote candidate's function has SECONDS of its own, on its own side.
        with time_limit(SECONDS if not isinstance(candidate, Remote) else 3 * SECONDS):
            if attempt.device == "cpu":
                with watching(order_seed=seed, ghost=ghost, **tensors) as trace:
                    with watching_torch() as work:
                        returned = candidate(*arguments)
            else:
                returned = candidate(*arguments)
                torch.cuda.synchronize()
    except Declined as error:
        return Outcome(outputs, expected, trace, error.failure, crashed=True)
    except CRASHES as error:
        return Outcome(outputs, expected, trace, explain_crash(error, attempt, trace),
                       crashed=True)
    failure = None
    for name, guard in zip(outputs, output_guards, strict=True):
        if not guard.in_place(outputs[name]):
            failure = Failure([f"{name} was exchanged for another tensor. Your kernel must store "
                               f"into the {name} that it is given."])
        outputs[name] = guard.own
    if trace is not None and failure is None:
        failure = explain_faults(trace, work, ghost, attempt)
    for name, guard in zip((k for k in inputs if k in tensors), input_guards, strict=True):
        if failure is None and not guard.unchanged():
            failure = Failure([f"{attempt}: {name} has changed. An input must only be read."])
    for name, guard in zip(outputs, output_guards, strict=True):
        if failure is None and not guard.intact():
            failure = Failure([f"{attempt}: something was stored outside {name}. "
                               "The mask of the store lets too many lanes through."])
    if ghost:
        touched = [name for name, guard in zip(outputs, output_guards, strict=True)
                   if not guard.unchanged() and not guard.constant()]      # zero_() is fine
        if touched and failure is None:
            failure = Failure([f"{', '.join(touched)} was written although no kernel ran: "
                               "the work must be done by your Triton kernel."])
        return Outcome(outputs, expected, trace, failure)
    if failure:
        return Outcome(outputs, expected, trace, failure)
    for name, output in outputs.items():
        mismatch = compare(name, output.cpu(), expected[name])
        if mismatch:
            failure = explain_poison(name, output, attempt) or explain_mismatch(mismatch, attempt)
            if isinstance(returned, torch.Tensor):
                failure.lines.append(f"Your function returns a tensor: write into {name} instead.")
            return Outcome(outputs, expected, trace, failure)
    return Outcome(outputs, expected, trace,
                   _unsteady(candidate, attempt, outputs, arguments, calls))


def _unsteady(candidate, attempt, outputs, arguments, calls) -> Failure | None:
    """A failure when further calls give other bits: something is read before it is written."""
    first = {name: output.clone() for name, output in outputs.items()}
    for _ in range(calls - 1):
        for output in outputs.values():
            output.fill_(attempt.poison)
        try:
            candidate(*arguments)
        except CRASHES as error:
            return explain_crash(error, attempt, None)
        for name, output in outputs.items():
            if not same_bits(output.contiguous(), first[name].contiguous()):
                return Failure([
                    f"{attempt}: {name} differs between two calls on equal inputs.",
                    "Without atomics a kernel gives the same bits every time: does one program "
                    "read what another one writes?"])
    return None
