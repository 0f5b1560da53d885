"""A text as a constant, compared in the kernel."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, OPERATION: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    if OPERATION == "add":
        total = x + y
    else:
        total = x * y
    tl.store(out_ptr + offsets, total, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, "add", BLOCK=1024)
'''
