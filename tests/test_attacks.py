"""Attacks on a kernel exercise that must earn nothing, and honest oddities that must pass.

Kinds, not instances: each entry is one way to let something else than a Triton kernel do the
work, or one unusual way to do honest work.
"""

import threading

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import _disable_current_modes

from helpers.exercises import EXERCISES
from helpers.grading.examiner import examine


@triton.jit
def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Moves the right bytes, computes the wrong thing."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * y, mask=mask)


@triton.jit
def honest_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def leaf(out, x, y):
    n = out.numel()
    leaf_kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)


def honest(out, x, y, **options):
    n = out.numel()
    honest_kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024, **options)


# --- attacks on vector_add ----------------------------------------------------------------------

def numpy_after_leaf(out, x, y):
    before = out.numpy().tobytes()
    leaf(out, x, y)
    if out.numpy().tobytes() != before:         # a ghost run would leave it alone
        np.add(x.numpy(), y.numpy(), out=out.numpy())


def other_thread(out, x, y):
    leaf(out, x, y)
    thread = threading.Thread(target=lambda: torch.add(x, y, out=out))
    thread.start()
    thread.join()


def dispatch_disabled(out, x, y):
    leaf(out, x, y)
    with _disable_current_modes():
        torch.add(x, y, out=out)


def data_exchanged(out, x, y):
    leaf(out, x, y)
    out.data = torch.from_numpy(x.numpy() + y.numpy())


def scratch_prepared_elsewhere(out, x, y):
    made = torch.empty_like(out)
    np.add(x.numpy(), y.numpy(), out=made.numpy())
    zero = torch.zeros_like(out)
    honest(out, made, zero)


_here = {}


@triton.jit
def python_kernel(out_ptr, BLOCK: tl.constexpr):
    _here["out"][:] = _here["x"] + _here["y"]


def python_in_the_body(out, x, y):
    _here.update(out=out.numpy(), x=x.numpy(), y=y.numpy())
    python_kernel[(1,)](out, BLOCK=1)


def python_for_some_sizes(out, x, y):
    (honest if out.numel() in (4097, 8192) else python_in_the_body)(out, x, y)


def one_program(out, x, y):
    n = out.numel()
    honest_kernel[(1,)](out, x, y, n, BLOCK=8192)


_memo = {}


def stale_memo(out, x, y):
    if out.numel() not in _memo:
        honest(out, x, y)
        _memo[out.numel()] = out.clone()
    else:
        honest(out, _memo[out.numel()], torch.zeros_like(out))


ATTACKS = [numpy_after_leaf, other_thread, dispatch_disabled, data_exchanged,
           scratch_prepared_elsewhere, python_in_the_body, python_for_some_sizes, one_program,
           stale_memo]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda f: f.__name__)
def test_attack_earns_nothing(attack):
    _memo.clear()
    result = examine(EXERCISES["vector_add"], attack, with_speed=False)
    assert result.points == 0, result.text()


def sizes_typed_in(out, x):
    @triton.jit
    def kernel(out_ptr, x_ptr, so, sx, M, N, BLOCK: tl.constexpr):
        for row in range(tl.program_id(0), M, 8):
            cols = tl.arange(0, BLOCK)
            x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf"))
            e = tl.exp(x.to(tl.float32) - tl.max(x, axis=0))
            tl.store(out_ptr + row * so + cols, e / tl.sum(e, axis=0), mask=cols < N)

    kernel[(8,)](out, x, out.stride(0), x.stride(0), x.shape[0], x.shape[1], BLOCK=1024)


def test_a_block_that_fits_only_the_public_sizes():
    assert examine(EXERCISES["row_softmax"], sizes_typed_in, with_speed=False).points == 0


@pytest.mark.parametrize("stop", [SystemExit(1), RuntimeError("boom")], ids=repr)
def test_leaving_early_is_a_verdict(stop):
    def f(out, x, y):
        raise stop

    assert examine(EXERCISES["vector_add"], f, with_speed=False).points == 0


def test_an_exception_that_cannot_speak():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def f(out, x, y):
        raise Mute

    assert examine(EXERCISES["vector_add"], f, with_speed=False).points == 0


def test_a_swallowed_time_limit_comes_again(monkeypatch):
    monkeypatch.setattr("helpers.grading.attempt.SECONDS", 1)

    def f(out, x, y):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass

    assert "may never end" in examine(EXERCISES["vector_add"], f, with_speed=False).text()


def test_a_function_cannot_spoil_the_limits_for_the_next_check():
    def spoil(threads, registers, shared_memory, sm):
        sm.clear()
        return 0, 0

    for _ in range(2):
        assert examine(EXERCISES["occupancy"], spoil).points == 0


# --- honest oddities ----------------------------------------------------------------------------

