"""A reduction with a function of its own."""

EXERCISE = "row_softmax"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=float("-inf")).to(tl.float32)
    e = tl.exp(x - tl.reduce(x, 0, larger))
    tl.store(out_ptr + row * so + cols, tl.fdiv(e, tl.sum(e, axis=0)) if BLOCK > 1 else e / e,
             mask=cols < N)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(M,)](out, x, out.stride(0), x.stride(0), N, BLOCK=triton.next_power_of_2(N))
'''
