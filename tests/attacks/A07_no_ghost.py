"""numpy adds, but only after it has seen that a kernel really ran. Kind: work outside kernels."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
import numpy as np

@triton.jit
def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    before = out.numpy().tobytes()
    leaf_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
    if out.numpy().tobytes() != before:
        np.add(x.numpy(), y.numpy(), out=out.numpy())
'''
