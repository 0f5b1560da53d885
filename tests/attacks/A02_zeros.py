"""Stores zeros, which a loose absolute tolerance would take for a softmax. Kind: trivial answer."""

EXERCISE = "row_softmax"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, so, N, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0) * so + cols, tl.zeros((BLOCK,), tl.float32), mask=cols < N)


def row_softmax(out, x):
    kernel[(x.shape[0],)](out, out.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
'''
