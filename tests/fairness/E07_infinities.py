"""Infinite and NaN results where they are right; squares by a power of the same."""

EXERCISE = "sin2_cos2"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n, 0.0)
    s, c = x.sin(), x.cos()
    tl.store(out_ptr + offsets, tl.fma(s, s, c * c), offsets < n)


def sin2_cos2(out, x):
    kernel[(triton.cdiv(out.numel(), 512),)](out, x, out.numel(), BLOCK=512)
'''
