"""Sums a row in float16. Kind: a narrow accumulator."""

EXERCISE = "row_softmax"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    total = tl.sum(e.to(tl.float16), axis=0).to(tl.float32)
    tl.store(out_ptr + row * so + cols, e / total, mask=cols < N)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(M,)](out, x, out.stride(0), x.stride(0), N, BLOCK=triton.next_power_of_2(N))
'''
