"""Inputs and outputs of a case: seeded, of one dtype, inside guard bands.

Every tensor is a view in the middle of a larger storage.  The elements around it, and between its
rows when the case asks for padded rows, hold a sentinel: a kernel that reads them shows NaN, and
one that writes them is found out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from helpers.exercises.contract import KernelExercise

GUARD = 16384   # elements on each side: wider than any block that a lost mask lets through
POISONS = (float("nan"), 1234.5)    # NaN alone would hide in a result that may be NaN

STRESS_ROWS = ("normal", "wide", "high", "low", "mixed", "constant", "one hot", "tiny")


@dataclass
class Draw:
    """Makes the tensors of one case.

    seed      of everything drawn; the examiner keeps it secret
    dtype     of floating tensors
    on_device the numbers are made on the device: faster, but others than on the CPU
    padding   elements between two rows of a matrix (0: contiguous)
    """

    seed: int
    dtype: torch.dtype = torch.float32
    device: torch.device | str = "cpu"
    padding: int = 0
    on_device: bool = False
    guards: list[Guard] = field(default_factory=list)

    def __post_init__(self):
        self._made_on = self.device if self.on_device else "cpu"
        self._random = torch.Generator(device=self._made_on).manual_seed(self.seed)

    def normal(self, *shape: int, scale: float = 1.0, shift: float = 0.0,
               special: bool = False) -> torch.Tensor:
        """Independent normal numbers, `shift + scale * randn(shape)`.

        special: of every 97 numbers one each is inf, -inf, NaN and large, so that no constant is
        an answer, nor arithmetic in a narrower dtype.
        """
        x = self._randn(*shape) * scale + shift
        if special:
            for first, value in ((5, float("inf")), (17, -float("inf")), (29, float("nan")),
                                 (41, 1e5)):
                x.flatten()[first::97] = value
        return self._guarded(x)

    def log_uniform(self, low: float, high: float) -> float:
        """A number whose logarithm is uniform between those of `low` and `high`."""
        share = float(torch.rand((), generator=self._random, device=self._made_on))
        return low * (high / low) ** share

    def rows(self, M: int, N: int, kinds: tuple[str, ...] = ("normal",)) -> torch.Tensor:
        """A matrix [M, N] whose rows take their kinds (see STRESS_ROWS) in turn, from a random
        one on."""
        x = self._randn(M, N)
        if kinds != ("normal",):
            first, size = int(self.log_uniform(1, 100)), self.log_uniform(0.5, 2)
            for m in range(M):
                x[m] = _stress(x[m], kinds[(first + m) % len(kinds)], size)
        return self._guarded(x)

    def output(self, like: torch.Tensor, poison: float) -> torch.Tensor:
        """An output of the shape of `like`, filled with `poison`."""
        return self._guarded(torch.full(like.shape, poison, device=self.device))

    def _randn(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=self._random, device=self._made_on)

    def _guarded(self, values: torch.Tensor) -> torch.Tensor:
        strides = list(values.contiguous().stride())
        if values.ndim > 1 and self.padding:
            strides[-2] += self.padding + 8 * len(self.guards)      # no two tensors alike
            for axis in range(values.ndim - 3, -1, -1):
                strides[axis] = strides[axis + 1] * values.shape[axis + 1]
        reach = 1 + sum((size - 1) * step for size, step in zip(values.shape, strides, strict=True))
        reach = reach if values.numel() else 0
        storage = torch.full((reach + 2 * GUARD,), POISONS[0], dtype=self.dtype,
                             device=self.device)
        view = storage.as_strided(values.shape, strides, GUARD)
        view.copy_(values.to(self.dtype))
        self.guards.append(Guard(storage, view))
        return view


def parameters(exercise: KernelExercise) -> list[str]:
    """Names of the arguments of a kernel exercise's function, in order."""
    return [*exercise.outputs, *exercise.inputs(Draw(0), **exercise.cases[0])]


@dataclass
class Guard:
    """A storage, the view that a kernel is given, and what surrounded it at the start."""

    storage: torch.Tensor
    view: torch.Tensor

    def __post_init__(self):
        self.snapshot = self.storage.clone()
        # The learner's code gets `view`; `own` is the same memory under a name that it never sees.
        self.own = self.storage.as_strided(self.view.shape, self.view.stride(), GUARD)

    def in_place(self, given: torch.Tensor) -> bool:
        """The tensor that was given is still this memory, in this shape."""
        return (given.data_ptr(), given.shape, given.stride(), given.dtype) == (
            self.own.data_ptr(), self.own.shape, self.own.stride(), self.own.dtype)

    def constant(self) -> bool:
        """Every element holds the same."""
        return same_bits(self.own.contiguous(),
                         self.own.flatten()[:1].expand(self.own.numel()).reshape(self.own.shape)
                         .contiguous())

    def unchanged(self) -> bool:
        """Nothing in the storage has changed: true of every input after a call."""
        return same_bits(self.storage, self.snapshot)

    def intact(self) -> bool:
        """Nothing outside the view has changed: true of every output after a call."""
        now = self.storage.clone()
        now.as_strided(self.view.shape, self.view.stride(), GUARD).copy_(
            self.snapshot.as_strided(self.view.shape, self.view.stride(), GUARD))
        return same_bits(now, self.snapshot)


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal bit for bit, NaN included."""
    return torch.equal(a.view(torch.uint8), b.view(torch.uint8))


def _stress(row: torch.Tensor, kind: str, size: float) -> torch.Tensor:
    if kind == "wide":
        return row * 20 * size
    if kind == "high":
        return row + 150 * size
    if kind == "low":
        return row - 1e4 * size
    if kind == "mixed":
        return torch.where(row > 0, row + 150 * size, row - 150 * size)
    if kind == "constant":
        return torch.full_like(row, 3.0 * size)
    if kind == "one hot":
        hot = torch.zeros_like(row)
        hot[row.abs().argmax()] = 1e4 * size
        return hot
    if kind == "tiny":
        return row * 1e-3
    return row
