"""A helper of its own in another cell, and one that calls it."""

EXERCISE = "vector_add"
EARNS = 7
BEFORE = ['''
@triton.jit
def plus(a, b):
    """The sum."""
    return a + b
''']
CELL = '''
@triton.jit
def both(a, b):
    return plus(a, b)


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = both(tl.load(x_ptr + offsets, mask=mask), tl.load(y_ptr + offsets, mask=mask))
    tl.store(out_ptr + offsets, total, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
