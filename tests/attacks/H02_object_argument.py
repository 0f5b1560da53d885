"""Hands a Python object to the kernel as a constant. Kind: a kernel that reaches Python."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"Sum"
CELL = '''
class Sum:
    def __init__(self, x, y):
        self.total = float(x[0]) + float(y[0])


@triton.jit
def kernel(out_ptr, known: tl.constexpr):
    tl.store(out_ptr, known.total)


def vector_add(out, x, y):
    kernel[(1,)](out, Sum(x, y))
'''
