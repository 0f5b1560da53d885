"""Keeps its first answer for each address. Kind: replay."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


seen = {}


def vector_add(out, x, y):
    key = (id(x), x.data_ptr(), x._version)
    if key not in seen:
        add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
        seen[key] = out.clone()
    else:
        out.copy_(seen[key])
'''
