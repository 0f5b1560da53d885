"""Add two vectors of any length."""

import torch
import triton
import triton.language as tl


@triton.jit
def vector_add_kernel(
    out_ptr, x_ptr, y_ptr,      # out, x, y [n] f32
    n,                          # elements
    BLOCK: tl.constexpr,        # elements per program, a power of two
):
    """out[i] = x[i] + y[i].  Grid: (ceil(n / BLOCK),).

    Moves 12·n bytes: reads 4·n of x and 4·n of y, writes 4·n of out.
    """
    first = tl.program_id(0).to(tl.int64) * BLOCK       # 64 bits: n may pass 2^31
    # Your turn (5 lines): which elements are this program's, and which of them exist?
    # Load those of x and y, and store their sums.
    ### BEGIN SOLUTION
    offsets = first + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
    ### END SOLUTION


def vector_add(out: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> None:
    """out[i] = x[i] + y[i] for contiguous vectors out, x, y [n] f32."""
    n = out.numel()
    BLOCK = 1024
    vector_add_kernel[(triton.cdiv(n, BLOCK),)](out, x, y, n, BLOCK=BLOCK)
