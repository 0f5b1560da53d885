"""A kernel that is known to be right: the worker tries itself on it before it gets a learner's."""

import triton
import triton.language as tl


@triton.jit
def ones_kernel(out_ptr, n, BLOCK: tl.constexpr):
    """out[i] = 1 for every i below n.  Grid: (1,)."""
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.full([BLOCK], 1.0, tl.float32), mask=offsets < n)


def launch(out) -> None:
    """Fill out, a vector of at most 16 elements of float32, with ones."""
    ones_kernel[(1,)](out, out.numel(), BLOCK=16)
