"""Every hook of the instrumented interpreter, on this version of Triton and numpy.

`tests/test_versions.py` runs this file again on the other supported versions.
"""

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from helpers.grading.interpreter import count_traffic, install, watching
from helpers.grading.trace import MemoryFault

f32 = torch.float32


@triton.jit
def copy_kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def column_kernel(out_ptr, x_ptr, stride, N, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)
    for column in range(0, N):
        tl.store(out_ptr + rows * stride + column, tl.load(x_ptr + rows * stride + column))


@triton.jit
def descriptor_kernel(out_ptr, x_ptr, M, N, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    out = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    out.store([0, 0], x.load([0, 0]))


@triton.jit
def host_descriptor_kernel(out, x, BLOCK: tl.constexpr):
    out.store([0, 0], x.load([0, 0]))


@triton.jit
def block_pointer_kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out, tl.load(x, boundary_check=(0,)), boundary_check=(0,))


@triton.jit
def atomic_kernel(out_ptr, x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))


@triton.jit
def swap_kernel(out_ptr, BLOCK: tl.constexpr):
    tl.atomic_cas(out_ptr, 0, 7)


@triton.jit
def matmul_kernel(out_ptr, a_ptr, b_ptr, N: tl.constexpr, T: tl.constexpr):
    rows = tl.program_id(0) * T + tl.arange(0, T)
    columns = tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), dtype=tl.float32)
    for k in range(0, N, T):
        inner = k + tl.arange(0, T)
        a = tl.load(a_ptr + rows[:, None] * N + inner[None, :])
        b = tl.load(b_ptr + inner[:, None] * N + columns[None, :])
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], total)


@triton.jit
def helper(x, exponent):
    return tl.max(x, axis=0) * exponent


@triton.jit
def calls_helper_kernel(out_ptr, x_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, helper(tl.load(x_ptr + tl.arange(0, BLOCK)), 2.0))


def test_masked_copy_is_counted_exactly():
    x, out = torch.randn(1000), torch.empty(1000)
    with count_traffic(out=out, x=x) as traffic:
        copy_kernel[(2,)](out, x, 1000, BLOCK=512)
    assert torch.equal(out, x)
    assert traffic["x"].loaded_bytes == traffic["out"].stored_bytes == 4000
    assert traffic["x"].loaded_sectors == 125
    assert traffic["x"].stored_bytes == traffic["out"].loaded_bytes == 0
    assert len(traffic.launches) == 1 and not traffic.faults


def test_column_walk_uses_an_eighth_of_each_sector():
    x = torch.randn(16, 16)
    out = torch.empty_like(x)
    with count_traffic(out=out, x=x) as traffic:
        column_kernel[(1,)](out, x, 16, 16, BLOCK=16)
    assert traffic["x"].loaded_bytes == 1024
    assert traffic["x"].loaded_sectors * 32 == 8 * 1024


def test_descriptors_are_counted():
    x, out = torch.randn(8, 12), torch.zeros(8, 12)
    with count_traffic(out=out, x=x) as traffic:
        descriptor_kernel[(1,)](out, x, 8, 12, BLOCK=16)
    assert torch.equal(out, x)
    assert traffic["x"].loaded_bytes == traffic["out"].stored_bytes == 8 * 12 * 4


def test_host_descriptors_are_counted():
    x, out = torch.randn(16, 16), torch.zeros(16, 16)
    with count_traffic(out=out, x=x) as traffic:
        host_descriptor_kernel[(1,)](TensorDescriptor.from_tensor(out, [16, 16]),
                                     TensorDescriptor.from_tensor(x, [16, 16]), BLOCK=16)
    assert torch.equal(out, x)
    assert traffic["x"].loaded_bytes == traffic["out"].stored_bytes == 1024


@pytest.mark.skipif(tuple(int(n) for n in triton.__version__.split(".")[:2]) >= (3, 8),
                    reason="Triton dropped block pointers")
@pytest.mark.filterwarnings("ignore")
def test_block_pointers_are_counted():
    x, out = torch.randn(100), torch.zeros(100)
    with count_traffic(out=out, x=x) as traffic:
        block_pointer_kernel[(1,)](out, x, 100, BLOCK=128)
    assert torch.equal(out, x)
    assert traffic["x"].loaded_bytes == traffic["out"].stored_bytes == 400


def test_atomics_are_counted_and_no_conflict():
    x, out = torch.ones(64), torch.zeros(1)
    with count_traffic(out=out, x=x) as traffic:
        atomic_kernel[(4,)](out, x, BLOCK=16)
    assert out.item() == 64 and not traffic.faults
    assert traffic["out"].stored_bytes == traffic["out"].loaded_bytes == 16


def test_compare_and_swap_is_counted():
    out = torch.zeros(1, dtype=torch.int32)
    with count_traffic(out=out) as traffic:
        swap_kernel[(1,)](out, BLOCK=1)
    assert out.item() == 7
    assert traffic["out"].stored_bytes == traffic["out"].loaded_bytes == 4


