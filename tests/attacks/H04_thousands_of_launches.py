"""Launches a program for each element. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"thousands of launches"
ALONE = True
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr):
    tl.store(out_ptr, tl.load(x_ptr) + tl.load(y_ptr))


def vector_add(out, x, y):
    for i in range(out.numel()):
        kernel[(1,)](out[i:], x[i:], y[i:])
'''
