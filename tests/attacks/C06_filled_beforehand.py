"""Fills out with 1 and lets the kernel store only where that is wrong: fills are not counted,
but then bytes are missing. Kind: two-sided bounds.
"""

EXERCISE = "sin2_cos2"
EARNS = 4
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    odd = x - x
    tl.store(out_ptr + offsets, odd, mask=(offsets < n) & (odd != 0.0))


def sin2_cos2(out, x):
    out.fill_(1.0)
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, out.numel(), BLOCK=1024)
'''
