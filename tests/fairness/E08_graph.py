"""Launches by a CUDA graph where there is a GPU."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
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
    if x.is_cuda:
        run = torch.cuda.CUDAGraph()
        kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
        with torch.cuda.graph(run):
            kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
        run.replay()
        return
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
'''
