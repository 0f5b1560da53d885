"""A view of the guard band before out: the kernel stores there. Kind: forged memory."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"outside|never|still holds"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {"plan": {"kernels": [kernel(SOURCE)], "steps": [launch({"a": {**out, "offset": -64}})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
