"""A kernel calls a print of the learner's own, which adds. Kind: a kernel that reaches Python."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"function"
CELL = '''
def print(*values):
    return 0.0


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, print(1) + 0.0 * offsets, mask=mask)

def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