def softmax_by_methods(out, x):
    @triton.jit
    def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
        row, cols = tl.program_id(0), tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
        e = (x - x.max(axis=0)).exp()
        tl.store(out_ptr + row * so + cols, e / e.sum(axis=0), mask=cols < N)

    M, N = x.shape
    kernel[(M,)](out, x, out.stride(0), x.stride(0), N, BLOCK=triton.next_power_of_2(N))


def softmax_persistent(out, x):
    @triton.jit
    def kernel(out_ptr, x_ptr, so, sx, M, N, flag, BLOCK: tl.constexpr):
        cols = tl.arange(0, BLOCK)
        for row in tl.range(tl.program_id(0), M, tl.num_programs(0), num_stages=2):
            first = row.to(tl.int64)
            x = tl.load(x_ptr + first * sx + cols, mask=cols < N, other=-float("inf"))
            x = x.to(tl.float32)
            e = tl.exp2((x - tl.max(x, axis=0)) * 1.4426950408889634)
            if flag:
                tl.store(out_ptr + first * so + cols, e / tl.sum(e, axis=0), mask=cols < N)

    M, N = x.shape
    kernel[(4,)](out, x, out.stride(0), x.stride(0), M, N, True,
                 BLOCK=triton.next_power_of_2(N), num_warps=8)


def softmax_rows_together(out, x):
    @triton.jit
    def kernel(out_ptr, x_ptr, so, sx, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        cols = tl.arange(0, BLOCK)[None, :]
        mask = (rows < M) & (cols < N)
        x = tl.load(x_ptr + rows * sx + cols, mask=mask, other=-float("inf")).to(tl.float32)
        x = tl.where(rows < M, x, 0.0)
        tl.store(out_ptr + rows * so + cols, tl.softmax(x, 1, keep_dims=True), mask=mask)

    M, N = x.shape
    kernel[(triton.cdiv(M, 4),)](out, x, out.stride(0), x.stride(0), M, N, ROWS=4,
                                 BLOCK=triton.next_power_of_2(N))


@triton.autotune(
    [triton.Config({"BLOCK": 2**k}) for k in range(14)], key=["N"],
    prune_configs_by={"early_config_prune": lambda configs, named, **_: [
        c for c in configs if c.kwargs["BLOCK"] >= named["N"]]})
@triton.jit
def tuned_kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * so + cols, e / tl.sum(e, axis=0), mask=cols < N)


def softmax_autotuned(out, x):
    print("looking at", x.shape)
    tuned_kernel[lambda meta: (x.shape[0],)](out, x, out.stride(0), x.stride(0), x.shape[1])
    assert not torch.isnan(out).any() or torch.isnan(x).any()


@pytest.mark.parametrize("oddity", [softmax_by_methods, softmax_persistent, softmax_rows_together,
                                    softmax_autotuned], ids=lambda f: f.__name__)
def test_honest_softmax_passes(oddity):
    result = examine(EXERCISES["row_softmax"], oddity, with_speed=False)
    assert result.points == 7, result.text()


def unaligned_chunks(out, x, y):
    @triton.jit
    def kernel(out_ptr, x_ptr, y_ptr, n, chunk, BLOCK: tl.constexpr):
        first = tl.program_id(0) * chunk
        for start in range(0, chunk, BLOCK):
            here = start + tl.arange(0, BLOCK)
            mask = (here < chunk) & (first + here < n)
            total = tl.load(x_ptr + first + here, mask=mask)
            total += tl.load(y_ptr + first + here, mask=mask)
            tl.store(out_ptr + first + here, total, mask=mask)

    kernel[(7,)](out, x, y, out.numel(), triton.cdiv(out.numel(), 7), BLOCK=128)


def scratch_and_options(out, x, y):
    scratch = torch.empty_like(out)
    assert not scratch.is_cuda or x.is_cuda
    honest(out[:], x.view(-1), y.reshape(-1), num_warps=2, num_stages=1)


@pytest.mark.parametrize("oddity", [unaligned_chunks, scratch_and_options],
                         ids=lambda f: f.__name__)
def test_honest_vector_add_passes(oddity):
    result = examine(EXERCISES["vector_add"], oddity, with_speed=False)
    assert result.points == 7, result.text()


def test_zeroing_the_output_and_adding_to_it_is_right():
    def f(out, x, y):
        @triton.jit
        def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
            offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            mask = offsets < n
            tl.atomic_add(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)

        out.zero_()
        for one in (x, y):
            kernel[(triton.cdiv(out.numel(), 1024),)](out, one, out.numel(), BLOCK=1024)

    result = examine(EXERCISES["vector_add"], f, with_speed=False)
    assert result.criteria[0].points == 5 and result.criteria[1].points == 0, result.text()


def test_numbers_of_numpy_are_numbers():
    from helpers.kernels.occupancy import occupancy

    def f(*arguments):
        return tuple(np.int64(n) for n in occupancy(*arguments))

    assert examine(EXERCISES["occupancy"], f).points == 5
