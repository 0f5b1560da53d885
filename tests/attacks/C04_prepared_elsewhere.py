"""numpy adds into memory of its own; the kernel adds 0 to that. Kind: bytes moved out of sight."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
import numpy as np

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    made = torch.empty_like(out)
    np.add(x.numpy(), y.numpy(), out=made.numpy())
    add_kernel[(triton.cdiv(out.numel(), 1024),)](
        out, made, torch.zeros_like(out), out.numel(), BLOCK=1024)
'''
