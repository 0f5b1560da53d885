"""A kernel of 5 MB. Kind: size."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"more than 50000 characters"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a, 1.0)\n" + "    # more\n" * 500_000


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
