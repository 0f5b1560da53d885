"""Masked lanes without other= hold 0 in the interpreter, anything on a GPU. Kind: undefined
lanes.
"""

EXERCISE = "row_softmax"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N).to(tl.float32)
    e = tl.where(cols < N, tl.exp(x - tl.max(x, axis=0)), 0.0)
    tl.store(out_ptr + row * so + cols, e / tl.sum(e, axis=0), mask=cols < N)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(M,)](out, x, out.stride(0), x.stride(0), N, BLOCK=triton.next_power_of_2(N))
'''
