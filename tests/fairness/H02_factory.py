"""The kernel comes from a function that gives it its block size."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
def make(size):
    BLOCK = tl.constexpr(size)

    @triton.jit
    def kernel(out_ptr, x_ptr, y_ptr, n):
        offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)

    return kernel


add_kernel = make(1024)


def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel())
'''
