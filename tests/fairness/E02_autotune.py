"""Autotuned over many configurations, most of them pruned."""

EXERCISE = "row_softmax"
EARNS = 7
CELL = '''
@triton.autotune(
    [triton.Config({"BLOCK": 2**k}) for k in range(15)], key=["N"],
    prune_configs_by={"early_config_prune": lambda configs, named, **_: [
        c for c in configs if c.kwargs["BLOCK"] >= named["N"]][:2]})
@triton.jit
def kernel(out_ptr, x_ptr, so, sx, N, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < N, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * so + cols, e / tl.sum(e, axis=0), mask=cols < N)


def row_softmax(out, x):
    kernel[lambda meta: (x.shape[0],)](out, x, out.stride(0), x.stride(0), x.shape[1])
'''
