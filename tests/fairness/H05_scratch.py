"""Allocates scratch that it never needs."""

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
    scratch = torch.empty_like(out)
    more = torch.empty((2, n), device=x.device, dtype=torch.int32)
    assert not scratch.is_cuda or x.is_cuda
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
