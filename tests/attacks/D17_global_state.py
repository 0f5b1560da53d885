"""Changes every global setting that it can think of; its own work is right. Kind: state that
others would inherit.
"""

EXERCISE = "vector_add"
EARNS = 7
ALONE = True
CELL = '''
import os

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = True
torch.use_deterministic_algorithms(False)
os.environ["TRITON_INTERPRET"] = "1"

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
