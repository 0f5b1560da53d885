"""Autotuned over warps and stages, with a hook, values to restore and values to reset."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.autotune(
    [triton.Config({"BLOCK": b}, num_warps=w, num_stages=s, pre_hook=lambda named: None)
     for b, w, s in ((256, 2, 1), (1024, 4, 2), (2048, 8, 3))],
    key=["n"], restore_value=["out_ptr"], reset_to_zero=[])
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
