"""A kernel makes a pointer of a number. Kind: forged memory."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"far outside every tensor"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(a, n):\n    tl.store(a, tl.load(n.to(a.dtype, bitcast=True)))\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request), "n": 1 << 40})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
