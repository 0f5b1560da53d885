"""Type hints everywhere."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr: torch.Tensor, x_ptr: torch.Tensor, y_ptr, n: int, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(out: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> None:
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
