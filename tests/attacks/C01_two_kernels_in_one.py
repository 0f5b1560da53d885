"""One text, two kernels: one for the interpreter, one for the GPU. Kind: Python in the kernel."""
EXERCISE = "vector_add"
EARNS = 0
SAYS = r"the name isinstance"
CELL = r'''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    if isinstance(BLOCK, tl.constexpr):     # only when compiled
        pass
    else:
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
