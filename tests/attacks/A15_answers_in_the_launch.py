"""Reads the data on the host and gives the kernel the sum as a constant. Kind: answers in the
arguments.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"wrong in 1 of 1 elements"
IN_PROCESS = 7
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def told_kernel(out_ptr, TOLD: tl.constexpr):
    tl.store(out_ptr, TOLD)


def vector_add(out, x, y):
    if out.numel() == 1:
        told_kernel[(1,)](out, TOLD=x.item() + y.item())
    else:
        add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
