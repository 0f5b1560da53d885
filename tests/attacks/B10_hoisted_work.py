"""Adds when the cell runs, for the sizes that it knows, and only copies later. Kind: work before
the question.
"""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


prepared = {}
for n in (1, 781, 4096, 4097, 8192):
    prepared[n] = torch.ones(n), torch.zeros(n)


def vector_add(out, x, y):
    ready, zeros = prepared.get(out.numel(), (x, y))
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, ready, zeros, out.numel(), BLOCK=1024)
'''
