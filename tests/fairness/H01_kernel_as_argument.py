"""The operation is a jitted function, given as a constant."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, OPERATION: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = OPERATION(tl.load(x_ptr + offsets, mask=mask), tl.load(y_ptr + offsets, mask=mask))
    tl.store(out_ptr + offsets, total, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, OPERATION=plus, BLOCK=1024)
'''
