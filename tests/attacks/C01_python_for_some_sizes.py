"""Python in the kernel's body, except for the sizes at which kernels are compiled. Kind: a
kernel that is none.
"""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
here = {}

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def python_kernel(out_ptr, BLOCK: tl.constexpr):
    here["out"][:] = here["x"] + here["y"]


def vector_add(out, x, y):
    if out.numel() in (4097, 8192):
        add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
    else:
        here.update(out=out.numpy(), x=x.numpy(), y=y.numpy())
        python_kernel[(1,)](out, BLOCK=1)
'''
