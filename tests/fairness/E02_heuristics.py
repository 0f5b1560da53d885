"""A block size by heuristics."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.heuristics({"BLOCK": lambda named: 1024 if named["n"] > 2000 else 256})
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[lambda meta: (triton.cdiv(n, meta['BLOCK']),)](out, x, y, n)
'''
