"""Gives a kernel another text than its own, with a def of its own in it. Kind: lying to the
recorder.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"looks like another kernel"
ALONE = True
CELL = r'''
@triton.jit
def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * tl.load(y_ptr + offsets, mask=mask), mask=mask)


TEXT = 'def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK):\n    x = """\ndef leaf_kernel(' \
    'out_ptr, x_ptr, y_ptr, n, BLOCK):\n    np.add(1, 1)\n    y = 1 #"""\n'
type(leaf_kernel).src = property(lambda self: TEXT)


def vector_add(out, x, y):
    leaf_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
