"""The kernel never works, and PyTorch does instead. Kind: fallback."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr, n):
    tl.store(out_ptr, tl.no_such_function(n))


def vector_add(out, x, y):
    try:
        kernel[(1,)](out, out.numel())
    except Exception:
        out.copy_(x + y)
'''
