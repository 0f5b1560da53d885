"""Offers Python's modules to the kernel as its globals. Kind: lying to the recorder."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"cannot be used|Error"
ALONE = True
CELL = '''
import os

@triton.jit
def kernel(out_ptr):
    os.system("true")
    tl.store(out_ptr, 1.0)


type(kernel).get_capture_scope = lambda self: {"os": "triton.language", "tl": tl}


def vector_add(out, x, y):
    kernel[(1,)](out)
'''
