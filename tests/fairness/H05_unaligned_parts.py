"""Seven programs, each with a loop over its own part, which begins anywhere."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, chunk, BLOCK: tl.constexpr):
    first = tl.program_id(0) * chunk
    for start in range(0, chunk, BLOCK):
        here = start + tl.arange(0, BLOCK)
        mask = (here < chunk) & (first + here < n)
        total = tl.load(x_ptr + first + here, mask=mask)
        total += tl.load(y_ptr + first + here, mask=mask)
        tl.store(out_ptr + first + here, total, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(7,)](out, x, y, n, triton.cdiv(n, 7), BLOCK=128)
'''
