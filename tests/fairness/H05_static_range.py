"""An unrolled loop and a two-dimensional block."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * BLOCK
    for i in tl.static_range(2):
        at = first + i * (BLOCK // 2)
        offsets = at + tl.arange(0, BLOCK // 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
