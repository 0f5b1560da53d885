"""A thousand kernels. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"thousands of launches"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {"plan": {"kernels": [kernel(SOURCE)] * 1000, "steps": [launch({"a": out})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
