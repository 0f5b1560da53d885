"""Block pointers."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    x = tl.load(tl.make_block_ptr(x_ptr, (n,), (1,), (first,), (BLOCK,), (0,)), boundary_check=(0,))
    y = tl.load(tl.make_block_ptr(y_ptr, (n,), (1,), (first,), (BLOCK,), (0,)), boundary_check=(0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (first,), (BLOCK,), (0,))
    tl.store(out, x + y, boundary_check=(0,))


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
