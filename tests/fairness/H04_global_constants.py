"""Constants around the kernel, as Triton takes them."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
BLOCK = tl.constexpr(1024)
TWICE = tl.constexpr(2)
ZERO = tl.constexpr(0.0)


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, TWICE * BLOCK // 2)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=ZERO)
    y = tl.load(y_ptr + offsets, mask=mask, other=ZERO)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n)
'''
