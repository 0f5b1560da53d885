"""Stores 1/N everywhere, the average of a row of softmax. Kind: statistics for an answer."""

EXERCISE = "row_softmax"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, so, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    share = tl.zeros((BLOCK,), tl.float32) + 1.0 / N
    tl.store(out_ptr + tl.program_id(0) * so + cols, share, mask=cols < N)


def row_softmax(out, x):
    kernel[(x.shape[0],)](out, out.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
'''
