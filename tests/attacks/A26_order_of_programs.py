"""Program 0 makes out zero and all programs add to it: right in one order only. Kind: race."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    if part > 0:
        x += tl.load(out_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)


@triton.jit
def both_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) // 2 * BLOCK
    offsets = first + tl.arange(0, BLOCK)
    mask = offsets < n
    if tl.program_id(0) % 2 == 0:
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
    else:
        before = tl.load(out_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, before + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    both_kernel[(2 * triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
