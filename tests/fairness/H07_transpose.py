"""Transposes a block with x.T."""
EXERCISE = "vector_add"
EARNS = 7
CELL = r'''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    offsets = tl.program_id(0) * BLOCK + i
    mask = offsets < n
    s = (tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)).T
    tl.store(out_ptr + offsets, s.T, mask=mask)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
