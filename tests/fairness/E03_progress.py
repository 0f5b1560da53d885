"""A progress bar and display around the launch."""

EXERCISE = "vector_add"
EARNS = 7
CELL = r'''
try:
    from IPython.display import display
except ImportError:
    display = print


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    for part in range(3):
        print(f'\r{part}/3', end='', flush=True)
    display('done')
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
