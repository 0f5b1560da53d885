"""Softmax of each row, one block holding the whole row."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_softmax_kernel(
    out_ptr, x_ptr,             # out, x [M, N] f32, f16 or bf16
    stride_om, stride_xm,       # elements from one row to the next; columns are adjacent
    N,                          # columns
    BLOCK_N: tl.constexpr,      # a power of two, at least N: the whole row
):
    """out[m, n] = exp(x[m, n] - max of row m) / sum of the same over row m.  Grid: (M,).

    Moves 2·M·N elements: between its one read and its one write, a row stays in registers.
    """
    row = tl.program_id(0).to(tl.int64)     # 64 bits: row * stride may pass 2^31
    cols = tl.arange(0, BLOCK_N)
    # Your turn (4 lines): load the row in float32 (what must the lanes beyond column N hold?),
    # take its maximum away, exponentiate, and store each element's share of the sum.
    ### BEGIN SOLUTION
    x = tl.load(x_ptr + row * stride_xm + cols, mask=cols < N, other=-float("inf"))
    x = x.to(tl.float32)
    exp = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride_om + cols, exp / tl.sum(exp, axis=0), mask=cols < N)
    ### END SOLUTION


def row_softmax(out: torch.Tensor, x: torch.Tensor) -> None:
    """Softmax of each row: out, x [M, N] of one dtype, rows any distance apart."""
    M, N = x.shape
    assert out.stride(1) == x.stride(1) == 1, "columns must be adjacent"
    BLOCK_N = triton.next_power_of_2(max(N, 1))
    num_warps = min(max(BLOCK_N // 512, 1), 32)     # 16 elements a thread, up to N = 16,384
    row_softmax_kernel[(M,)](
        out, x, out.stride(0), x.stride(0), N, BLOCK_N=BLOCK_N, num_warps=num_warps)
