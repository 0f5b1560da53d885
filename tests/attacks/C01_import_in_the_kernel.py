"""Imports in the kernel. Kind: a kernel that is none."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
@triton.jit
def kernel(out_ptr):
    import os
    os.system("true")


def vector_add(out, x, y):
    kernel[(1,)](out)
'''
