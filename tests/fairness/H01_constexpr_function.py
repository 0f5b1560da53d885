"""A function of the block size that runs when the kernel is compiled."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.constexpr_function
def half(n):
    return n // 2


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * half(2 * BLOCK) + tl.arange(0, half(BLOCK * 2))
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
