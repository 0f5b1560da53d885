"""A grid each of whose sizes is allowed. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"grid"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {"kernels": [kernel(SOURCE)], "steps": [launch({"a": out}, grid=(1 << 22, 100, 1))]}
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
