"""Imports that may fail, names from Triton's language, an own alias."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
try:
    import a_module_that_nobody_has as fast
except ImportError:
    fast = None
import triton as t
from triton import cdiv
from triton import language as lang
from triton.language import arange, constexpr, load, program_id, store


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: constexpr):
    offsets = program_id(0).to(lang.int64) * BLOCK + arange(0, BLOCK)
    mask = offsets < n
    store(out_ptr + offsets, load(x_ptr + offsets, mask) + load(y_ptr + offsets, mask), mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
