"""Measurements of notebook 01.  Times of whole calls are wall-clock times, kernels' are events'.

Stored on an H200 by:  python -m helpers.experiments.first_kernel > FILE
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable

import torch
import triton
import triton.language as tl

from helpers import gpu
from helpers.assembly import compiled
from helpers.exercises.first_kernel import SM_LIMITS
from helpers.grading.clock import median_ms
from helpers.kernels.copy import copy
from helpers.kernels.occupancy import occupancy
from helpers.kernels.vector_add import vector_add, vector_add_kernel

from . import experiment, store

SIZES = tuple(4**power for power in range(14))      # 1 to 67 million elements: 0.8 GB for three
LARGE = SIZES[-1]

# FP32 lanes ("CUDA cores") of one SM by compute capability: CUDA C++ Programming Guide,
# arithmetic throughput (an entry of 64 or 128 results per cycle for 32-bit floating-point add).
LANES = {(7, 0): 64, (7, 5): 64, (8, 0): 64}
LANES_SINCE = 128       # 8.6 and later


# --- which kernel -------------------------------------------------------------------------------

def yours_or_ours(function: Callable) -> tuple[Callable, object, str]:
    """Your function and kernel if they add correctly, else the reference's, and what to call it."""
    kernel = getattr(function, "__globals__", {}).get("vector_add_kernel")
    try:
        x = torch.arange(1500, dtype=torch.float32, device=gpu.device() or "cpu")
        out = torch.full_like(x, -1.0)
        function(out, x, x)
        right = kernel is not None and torch.equal(out, 2 * x)
    except Exception:       # any failure of the learner's kernel: `check` explains it, not we
        right = False
    if right:
        return function, kernel, "your vector_add"
    return vector_add, vector_add_kernel, "reference vector_add (yours is not right yet)"


def your_occupancy(function: Callable) -> tuple[Callable, str]:
    """Your occupancy function if it is right, else the reference, and what to call it."""
    try:
        right = all(tuple(function(*launch, dict(sm))) == occupancy(*launch, sm)
                    for sm in SM_LIMITS.values()
                    for launch in ((256, 32, 0), (1024, 65, 0), (128, 16, 20000), (65, 16, 0)))
    except Exception:       # `check` explains it
        right = False
    if right:
        return function, "your occupancy"
    return occupancy, "reference occupancy (yours is not right yet)"


# --- the device ---------------------------------------------------------------------------------

@experiment
def device() -> dict:
    """What the driver says about the GPU, and two ceilings that follow from it."""
    properties = torch.cuda.get_device_properties(gpu.device())
    capability = (properties.major, properties.minor)
    lanes = LANES.get(capability, LANES_SINCE)
    # Double data rate: two transfers per cycle of the memory clock on every line of the bus.
    memory = 2 * properties.memory_clock_rate * 1e3 * properties.memory_bus_width / 8
    return {
        "name": properties.name,
        "capability": list(capability),
        "sms": properties.multi_processor_count,
        "lanes_per_sm": lanes,
        "clock_GHz": properties.clock_rate / 1e6,
        "memory_GHz": properties.memory_clock_rate / 1e6,
        "bus_bits": properties.memory_bus_width,
        "memory_GB_s": memory / 1e9,
        "adds_per_second": properties.multi_processor_count * lanes * properties.clock_rate * 1e3,
        "memory_GB": properties.total_memory / 1e9,
        "l2_MB": properties.L2_cache_size / 1e6,
        "registers_per_sm": properties.regs_per_multiprocessor,
        "threads_per_sm": properties.max_threads_per_multi_processor,
        "shared_KiB_per_sm": properties.shared_memory_per_multiprocessor / 1024,
    }


def sm_limits() -> dict:
    """Limits of one SM of the GPU here, or of an H200: the argument `sm` of `occupancy`."""
    facts = device()
    capability = "({}.{})".format(*facts["capability"])
    known = [limits for name, limits in SM_LIMITS.items() if capability in name]
    if known:
        return dict(known[0])
    return dict(SM_LIMITS["H200 (9.0)"], max_threads=facts["threads_per_sm"],
                registers=facts["registers_per_sm"],
                shared_memory=int(1024 * facts["shared_KiB_per_sm"]))


