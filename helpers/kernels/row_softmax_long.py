"""Softmax of rows that no longer fit one block: two sweeps."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_softmax_long_kernel(
    out_ptr, x_ptr,             # out, x [M, N] f32, f16 or bf16
    stride_om, stride_xm,       # elements from one row to the next; columns are adjacent
    N,                          # columns
    BLOCK_N: tl.constexpr,      # columns per step, a power of two
):
    """Softmax of each row, in two sweeps over blocks of the row.  Grid: (M,).

    Moves 3·M·N elements, M·N of them for the second reading, from the L2 cache if they are still
    there.  Method: Milakov & Gimelshein, arXiv:1805.02867.
    """
    row = tl.program_id(0).to(tl.int64)     # 64 bits: row * stride may pass 2^31
    cols = tl.arange(0, BLOCK_N)
    x_ptr += row * stride_xm
    out_ptr += row * stride_om

    # Finite, so that a block of nothing but -inf gives exp(-inf) = 0, not exp(-inf + inf) = NaN.
    row_max = -3.4028234e38
    row_sum = 0.0
    for start in range(0, N, BLOCK_N):
        here = start + cols
        x = tl.load(x_ptr + here, mask=here < N, other=-float("inf"),
                    eviction_policy="evict_last").to(tl.float32)    # keep in cache: we come back
        new_max = tl.maximum(row_max, tl.max(x, axis=0))
        row_sum = row_sum * tl.exp(row_max - new_max) + tl.sum(tl.exp(x - new_max), axis=0)
        row_max = new_max

    # Backwards: what was read last is the likeliest to be in the cache still.
    last = (N - 1) // BLOCK_N * BLOCK_N
    for start in range(0, N, BLOCK_N):
        here = last - start + cols
        x = tl.load(x_ptr + here, mask=here < N, other=-float("inf"),
                    eviction_policy="evict_first").to(tl.float32)
        tl.store(out_ptr + here, tl.exp(x - row_max) / row_sum, mask=here < N,
                 eviction_policy="evict_first")


def row_softmax_long(out: torch.Tensor, x: torch.Tensor) -> None:
    """Softmax of each row: out, x [M, N] of one dtype, rows of any length, any distance apart."""
    M, N = x.shape
    assert out.stride(1) == x.stride(1) == 1, "columns must be adjacent"
    # 1024 threads with 32 elements each: half of the registers of an SM.
    row_softmax_long_kernel[(M,)](
        out, x, out.stride(0), x.stride(0), N, BLOCK_N=32768, num_warps=32)
