"""The kernel is defined inside the function."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
def vector_add(out, x, y):
    @triton.jit
    def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)

    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