@triton.jit
def _where_kernel(sm_ptr, thread_ptr, BLOCK: tl.constexpr):
    """For each element: the SM and the thread that own it, read from special registers."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r,r", [i], dtype=tl.int32,
                                   is_pure=False, pack=1)
    thread = tl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r,r", [i], dtype=tl.int32,
                                       is_pure=False, pack=1)
    tl.store(sm_ptr + i, sm)
    tl.store(thread_ptr + i, thread)


@experiment
def places() -> dict:
    """Where a launch of one and a half programs for every SM ran, and who owns which element."""
    sms, block = device()["sms"], 1024
    programs = sms + sms // 2
    sm = torch.empty(programs * block, dtype=torch.int32, device=gpu.device())
    thread = torch.empty_like(sm)
    for _ in range(2):      # the first launch compiles
        _where_kernel[(programs,)](sm, thread, BLOCK=block, num_warps=4)
    return {"sm_of_program": sm[::block].tolist(), "thread_of_element": thread[:block].tolist(),
            "sms": sms}


# --- time against size --------------------------------------------------------------------------

def wall_us(function: Callable, *arguments, repeats: int = 25, on_gpu: bool = True) -> float:
    """Time from calling a function until its result is there, in microseconds.

    The lower quartile of `repeats`: other programs disturb a wall clock only upwards.
    """
    wait = torch.cuda.synchronize if on_gpu else (lambda: None)
    times = []
    begin = time.perf_counter()
    # 30 ms of warm-up, at least three calls: compiler, caches, clocks of CPU and GPU.
    while len(times) < 3 or time.perf_counter() - begin < 0.03:
        times.append(function(*arguments))
    times.clear()
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        function(*arguments)
        wait()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.quantiles(times, n=4)[0]


def vectors(n: int, where) -> list[torch.Tensor]:
    """out, x and y of n numbers each."""
    return [torch.zeros(n, device=where), *torch.randn(2, n, device=where)]


def add_on_cpu(sizes=SIZES) -> list[float]:
    """Microseconds that PyTorch needs to add vectors on this machine's CPU, all cores."""
    times = []
    for n in sizes:
        out, x, y = vectors(n, "cpu")
        times.append(wall_us(lambda out=out, x=x, y=y: torch.add(x, y, out=out), on_gpu=False,
                             repeats=25 if n < 1e6 else 5))
    return times


@experiment
def add_on_gpu(add: Callable = vector_add) -> dict:
    """Microseconds until the sum is there, by size: launch, kernel and waiting for it."""
    return {"n": list(SIZES), "us": [wall_us(add, *vectors(n, gpu.device())) for n in SIZES]}


@experiment
def launches(count: int = 500) -> dict:
    """What a launch costs when there is almost nothing to do: one element."""
    out, x, y = vectors(1, gpu.device())
    result = {}
    for name, call in (("triton", lambda: vector_add(out, x, y)),
                       ("pytorch", lambda: torch.add(x, y, out=out))):
        wall_us(call)
        start = time.perf_counter()
        for _ in range(count):
            call()
        submitted = time.perf_counter() - start
        torch.cuda.synchronize()
        result[f"{name}_submit_us"] = 1e6 * submitted / count
        result[f"{name}_until_done_us"] = wall_us(call, repeats=101)
        result[f"{name}_kernel_us"] = 1e3 * median_ms(call)[0]
    return result


@experiment
def bandwidth(add: Callable = vector_add) -> dict:
    """GB/s by size, events only: vector_add moves 12 bytes an element, copy 8."""
    sizes = [n for n in SIZES if n >= 4096]
    result = {"n": sizes, "add_GB_s": [], "copy_GB_s": []}
    for n in sizes:
        out, x, y = vectors(n, gpu.device())
        result["add_GB_s"].append(12 * n / median_ms(add, out, x, y)[0] / 1e6)
        result["copy_GB_s"].append(8 * n / median_ms(copy, out, x)[0] / 1e6)
    return result


# --- parallelism --------------------------------------------------------------------------------

@triton.jit
def few_programs_kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """Copy with as many programs as you like: each takes every num_programs-th block."""
    first = tl.program_id(0) * BLOCK
    for start in tl.range(first, n, tl.num_programs(0) * BLOCK, num_stages=1):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@experiment
