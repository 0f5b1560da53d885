"""How far from the truth an output may be: computed for each case, never typed.

The truth is the reference in float64, applied to the inputs as rounded to the task's dtype.  An
element of row r may differ from it by

    2 * E_r + ulp(truth) + 32 * P_r + 16 * 2^-24 * max|truth_r|

E_r is the largest error that PyTorch itself makes on that row in the task's dtype (the rule of
FlashAttention's tests), P_r the largest change of the truth when the inputs move by one part in
2^24 (the conditioning of the task), and the last term the rounding of a float32 computation.
Row by row, so that one large row cannot hide a small one.  A result with one dimension is taken
element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

_MANTISSA = {torch.float64: 52, torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}
_SMALLEST = {torch.float64: -1022, torch.float32: -126, torch.float16: -14, torch.bfloat16: -126}


@dataclass(frozen=True)
class Expected:
    """The truth of one output and how far from it each element may be, both in float64."""

    truth: torch.Tensor
    allowed: torch.Tensor


@dataclass(frozen=True)
class Mismatch:
    """Where an output is wrong."""

    output: str
    wrong: torch.Tensor     # bool, the shape of the output
    index: tuple[int, ...]  # of the worst element
    yours: float
    truth: float
    allowed: float

    @property
    def error(self) -> float:
        """Distance of the worst element from the truth."""
        return abs(self.yours - self.truth)


def expect(reference: Callable, inputs: dict, dtype: torch.dtype, seed: int,
           exact: bool = False, perturbations: int = 4) -> list[Expected]:
    """Truth and tolerance of every output of `reference` for these inputs.

    inputs         the arguments as the kernel gets them; the tensors are not changed
    seed           of the perturbations that measure the conditioning
    """
    wide = {name: _wide(value) for name, value in inputs.items()}
    truths = _tuple(reference(**wide))
    if exact:
        return [Expected(truth, torch.zeros_like(truth)) for truth in truths]
    same = _tuple(reference(**{name: _plain(value) for name, value in inputs.items()}))
    errors = [_row_max((ours.double() - truth).abs())
              for ours, truth in zip(same, truths, strict=True)]
    conditioning = [torch.zeros_like(error) for error in errors]
    device = truths[0].device
    random = torch.Generator(device=device).manual_seed(seed)
    for _ in range(perturbations):
        moved = _tuple(reference(**{name: _perturb(value, random)
                                    for name, value in wide.items()}))
        for i, truth in enumerate(truths):
            conditioning[i] = torch.maximum(
                conditioning[i], _row_max((moved[i] - truth).abs()))
    return [Expected(truth, 2 * error + _ulp(truth, dtype) + 32 * change
                     + 16 * 2.0 ** -24 * _row_max(truth.abs()))
            for truth, error, change in zip(truths, errors, conditioning, strict=True)]


def compare(name: str, output: torch.Tensor, expected: Expected) -> Mismatch | None:
    """None where the output is right, else where it is wrong and by how much."""
    ours, truth = output.double(), expected.truth
    finite = torch.isfinite(truth)
    # Infinities and NaN must be the same ones: a tolerance means nothing there.
    same_special = (ours == truth) | (ours.isnan() & truth.isnan())
    error = (ours - truth).abs()
    wrong = torch.where(finite, ~(error <= expected.allowed), ~same_special)
    if not bool(wrong.any()):
        return None
    excess = torch.where(wrong, error.nan_to_num(nan=torch.inf, posinf=torch.inf), -1.0)
    worst = int(excess.argmax())
    index = tuple(int(i) for i in torch.unravel_index(torch.tensor(worst), wrong.shape))
    return Mismatch(name, wrong.cpu(), index, float(ours[index]), float(truth[index]),
                    float(expected.allowed.expand_as(truth)[index]))


def _tuple(value) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _plain(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def _wide(value):
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    return _plain(value)


def _perturb(value, random: torch.Generator):
    if not (isinstance(value, torch.Tensor) and value.is_floating_point()):
        return value
    noise = torch.randn(value.shape, generator=random, device=value.device, dtype=value.dtype)
    return value * (1 + noise.clamp(-2, 2) * 2.0 ** -24)


def _row_max(x: torch.Tensor) -> torch.Tensor:
    # Infinite or NaN entries are compared exactly elsewhere: they must not widen the row.
    x = x.nan_to_num(nan=0.0, posinf=0.0)
    if x.ndim < 2 or not x.numel():
        return x
    return x.amax(dim=-1, keepdim=True)


def _ulp(truth: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Distance from |truth| to the next number of `dtype`: one unit in the last place."""
    exponent = torch.frexp(truth.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)).exponent - 1
    exponent = exponent.clamp(min=_SMALLEST[dtype])
    return torch.ldexp(torch.ones_like(truth), exponent - _MANTISSA[dtype])
