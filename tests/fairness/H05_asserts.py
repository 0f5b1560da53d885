"""Asserts before, after and inside."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 32, 'too small')
    tl.device_assert(n >= 0, 'no elements')
    assert BLOCK % 2 == 0, f'{BLOCK} is odd'
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    assert x.shape == y.shape == out.shape and x.is_contiguous()
    assert x.dtype in (torch.float32,), x.dtype
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
    assert out.shape == x.shape
    assert torch.isnan(out).any() or not torch.isnan(out).all()
'''
