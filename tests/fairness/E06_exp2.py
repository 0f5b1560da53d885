"""Powers of two, log2(e) folded in; rows in a loop of few programs; a flag."""

EXERCISE = "row_softmax"
EARNS = 7
SLOW = True
CELL = '''
LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def kernel(out_ptr, x_ptr, so, sx, M, N, flag, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), M, tl.num_programs(0), num_stages=2):
        first = row.to(tl.int64)
        x = tl.load(x_ptr + first * sx + cols, mask=cols < N, other=-float("inf"))
        x = x.to(tl.float32)
        e = tl.exp2((x - tl.max(x, axis=0)) * LOG2E)
        if flag:
            tl.store(out_ptr + first * so + cols, e / tl.sum(e, axis=0), mask=cols < N)


def row_softmax(out, x):
    M, N = x.shape
    kernel[(4,)](out, x, out.stride(0), x.stride(0), M, N, True,
                 BLOCK=triton.next_power_of_2(N), num_warps=8)
'''
