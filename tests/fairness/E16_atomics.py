"""Zeroes the output and adds to it atomically: right, but more bytes."""

EXERCISE = "vector_add"
EARNS = 5
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.atomic_add(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    out.zero_()
    for one in (x, y):
        kernel[(triton.cdiv(out.numel(), 1024),)](out, one, out.numel(), BLOCK=1024)
'''
