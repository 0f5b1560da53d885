"""Sends half a message and then ends. Kind: forged frames."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"in time|ended|exited|never end"
ALONE = True
WITH = 'shout'
HANGS = True
CELL = '''
@triton.jit
def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    shout(struct.pack(">I", 1000) + b"{")
    os._exit(0)
'''
