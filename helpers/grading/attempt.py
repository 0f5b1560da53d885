"""One call of a candidate on one case: what is drawn, what is called, what it left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from helpers.exercises.contract import KernelExercise, sizes

from .draw import POISONS, Draw
from .failures import Failure, explain_crash, explain_faults, explain_mismatch, explain_poison
from .honesty import watching_torch
from .interpreter import watching
from .numerics import Expected, compare, expect
from .quiet import TookTooLong, time_limit
from .trace import Trace

SECONDS = 20        # for one attempt: a loop that never ends costs this much, once

# What the learner's code may raise: a verdict, never a crash.
CRASHES = (Exception, SystemExit, TookTooLong)


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
        ghost: bool = False) -> Outcome:
    """One attempt: draw, call, look at every trace it left."""
    draw = Draw(seed, attempt.dtype, attempt.device, attempt.padding)
    inputs = exercise.inputs(draw, **attempt.dims)
    expected = dict(zip(exercise.outputs, expect(
        exercise.reference, inputs, attempt.dtype, seed, exercise.exact), strict=True))
    input_guards = list(draw.guards)
    outputs = {name: draw.output(one.truth, attempt.poison) for name, one in expected.items()}
    output_guards = draw.guards[len(input_guards):]
    arguments = (*outputs.values(), *inputs.values())
    tensors = {**outputs, **{k: v for k, v in inputs.items() if isinstance(v, torch.Tensor)}}
    trace, work = None, []
    try:
        with time_limit(SECONDS):
            if attempt.device == "cpu":
                with watching(order_seed=seed, ghost=ghost, **tensors) as trace:
                    with watching_torch() as work:
                        returned = candidate(*arguments)
            else:
                returned = candidate(*arguments)
                torch.cuda.synchronize()
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
        mismatch = compare(name, output, expected[name])
        if mismatch:
            failure = explain_poison(name, output, attempt) or explain_mismatch(mismatch, attempt)
            if isinstance(returned, torch.Tensor):
                failure.lines.append(f"Your function returns a tensor: write into {name} instead.")
            return Outcome(outputs, expected, trace, failure)
    return Outcome(outputs, expected, trace, None)
