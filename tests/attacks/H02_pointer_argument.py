"""Hands the kernel an address as a number, of memory that it has filled itself. Kind: a pointer
from a number.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"far outside|Error"
CELL = '''
import numpy as np

kept = []


@triton.jit
def kernel(out_ptr, address, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    known = address.to(tl.int64).to(out_ptr.dtype, bitcast=True)
    tl.store(out_ptr + offsets, tl.load(known + offsets, mask=offsets < n), mask=offsets < n)


def vector_add(out, x, y):
    kept.append(np.asarray(x.numpy() + y.numpy()))
    kernel[(triton.cdiv(out.numel(), 1024),)](
        out, kept[-1].ctypes.data, out.numel(), BLOCK=1024)
'''
