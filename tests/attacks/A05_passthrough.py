"""Copies x to out and leaves y alone. Kind: identity."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, out.numel(), BLOCK=1024)
'''
