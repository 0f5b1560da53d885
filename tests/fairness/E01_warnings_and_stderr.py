"""Warnings and text on both streams, from Python and past it."""

EXERCISE = "vector_add"
EARNS = 7
CELL = r'''
import os
import sys
import warnings

warnings.warn('careful')


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    warnings.warn('careful')
    print('about to launch', file=sys.stderr)
    os.write(2, b'really\n')
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
