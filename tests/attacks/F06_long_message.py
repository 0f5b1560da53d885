"""An assertion whose text is 50 MB. Kind: size."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"AssertionError"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(a):\n    tl.store(a, 1.0)\n    assert False, "x" * 50_000_000\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