def test_tiled_matmul_reads_each_element_n_over_t_times():
    N, T = 64, 16
    a, b, out = torch.randn(N, N), torch.randn(N, N), torch.empty(N, N)
    with count_traffic(out=out, a=a, b=b) as traffic:
        matmul_kernel[(N // T, N // T)](out, a, b, N=N, T=T)
    torch.testing.assert_close(out, a @ b, rtol=1e-4, atol=1e-4)
    assert traffic["a"].loaded_bytes == traffic["b"].loaded_bytes == N // T * N * N * 4


def test_device_functions_and_the_standard_library_are_interpreted():
    x, out = torch.randn(32), torch.empty(1)
    with watching(out=out, x=x):
        calls_helper_kernel[(1,)](out, x, BLOCK=32)
    assert out.item() == 2 * x.max().item()


def test_masked_lanes_without_other_are_poisoned():
    @triton.jit
    def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
        x = tl.load(x_ptr + tl.arange(0, BLOCK), mask=tl.arange(0, BLOCK) < n)
        tl.store(out_ptr, tl.sum(x, axis=0))

    x, out = torch.ones(8), torch.empty(1)
    with watching(out=out, x=x):
        kernel[(1,)](out, x, 5, BLOCK=8)
    assert out.isnan().all()


@pytest.mark.parametrize("seed", range(3))
def test_programs_run_in_another_order(seed):
    @triton.jit
    def kernel(out_ptr, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), tl.program_id(0))

    out = torch.zeros(1, dtype=torch.int32)
    with watching(order_seed=seed, out=out) as trace:
        kernel[(64,)](out, BLOCK=1)
    assert [f.kind for f in trace.faults] == ["two programs store"]


def test_equal_stores_of_two_programs_are_no_fault():
    @triton.jit
    def kernel(out_ptr, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), 1.0)

    out = torch.zeros(4)
    with watching(out=out) as trace:
        kernel[(3,)](out, BLOCK=4)
    assert not trace.faults


def test_reading_what_another_program_stores_is_found():
    @triton.jit
    def kernel(out_ptr, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        before = tl.load(out_ptr + tl.maximum(row - 1, 0))
        tl.store(out_ptr + row, before + 1.0)

    out = torch.zeros(4)
    with watching(out=out) as trace:
        kernel[(4,)](out, BLOCK=1)
    assert "reads another program's store" in [f.kind for f in trace.faults]


def test_a_wild_pointer_is_named_and_survived():
    @triton.jit
    def kernel(out_ptr, x_ptr, BLOCK: tl.constexpr):
        far = tl.program_id(0).to(tl.int64) + (1 << 40)
        tl.store(out_ptr + far, tl.load(x_ptr + far))

    x, out = torch.ones(8), torch.zeros(8)
    with watching(out=out, x=x) as trace:
        kernel[(1,)](out, x, BLOCK=1)
    assert [(f.kind, f.tensor) for f in trace.faults] == [
        ("load outside", None), ("store outside", None)]
    assert torch.equal(out, torch.zeros(8))


def test_an_unwatched_launch_refuses_to_leave_its_tensors():
    install()
    x, out = torch.ones(100), torch.zeros(100)
    with pytest.raises(MemoryFault, match=r"x_ptr\[100\]"):
        copy_kernel[(1,)](out, x, 128, BLOCK=128)


def test_closures_and_late_globals_are_seen():
    scale = tl.constexpr(3.0)

    @triton.jit
    def kernel(out_ptr, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), scale)

    out = torch.zeros(4)
    with watching(out=out):
        kernel[(1,)](out, BLOCK=4)
    assert torch.equal(out, torch.full((4,), 3.0))


def test_the_learners_namespace_stays_clean():
    x, out = torch.ones(8), torch.zeros(8)
    before = set(copy_kernel.fn.__globals__)
    with watching(out=out, x=x):
        copy_kernel[(1,)](out, x, 8, BLOCK=8)
    assert set(copy_kernel.fn.__globals__) == before


def test_the_ghost_does_nothing():
    x, out = torch.ones(8), torch.zeros(8)
    with watching(ghost=True, out=out, x=x) as trace:
        copy_kernel[(1,)](out, x, 8, BLOCK=8)
    assert torch.equal(out, torch.zeros(8)) and len(trace.launches) == 1


def test_autotuned_kernels_run_their_first_configuration():
    @triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
    @triton.jit
    def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)

    x, out = torch.randn(50), torch.zeros(50)
    with watching(out=out, x=x) as trace:
        kernel[lambda meta: (triton.cdiv(50, meta["BLOCK"]),)](out, x, 50)
    assert torch.equal(out, x) and trace.launches[0].arguments["BLOCK"] == 16
