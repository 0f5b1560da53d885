"""A candidate whose code runs elsewhere.

Between the two sides go shapes one way and plans (record.py) the other, both as plain data.  No
tensor crosses: the learner's function is called on decoys that its side makes up (rehearse.py), and
the examiner plays the plan on tensors of its own, which that side never sees.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from .dialect import Refused
from .failures import Failure
from .record import Recorder
from .replay import Plan
from .trace import Launch

_FEW = 4096         # whole numbers up to so many are sent as they are: they may be indices


class Declined(Exception):
    """The other side has no plan to offer; `failure` says why, in the learner's terms."""

    def __init__(self, failure: Failure):
        super().__init__(failure.lines[0])
        self.failure = failure


class Remote:
    """Called like the learner's function; `ask` sends a request and returns the answer.

    names    of the function's parameters
    leave    ends the other side: before a clock runs, when all its plans are here
    label    of the case to come, for messages
    """

    def __init__(self, names: list[str], ask: Callable[[dict], dict], leave: Callable[[], None]):
        self.names, self.ask, self.leave, self.label = names, ask, leave, ""
        self._plans: dict[str, Plan] = {}

    def __call__(self, *arguments) -> None:
        described = [{"name": name, **_describe(value)}
                     for name, value in zip(self.names, arguments, strict=True)]
        key = repr(described)
        if key not in self._plans:
            answer = self.ask({"label": self.label, "arguments": described,
                               "perform": not self._plans})
            if "failure" in answer:
                raise Declined(Failure(answer["failure"]))
            try:
                self._plans[key] = Plan(answer["plan"])
            except Refused as error:
                raise Declined(Failure([f"{error}."])) from None
        try:
            self._plans[key].play(dict(zip(self.names, arguments, strict=True)))
        except Refused as error:
            raise Declined(Failure([f"{error}."])) from None


def refuse_launches(launches: list[Launch]) -> Failure | None:
    """Why these launches could not be played again elsewhere, or None: `check` must not promise
    points that grading cannot give."""
    recorder = Recorder({})
    try:
        for launch in launches:
            recorder.kernel(launch.function)
        Plan(recorder.plan)
    except Refused as error:
        return Failure([f"{error}."])
    return None


def _describe(value) -> dict:
    if not isinstance(value, torch.Tensor):
        return {"value": value}
    about = {"shape": list(value.shape), "stride": list(value.stride()),
             "dtype": str(value.dtype).removeprefix("torch."), "device": str(value.device)}
    if not value.dtype.is_floating_point and value.numel():
        if value.numel() <= _FEW:
            about["values"] = value.flatten().tolist()
        else:
            about["range"] = [int(value.min()), int(value.max())]
    return {"tensor": about}
