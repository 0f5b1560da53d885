"""Stops the counting of bytes in its own process; the kernel reads x twice. Kind: tampering."""

EXERCISE = "vector_add"
EARNS = 5
ALONE = True
CELL = '''
import helpers.grading.trace

helpers.grading.trace.Trace._count = lambda *_: None


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    x = 0.5 * (x + tl.load(x_ptr + offsets, mask=mask))
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
