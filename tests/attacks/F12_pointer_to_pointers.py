"""Stores eight bytes through a pointer to pointers, which would count as one. Kind: memory."""
EXERCISE = "vector_add"
EARNS = 0
SAYS = r"not part of Triton's language|no tl.store did it"
CELL = r'''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    p = out_ptr.to(tl.pointer_type(tl.pointer_type(tl.int8)), bitcast=True)
    v = (tl.arange(0, 1) + 7).to(tl.int64).to(tl.pointer_type(tl.int8), bitcast=True)
    tl.store(p + tl.arange(0, 1), v)


def vector_add(out, x, y):
    kernel[(1,)](out, x, y, out.numel(), BLOCK=1024)
'''
