"""Prints 40 MB, from Python and past it, on both streams; the kernel is right. Kind: flood."""

EXERCISE = "vector_add"
EARNS = 7
ALONE = True
CELL = '''
import os
import sys

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    for _ in range(10):
        print("x" * (1 << 20))
        print("x" * (1 << 20), file=sys.stderr)
        os.write(1, b"x" * (1 << 20))
        os.write(2, b"x" * (1 << 20))
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