def bandwidth_by_warps(kernel=few_programs_kernel) -> dict:
    """GB/s of a copy by warps resident on each SM; every warp has 512 bytes of loads under way."""
    sms, most = device()["sms"], sm_limits()["max_threads"] // 32
    n = LARGE
    out, x, _ = vectors(n, gpu.device())
    counts = [w for w in (1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64) if w <= most]
    speeds = []
    for warps in counts:
        per_block = 1 if warps == 1 else 2 if warps < 64 and warps % 4 else 4
        grid = (sms * warps // per_block,)

        def run(grid=grid, per_block=per_block):
            kernel[grid](out, x, n, BLOCK=128 * per_block, num_warps=per_block)

        speeds.append(8 * n / median_ms(run, repeats=15)[0] / 1e6)
    return {"warps": counts, "GB_s": speeds, "sms": sms, "bytes_per_warp": 512}


BLOCKS = (256, 512, 1024, 2048, 4096, 8192, 16384)


def resources(kernel) -> dict[int, tuple[int, int]]:
    """Registers and spilled bytes of one thread of vector_add's kernel, by elements a program.

    Compiled for the GPU here, or for an H200, with four warps a program.
    """
    result = {}
    for block in BLOCKS:
        made = compiled(kernel, tuple(device()["capability"]), out_ptr="*fp32", x_ptr="*fp32",
                        y_ptr="*fp32", n="i32", BLOCK=block)
        result[block] = (made.registers, made.spilled)
    return result


@experiment
def bandwidth_by_block(kernel=vector_add_kernel) -> dict:
    """GB/s of vector_add by elements a program, always four warps, one of the largest sizes."""
    out, x, y = vectors(LARGE, gpu.device())
    speeds = []
    for block in BLOCKS:
        milliseconds, _, _ = median_ms(lambda block=block: kernel[(triton.cdiv(LARGE, block),)](
            out, x, y, LARGE, BLOCK=block, num_warps=4))
        speeds.append(12 * LARGE / milliseconds / 1e6)
    return {"block": list(BLOCKS), "GB_s": speeds}


# Half of the threads take one loop, half the other; MASK and SHIFT say which half: bit SHIFT of
# the thread's number, or with MASK 0 all the same one.
_TWO_WAYS = """{
    .reg .pred one, more;
    .reg .u32 way, i;
    mov.u32 way, %tid.x;
    shr.u32 way, way, SHIFT;
    and.b32 way, way, MASK;
    setp.eq.u32 one, way, 0;
    mov.f32 $0, $1;
    mov.u32 i, 0;
    @one bra FIRST;
    SECOND:
    .pragma "nounroll";
    fma.rn.f32 $0, $0, 0f3F000000, 0f3F800000;
    add.u32 i, i, 1;
    setp.lt.u32 more, i, 2000;
    @more bra SECOND;
    bra.uni DONE;
    FIRST:
    .pragma "nounroll";
    fma.rn.f32 $0, $0, 0f3F000000, 0f40000000;
    add.u32 i, i, 1;
    setp.lt.u32 more, i, 2000;
    @more bra FIRST;
    DONE:
}"""


@triton.jit
def _branch_kernel(out_ptr, x_ptr, ASM: tl.constexpr):
    """2000 multiply-adds on one element a thread, by one of two roads."""
    offsets = tl.program_id(0) * 128 + tl.arange(0, 128)
    x = tl.load(x_ptr + offsets)
    x = tl.inline_asm_elementwise(ASM, "=&f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(out_ptr + offsets, x)


@experiment
def branches() -> dict:
    """Milliseconds of 2000 multiply-adds a thread where a branch splits nobody, warps or lanes."""
    n = 1 << 20
    out, x, _ = vectors(n, gpu.device())
    result = {}
    for name, mask, shift in (("no one", 0, 0), ("whole warps", 1, 5), ("lanes of a warp", 1, 0)):
        asm = _TWO_WAYS.replace("MASK", str(mask)).replace("SHIFT", str(shift))
        result[name] = median_ms(lambda asm=asm: _branch_kernel[(n // 128,)](
            out, x, ASM=asm, num_warps=4))[0]
    return {"ms": result, "steps": 2000, "n": n}


# --- roads --------------------------------------------------------------------------------------

@experiment
def roads(mebibytes: int = 256) -> dict:
    """Milliseconds to move 256 MiB between host and GPU, both ways, and within the GPU."""
    size = mebibytes << 20
    there = torch.empty(size, dtype=torch.uint8, device=gpu.device())
    elsewhere = torch.empty_like(there)
    pageable = torch.ones(size, dtype=torch.uint8)
    pinned = torch.ones(size, dtype=torch.uint8, pin_memory=True)
    plan = {
        "pageable to device": (there, pageable), "pageable to host": (pageable, there),
        "pinned to device": (there, pinned), "pinned to host": (pinned, there),
        "on device": (elsewhere, there),
    }
    return {"MiB": mebibytes, "ms": {
        name: wall_us(target.copy_, source, repeats=7) / 1e3
        for name, (target, source) in plan.items()}}


# --- the opening self-test ----------------------------------------------------------------------

@triton.jit
def _chain_kernel(out_ptr, x_ptr, n, COUNT: tl.constexpr, BLOCK: tl.constexpr):
    """COUNT dependent multiply-adds on every element, which is read once and written once."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    for _ in tl.static_range(COUNT):
        x = x * 0.5 + 1.0
    tl.store(out_ptr + offsets, x, mask=offsets < n)


QUESTIONS = {
    "one number": "one addition, result in hand: GPU time / CPU time",
    "65,536 numbers": "65,536 additions on the GPU: time / time of one addition",
    "67 million numbers": "67 million additions: CPU time / GPU time",
    "16 times the arithmetic": "16 multiply-adds a number instead of 1, 67 million numbers: "
                               "time / time",
    "from the host": "256 MiB from pinned host memory to the GPU: time / time of a copy on the GPU",
    "one larger": "float16 matrix product, 1793 × 1793 / 1792 × 1792: time / time",
}


@experiment
def six_ratios() -> dict:
    """The answers of the opening self-test, with the times behind them."""
    small, middle, large = 1, 65536, LARGE
    where = gpu.device()
    # The GPU first: PyTorch's CPU threads keep spinning for a while and slow down launches.
    gpu_us = {n: wall_us(vector_add, *vectors(n, where)) for n in (small, middle, large)}
    cpu = dict(zip((small, large), add_on_cpu((small, large)), strict=True))
    out, x, _ = vectors(large, where)
    chain = {count: median_ms(lambda count=count: _chain_kernel[(large // 1024,)](
        out, x, large, COUNT=count, BLOCK=1024))[0] for count in (1, 16)}
    road = roads()["ms"]
    product = {}
    for size in (1792, 1793):
        a, b = torch.randn(2, size, size, device=where, dtype=torch.float16)
        product[size] = median_ms(torch.mm, a, b)[0]
    times = [
        (gpu_us[small], cpu[small], "µs"),
        (gpu_us[middle], gpu_us[small], "µs"),
        (cpu[large], gpu_us[large], "µs"),
        (chain[16], chain[1], "ms"),
        (road["pinned to device"], road["on device"], "ms"),
        (product[1793], product[1792], "ms"),
    ]
    return {"ratios": {name: a / b for name, (a, b, _) in zip(QUESTIONS, times, strict=True)},
            "times": {name: [a, b, unit] for name, (a, b, unit)
                      in zip(QUESTIONS, times, strict=True)}}


def score(guesses: dict[str, float | None], answers: dict[str, float]) -> dict[str, float]:
    """One point for a guess within a factor of 2, half a point within 5, by question."""
    points = {}
    for name, guess in guesses.items():
        if guess is None or guess <= 0:
            continue
        off = max(guess / answers[name], answers[name] / guess)
        points[name] = 1.0 if off <= 2 else 0.5 if off <= 5 else 0.0
    return points


def crossover(sizes, one, other) -> float | None:
    """The size at which two curves of time over size meet, read off between two measured sizes."""
    for (a, p, q), (b, r, s) in itertools.pairwise(zip(sizes, one, other, strict=True)):
        if (p - q) * (r - s) <= 0 and p != q:
            part = (q - p) / ((q - p) + (r - s))
            return a * (b / a) ** part
    return None


if __name__ == "__main__":
    import sys

    print(store(sys.modules["__main__"]))
