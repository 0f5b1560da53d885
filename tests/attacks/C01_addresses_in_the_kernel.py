"""Copies by ctypes.memmove inside the kernel, from addresses in handles. Kind: a kernel that is
none.
"""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
import ctypes


@triton.jit
def kernel(out_ptr, x_ptr, n):
    ctypes.memmove(out_ptr.handle.data.item(), x_ptr.handle.data.item(), 4 * n.handle.data.item())


def vector_add(out, x, y):
    kernel[(1,)](out, x, out.numel())
'''
