"""The kernel in one cell, its launch in another; between them a cell that fails and is not
needed.
"""

EXERCISE = "vector_add"
EARNS = 7
BEFORE = ['''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)
''', '''
1 / 0
''']
CELL = '''
def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
