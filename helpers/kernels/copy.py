"""The simplest kernel: copy a vector."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(
    out_ptr, x_ptr,             # out, x [n], any dtype
    n,                          # elements
    BLOCK: tl.constexpr,        # elements per program, a power of two
):
    """out[i] = x[i].  Grid: (ceil(n / BLOCK),).

    Moves 2·n elements: each is read once and written once.
    """
    first = tl.program_id(0).to(tl.int64) * BLOCK       # 64 bits: n may pass 2^31
    offsets = first + tl.arange(0, BLOCK)
    mask = offsets < n          # the last program owns fewer than BLOCK elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)


def copy(out: torch.Tensor, x: torch.Tensor) -> None:
    """out[i] = x[i] for contiguous vectors out, x [n] of one dtype."""
    n = out.numel()
    BLOCK = 1024
    copy_kernel[(triton.cdiv(n, BLOCK),)](out, x, n, BLOCK=BLOCK)
