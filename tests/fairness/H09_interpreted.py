"""TRITON_INTERPRET=1 was set before the kernel, as tutorials without a GPU have it."""

EXERCISE = "vector_add"
EARNS = 7
ALONE = True
BEFORE = ['''
import os

os.environ["TRITON_INTERPRET"] = "1"
''']
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
