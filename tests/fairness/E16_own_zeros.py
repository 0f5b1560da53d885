"""Adds through zeros of its own: right, but the bytes of the zeros count."""

EXERCISE = "vector_add"
EARNS = 5
SLOW = True
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    part = torch.zeros_like(out)
    add_kernel[(triton.cdiv(n, 1024),)](part, x, part.new_zeros(n), n, BLOCK=1024)
    add_kernel[(triton.cdiv(n, 1024),)](out, part, y, n, BLOCK=1024)
'''
