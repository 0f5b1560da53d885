"""Neither loads nor store are masked: right wherever the size is a multiple of the block. Kind:
out of bounds.
"""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))


def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 64),)](out, x, y, BLOCK=64)
'''
