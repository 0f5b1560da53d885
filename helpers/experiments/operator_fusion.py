"""Measurements of notebook 06.

Stored on an H200 by:  python -m helpers.experiments.operator_fusion > FILE
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import torch

from helpers import gpu
from helpers.exercises.operator_fusion import EXERCISES
from helpers.grading.clock import median_ms
from helpers.inductor import torch_compile
from helpers.kernels.chain import chain
from helpers.kernels.residual_rms_norm import residual_rms_norm
from helpers.kernels.rms_norm import rms_norm
from helpers.kernels.row_softmax import row_softmax
from helpers.kernels.row_softmax_long import row_softmax_long
from helpers.kernels.sin2_cos2 import sin2_cos2

from . import experiment, store

EAGER = {exercise.name: exercise.peers["eager"] for exercise in EXERCISES}
LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
COLUMNS = tuple(2**power for power in range(10, 18))


def elements() -> int:
    """How many floats a vector has here: half a gigabyte, less where 24 do not fit the GPU."""
    free, _ = torch.cuda.mem_get_info()
    return min(2**27, free // 96) // 2**17 * 2**17


def contender(function: Callable, reference: Callable, expected, outputs, *inputs):
    """(name, function) to time: yours if it gives what is expected, else the reference."""
    if function is reference:
        return "reference", reference
    try:
        function(*outputs, *inputs)
        right = all(torch.allclose(out.float(), wanted.float(), rtol=2e-2, atol=1e-4)
                    for out, wanted in zip(outputs, expected, strict=True))
    except Exception:       # any failure of the learner's kernel: `check` explains it, not we
        right = False
    return ("yours", function) if right else ("reference (yours is not right yet)", reference)


def compiled(function: Callable, *inputs) -> dict[str, tuple]:
    """{"torch.compile": the call to time}, or nothing where torch.compile cannot work."""
    made = torch_compile(function, *inputs)
    return {} if made.problem else {"torch.compile": (made.function, *inputs)}


def times(runs: dict[str, tuple]) -> dict[str, float]:
    """Median milliseconds of each call (function, *arguments), by name."""
    return {name: median_ms(*run)[0] for name, run in runs.items()}


@experiment
def sin2_cos2_times(function: Callable = sin2_cos2) -> dict:
    """Milliseconds of sin² + cos² over n floats: copy, eager, compiled, yours."""
    x = torch.randn(elements(), device=gpu.device())
    out = torch.zeros_like(x)
    name, kernel = contender(function, sin2_cos2, [torch.ones_like(x)], [out], x)
    eager = EAGER["sin2_cos2"]
    runs = {"copy": (out.copy_, x), "eager": (eager, x), **compiled(eager, x),
            name: (kernel, out, x)}
    return {"n": x.numel(), "ms": times(runs)}


@experiment
def chain_times() -> dict:
    """Milliseconds of k multiplications of n floats: one kernel each, and one kernel for all."""
    x = torch.randn(elements(), device=gpu.device())
    out = torch.empty_like(x)

    def eager(k):
        torch.mul(x, 0.999, out=out)
        for _ in range(k - 1):
            torch.mul(out, 0.999, out=out)

    return {
        "n": x.numel(), "k": list(LENGTHS), "copy_ms": median_ms(out.copy_, x)[0],
        "eager_ms": [median_ms(eager, k, repeats=5)[0] for k in LENGTHS],
        "fused_ms": [median_ms(chain, out, x, 0.999, k)[0] for k in LENGTHS]}


@experiment
def softmax_speeds(function: Callable = row_softmax) -> dict:
    """Useful TB/s of softmax over rows of N floats: 8 bytes an element divided by the time."""
    x = torch.randn(64, 1000, device=gpu.device())
    name, kernel = contender(function, row_softmax, [_softmax(x)], [torch.zeros_like(x)], x)
    speeds: dict[str, list[float]] = {}
    for N in COLUMNS:
        x = torch.randn(elements() // N, N, device=gpu.device())
        out = torch.zeros_like(x)
        runs = {"copy": (out.copy_, x), "torch": (_softmax, x), **compiled(_softmax, x),
                name: (kernel, out, x), "in two sweeps": (row_softmax_long, out, x)}
        for key, ms in times(runs).items():
            speeds.setdefault(key, []).append(2e-9 * x.nbytes / ms)
    return {"N": list(COLUMNS), "TB_s": speeds}


def _softmax(x):
    return torch.softmax(x, 1)


@experiment
def norm_times(function: Callable = residual_rms_norm, N: int = 4096) -> dict:
    """Milliseconds of residual + RMSNorm in 16 bits, and of a copy of the compulsory bytes."""
    dtype = torch.bfloat16 if gpu.has_bfloat16() else torch.float16
    x, residual = torch.randn(2, elements() // N, N, device=gpu.device()).to(dtype)
    weight = torch.ones(N, device=x.device, dtype=dtype)
    out, hidden = torch.zeros_like(x), torch.zeros_like(x)
    eager = EAGER["residual_rms_norm"]
    inputs = (x, residual, weight, 1e-5)
    name, kernel = contender(function, residual_rms_norm, eager(*inputs), [out, hidden], *inputs)

    def copy():
        out.copy_(x)
        hidden.copy_(residual)

    def two_kernels():
        torch.add(x, residual, out=hidden)
        rms_norm(out, hidden, weight, 1e-5)

    runs = {"copy": (copy,), "eager": (eager, *inputs), **compiled(eager, *inputs),
            "add, then rms_norm": (two_kernels,), name: (kernel, out, hidden, *inputs)}
    return {"M": x.shape[0], "N": N, "dtype": str(dtype).removeprefix("torch."),
            "ms": times(runs)}


GRAPHS = {
    "sin² + cos²": EAGER["sin2_cos2"],
    "residual + RMSNorm": lambda a: EAGER["residual_rms_norm"](a, a, a[0], 1e-5),
    "relu(a @ a)": lambda a: torch.relu(a @ a),
    "a / a.sum()": lambda a: a / a.sum(),
    "attention": lambda a: torch.softmax(a @ a.T, dim=1) @ a,
}


@experiment
def compiled_graphs() -> dict:
    """Which kernels torch.compile launches on a GPU for each of GRAPHS."""
    a = torch.randn(2048, 2048, device=gpu.device())
    made = {name: torch_compile(function, a) for name, function in GRAPHS.items()}
    return {"kernels": {name: list(one.kernels) for name, one in made.items()},
            "arithmetic": made["sin² + cos²"].arithmetic}


if __name__ == "__main__":
    # A copy of the names: torch.compile adds its own to the module while we go through them.
    print(store(SimpleNamespace(**globals())))
