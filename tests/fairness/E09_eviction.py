"""Hints for the caches."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, eviction_policy="evict_first")
    y = tl.load(y_ptr + offsets, mask=mask, cache_modifier=".cg")
    tl.store(out_ptr + offsets, x + y, mask=mask, eviction_policy="evict_last")


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
