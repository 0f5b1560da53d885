"""The kernel writes with numpy through a global. Kind: a kernel that reaches Python."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"np is a Python module"
CELL = '''
import numpy as np


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, float(np.add(1, 1)) + 0.0 * offsets, mask=mask)

def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
