"""The method forms of Triton's functions."""

EXERCISE = "row_softmax"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    e = (x - x.max(axis=0)).exp()
    tl.store(out_ptr + row * so + cols, (e / e.sum(0)).to(out_ptr.dtype.element_ty), cols < N)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(M,)](out, x, out.stride(0), x.stride(0), N, BLOCK=triton.next_power_of_2(N))
'''
