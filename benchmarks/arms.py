"""What is timed: the reference kernels and what people would use instead, case by case."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from helpers.exercises import get
from helpers.exercises.contract import KernelExercise
from helpers.grading.draw import Draw

ELEMENTS = 1 << 27          # of one tensor, where the GPU's memory allows it
BYTES_PER_ELEMENT = 64      # all arms together, two input sets, temporaries: what a case may need


@dataclass(frozen=True)
class Case:
    """One kernel at one size, and its peers: functions of the inputs that return the outputs."""

    kernel: str                         # name in helpers/kernels
    dims: Mapping[str, int]
    dtype: torch.dtype
    inputs: Callable[..., dict[str, Any]]
    reference: Callable                 # PyTorch's answer, for the check and for torch.compile
    compulsory: Callable[..., dict[str, int]]
    peers: Mapping[str, Callable] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Bytes that any kernel must move (`compulsory` counts float32)."""
        return sum(self.compulsory(**self.dims).values()) * self.dtype.itemsize // 4

    @property
    def label(self) -> str:
        """For example `M=16384 N=8192 bfloat16`."""
        sizes = " ".join(f"{name}={size}" for name, size in self.dims.items())
        return f"{sizes} {str(self.dtype).removeprefix('torch.')}"

    def draw(self, seed: int, device) -> tuple[list[torch.Tensor], dict[str, Any]]:
        """Outputs full of NaN, and fresh inputs."""
        draw = Draw(seed, self.dtype, device)
        inputs = self.inputs(draw, **self.dims)
        for x in inputs.values():       # an infinity would send its whole warp a longer way
            if isinstance(x, torch.Tensor):
                x.nan_to_num_(nan=0.0, posinf=0.0, neginf=0.0)
        outputs = [torch.full_like(one, float("nan")) for one in as_tuple(self.reference(**inputs))]
        draw.guards.clear()     # their snapshots would double the memory
        return outputs, inputs


def kernel(name: str) -> Callable:
    """The function of a file in helpers/kernels: f(*outputs, *inputs)."""
    return getattr(importlib.import_module(f"helpers.kernels.{name}"), name)


def as_tuple(result) -> tuple:
    """Outputs as a tuple, also when there is one."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def of_exercise(exercise: KernelExercise, dims: Mapping[str, int], dtype=None,
                instead: str | None = None) -> Case:
    """An exercise's kernel, or another one for the same job, at a given size."""
    # What the exercise asks of its timed inputs beside sizes: ordinary numbers.
    ordinary = {k: v for k, v in exercise.timed(1 << 20).items() if k not in dims}
    return Case(
        instead or exercise.name, dims, dtype or exercise.timed_dtype,
        lambda draw, **sizes: exercise.inputs(draw, **sizes, **ordinary),
        exercise.reference, exercise.compulsory, dict(exercise.peers))


def elements(free_bytes: int) -> int:
    """A power of two that fits the GPU's free memory."""
    return min(ELEMENTS, 1 << ((free_bytes // BYTES_PER_ELEMENT).bit_length() - 1))


def cases(count: int) -> list[Case]:
    """Every reference kernel at the sizes that the course names; `count` elements a tensor."""
    softmax, norm = get("row_softmax"), get("residual_rms_norm")

    def rows(N: int) -> dict[str, int]:
        return {"M": max(1, count // N), "N": N}

    narrow = torch.bfloat16 if torch.cuda.get_device_capability() >= (8, 0) else torch.float16
    return [
        Case("copy", {"n": count}, torch.float32, lambda draw, n: {"x": draw.normal(n)},
             torch.clone, lambda n: {"x": 4 * n, "out": 4 * n}, {"eager": torch.clone}),
        of_exercise(get("vector_add"), {"n": count}),
        of_exercise(get("sin2_cos2"), {"n": count}),
        *(of_exercise(softmax, rows(N)) for N in (1024, 4096, 8192, 32768)),
        of_exercise(softmax, rows(65536), instead="row_softmax_long"),
        Case("rms_norm", rows(8192), narrow, _norm_inputs, _rms_norm,
             lambda M, N: {"x": 4 * M * N, "out": 4 * M * N, "weight": 4 * N},
             {"eager": _rms_norm_unfused, "torch": _rms_norm}),
        of_exercise(norm, rows(8192), narrow),
    ]


def _norm_inputs(draw, M, N):
    return {"x": draw.rows(M, N), "weight": draw.normal(N, shift=1.0, scale=0.5), "eps": 1e-5}


def _rms_norm(x, weight, eps):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, eps)


def _rms_norm_unfused(x, weight, eps):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * weight).to(x.dtype)


def liger(name: str) -> Callable | None:
    """Liger-Kernel's Triton operator for the same job; None where there is none or no package."""
    try:
        from liger_kernel.ops import fused_add_rms_norm, rms_norm, softmax
    except ImportError:
        return None
    return {
        "row_softmax": lambda x: softmax._softmax_forward(x)[0],
        "row_softmax_long": lambda x: softmax._softmax_forward(x)[0],
        "rms_norm": lambda x, weight, eps:
            rms_norm.rms_norm_forward(x, weight, eps, 0.0, "llama", None)[0],
        "residual_rms_norm": lambda x, residual, weight, eps:
            fused_add_rms_norm.fused_add_rms_norm_forward(
                x, residual, weight, eps, 0.0, "llama")[:2],
    }.get(name)
