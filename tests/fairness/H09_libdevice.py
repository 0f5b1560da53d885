"""A function of libdevice, for a number that the interpreter can do without."""

EXERCISE = "sin2_cos2"
EARNS = 7
SLOW = True
CELL = '''
from triton.language.extra import libdevice


@triton.jit
def kernel(out_ptr, x_ptr, n, FAST: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    if FAST:
        s, c = libdevice.sin(x), libdevice.cos(x)
    else:
        s, c = tl.sin(x), tl.cos(x)
    tl.store(out_ptr + offsets, s * s + c * c, mask=offsets < n)


def sin2_cos2(out, x):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, n, FAST=x.is_cuda, BLOCK=1024)
'''
