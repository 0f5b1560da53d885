"""Two kernels: partial maxima and sums of parts of a row, then the parts combined. The row is
read twice.
"""

EXERCISE = "row_softmax"
EARNS = 5
SLOW = True
CELL = '''
@triton.jit
def part_kernel(part_ptr, x_ptr, sx, N, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    total = tl.sum(tl.where(cols < N, tl.exp(x - top), 0.0), axis=0)
    tl.store(part_ptr + (row * PARTS + part) * 2, top)
    tl.store(part_ptr + (row * PARTS + part) * 2 + 1, total)


@triton.jit
def combine_kernel(out_ptr, x_ptr, part_ptr, so, sx, N, parts, PARTS: tl.constexpr,
                   BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    which = tl.arange(0, PARTS)
    there = which < parts
    tops = tl.load(part_ptr + (row * PARTS + which) * 2, mask=there, other=-float("inf"))
    totals = tl.load(part_ptr + (row * PARTS + which) * 2 + 1, mask=there, other=0.0)
    top = tl.max(tops, axis=0)
    total = tl.sum(totals * tl.exp(tops - top), axis=0)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    tl.store(out_ptr + row * so + cols, tl.exp(x - top) / total, mask=cols < N)


def row_softmax(out, x):
    M, N = x.shape
    parts = triton.cdiv(N, 512)
    PARTS = triton.next_power_of_2(parts)
    scratch = torch.empty(M, PARTS, 2, device=x.device)
    part_kernel[(M, parts)](scratch, x, x.stride(0), N, PARTS=PARTS, BLOCK=512)
    combine_kernel[(M, parts)](
        out, x, scratch, out.stride(0), x.stride(0), N, parts, PARTS=PARTS, BLOCK=512)
'''
