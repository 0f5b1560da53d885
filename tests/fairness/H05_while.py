"""A while loop, a conditional, a tuple, an assignment with a type."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """Adds.

    One program takes every fourth block: def is a word here.
    """
    step: tl.constexpr = 4 * BLOCK
    start = tl.program_id(0) * BLOCK
    while start < n:
        offsets, zero = start + tl.arange(0, BLOCK), 0.0
        mask = offsets < n
        if BLOCK > 32 and not BLOCK == 7:
            x = tl.load(x_ptr + offsets, mask=mask, other=zero)
        else:
            x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)
        start += step


def vector_add(out, x, y):
    n = out.numel()
    kernel[(4,)](out, x, y, n, BLOCK=256)
'''
