"""Tensor descriptors made by the host, where rows of 16 bytes allow them."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def kernel(out, x, y, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    out.store([first], x.load([first]) + y.load([first]))


@triton.jit
def plain_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = here < n
    x, y = tl.load(x_ptr + here, mask=mask), tl.load(y_ptr + here, mask=mask)
    tl.store(out_ptr + here, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    if n % 4:
        plain_kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
        return
    tiles = [TensorDescriptor(one, [n], [1], [256]) for one in (out, x, y)]
    kernel[(triton.cdiv(n, 256),)](*tiles, BLOCK=256)
'''
