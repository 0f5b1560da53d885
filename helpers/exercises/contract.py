"""What an exercise is: data that tests, notebooks, grading and benchmarks all read.

Three kinds.  A *kernel* exercise is a function `f(*outputs, *inputs)` that launches the learner's
Triton kernels and writes into outputs the caller allocated.  A *function* exercise is plain
Python, compared with a reference on drawn arguments.  A *prediction* commits numbers before the
machine is asked; its key is computed or measured, never typed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


def sizes(dims: Mapping[str, Any]) -> str:
    """The sizes of a case in words: `M=7 N=1025`.  What a case says beside them is left out."""
    return " ".join(f"{name}={size}" for name, size in dims.items() if type(size) is int)


@dataclass(frozen=True)
class Points:
    """Points of an exercise, one number a criterion.  0 means: not judged."""

    numerics: float = 0
    traffic: float = 0
    speed: float = 0

    @property
    def total(self) -> float:
        """All points of the exercise: what its graded cell is worth."""
        return self.numerics + self.traffic + self.speed


@dataclass(frozen=True)
class Mistake:
    """A known wrong version: names the learner's error, and proves in tests that it is refused.

    `replace` edits the reference's source: each key must occur in it exactly as written.  `fails`
    is the criterion that refuses this version ("numerics" or "traffic").  `says` completes the
    sentence "Your result is what you get when ...".
    """

    name: str
    says: str
    replace: Mapping[str, str]
    fails: str = "numerics"


@dataclass(frozen=True)
class Exercise:
    """What the three kinds share.

    `name` is public for ever: function name, gradebook id, cell id and file name of the solution
    in `helpers/kernels/`.  `spec` says in plain English and a formula what is asked, and `hints`
    go from a question to almost the line.
    """

    name: str
    points: Points
    spec: str
    hints: Sequence[str] = ()
    mistakes: Sequence[Mistake] = ()
    kind: str = field(default="", init=False)


@dataclass(frozen=True)
class KernelExercise(Exercise):
    """`f(*outputs, *inputs)`, judged on numerics, traffic and speed.

    inputs      `inputs(draw, **dims)` gives the arguments after the outputs, by name.  Tensors
                come from `draw` (see `helpers.grading.draw`), which seeds them, surrounds them
                with guard bands and knows dtype and device.
    reference   called with the inputs (floating tensors in float64) it returns the output, or a
                tuple in the order of `outputs`.  Called in the task's dtype it says what
                PyTorch itself loses there: the tolerance follows from that.
    cases       dimensions to try, as keyword arguments of `inputs`: smallest, odd, exact, one
                past.  A case may name a `dtype`; the others run in `dtypes`.
    secret      `secret(random)` gives further cases, of sizes that only the seed knows.
    gpu_cases   further cases, too large for the interpreter.
    dtypes      dtypes that the exercise must support; bfloat16 is tried on a GPU only, because
                Triton's interpreter computes it wrongly.
    exact       bit-exact result required (copies, integers): no tolerance at all.
    compulsory  bytes that no correct kernel can avoid, by tensor name, for the counted case.
    traffic     how many times the compulsory bytes may be moved, by tensor; "*" for the rest.
    counted     the case whose traffic is counted: rows aligned to 32 bytes, no ragged tail.
    timed       `timed(bytes)` gives the dimensions of a case that moves about that many bytes.
    timed_dtype dtype of the timed case.
    ceiling     what speed is measured against, in the same run: "copy", a copy of the same
                bytes, where memory alone is the limit on every GPU; else "reference", the
                reference kernel.
    tiers       (share of the ceiling's speed, points), rising; the last gives full points.
    peers       what people would use instead, by name: `f(*inputs) -> output(s)`; benchmarks
                compare with them and name "eager" the unfused PyTorch version.
    """

    inputs: Callable[..., dict[str, Any]] = None
    reference: Callable[..., Any] = None
    outputs: Sequence[str] = ("out",)
    cases: Sequence[dict] = ()
    secret: Callable[[Any], Sequence[dict]] = lambda random: ()
    gpu_cases: Sequence[dict] = ()
    dtypes: Sequence[torch.dtype] = (torch.float32,)
    exact: bool = False
    compulsory: Callable[..., dict[str, int]] = None
    traffic: Mapping[str, float] = field(default_factory=lambda: {"*": 1.10})
    counted: Mapping[str, Any] = None
    timed: Callable[[int], dict] = None
    timed_dtype: torch.dtype = torch.float32
    ceiling: str = "copy"
    tiers: Sequence[tuple[float, float]] = ()
    peers: Mapping[str, Callable] = field(default_factory=dict)
    kind: str = field(default="kernel", init=False)


@dataclass(frozen=True)
class FunctionExercise(Exercise):
    """Plain Python: `f(*arguments)` must equal `reference(*arguments)` on every drawn case.

    `arguments(random)` yields tuples of arguments; `random` is a `random.Random` with a seed
    the learner cannot know.  `describe(*arguments)` names a case in a message.  Numbers are
    compared exactly when both are integers, else within `tolerance` relative.
    """

    arguments: Callable[[Any], Sequence[tuple]] = None
    describe: Callable[..., str] = lambda *arguments: repr(arguments)
    reference: Callable[..., Any] = None
    tolerance: float = 1e-9
    kind: str = field(default="function", init=False)


@dataclass(frozen=True)
class Prediction(Exercise):
    """`f()` returns a dict of numbers committed before the measurement.

    `key(device)` returns `(values, how)`: the right numbers, measured on the GPU `device` or, when
    `device` is None, taken from the stored measurements of another GPU, and a sentence that says
    which.  Within a factor of `full` a number earns its share of the points, within `half` half.
    """

    key: Callable[[Any], tuple[dict[str, float], str]] = None
    units: Mapping[str, str] = field(default_factory=dict)
    full: float = 2.0
    half: float = 5.0
    kind: str = field(default="prediction", init=False)
