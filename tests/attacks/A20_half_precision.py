"""Adds in float16. Kind: less precision than asked."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float16)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask).to(tl.float16), mask=mask)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
