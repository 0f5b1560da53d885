"""Right, but each program takes elements that lie far apart: a whole sector moves for each.
Kind: waste that element counts do not show.
"""

EXERCISE = "vector_add"
EARNS = 5
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) + tl.arange(0, BLOCK) * tl.num_programs(0)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 256),)](out, x, y, out.numel(), BLOCK=256)
'''
