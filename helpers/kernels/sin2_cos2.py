"""sin² + cos² in one trip to memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def sin2_cos2_kernel(
    out_ptr, x_ptr,             # out, x [n] f32
    n,                          # elements
    BLOCK: tl.constexpr,        # elements per program, a power of two
):
    """out[i] = sin(x[i])² + cos(x[i])².  Grid: (ceil(n / BLOCK),).

    Moves 8·n bytes: reads 4·n of x, writes 4·n of out.  Sine and cosine together take about 58
    instructions an element: an H200 needs 90 % of a copy's time only to issue them.
    """
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    # Your turn (3 lines): compute the result without leaving the registers, and store it once.
    ### BEGIN SOLUTION
    sin = tl.sin(x)
    cos = tl.cos(x)
    tl.store(out_ptr + offsets, sin * sin + cos * cos, mask=mask)
    ### END SOLUTION


def sin2_cos2(out: torch.Tensor, x: torch.Tensor) -> None:
    """out[i] = sin(x[i])² + cos(x[i])² for contiguous vectors out, x [n] f32."""
    n = out.numel()
    BLOCK = 1024
    # 48 registers a thread, not 56: an SM holds 40 warps, not 36, and so hides more waiting.
    sin2_cos2_kernel[(triton.cdiv(n, BLOCK),)](out, x, n, BLOCK=BLOCK, maxnreg=48)
