"""Four rows a program."""

EXERCISE = "row_softmax"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, so, sx, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < M) & (cols < N)
    x = tl.load(x_ptr + rows * sx + cols, mask=mask, other=-float("inf")).to(tl.float32)
    x = tl.where(rows < M, x, 0.0)
    tl.store(out_ptr + rows * so + cols, tl.softmax(x, 1, keep_dims=True), mask=mask)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(triton.cdiv(M, 4),)](out, x, out.stride(0), x.stride(0), M, N, ROWS=4,
                                 BLOCK=triton.next_power_of_2(N))
'''
