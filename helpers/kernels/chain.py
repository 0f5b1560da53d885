"""K multiplications in one trip to memory: how much arithmetic is free?"""

import torch
import triton
import triton.language as tl


@triton.jit
def chain_kernel(
    out_ptr, x_ptr,             # out, x [n] f32
    n,                          # elements
    a,                          # the factor
    K: tl.constexpr,            # how often to multiply
    BLOCK: tl.constexpr,        # elements per program, a power of two
):
    """out[i] = x[i] · a · a · ... · a, K times.  Grid: (ceil(n / BLOCK),).

    Moves 8·n bytes, whatever K is.
    """
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    for _ in tl.static_range(K):
        x = x * a
    tl.store(out_ptr + offsets, x, mask=offsets < n)


def chain(out: torch.Tensor, x: torch.Tensor, a: float, k: int) -> None:
    """out = x · a, k times over, for contiguous vectors out, x [n] f32."""
    n = out.numel()
    BLOCK = 1024
    chain_kernel[(triton.cdiv(n, BLOCK),)](out, x, n, a, K=k, BLOCK=BLOCK)
