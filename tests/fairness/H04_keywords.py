"""Every argument by its name; a grid that looks at them."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    kernel[lambda meta: (triton.cdiv(meta['n'], meta['BLOCK']),)](
        BLOCK=1024, n=n, y_ptr=y, x_ptr=x, out_ptr=out, num_warps=8, num_stages=1)
'''
