"""A default that has the name of a constant around it, others that are numbers and dtypes."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
BLOCK = 1024


@triton.jit
def kernel(
    out_ptr, x_ptr, y_ptr, n, DTYPE: tl.constexpr = tl.float32, BLOCK: tl.constexpr = BLOCK, EPS=0.0
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(DTYPE)
    y = tl.load(y_ptr + offsets, mask=mask).to(DTYPE)
    tl.store(out_ptr + offsets, x + y + EPS, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, BLOCK),)](out, x, y, n)
'''
