"""The kernel's body is Python that adds with numpy. Kind: a kernel that is none."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
here = {}


@triton.jit
def kernel(out_ptr, BLOCK: tl.constexpr):
    here["out"][:] = here["x"] + here["y"]


def vector_add(out, x, y):
    here.update(out=out.numpy(), x=x.numpy(), y=y.numpy())
    kernel[(1,)](out, BLOCK=1)
'''
