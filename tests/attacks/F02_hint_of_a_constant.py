"""A hint that says constexpr, and runs when somebody asks for it. Kind: forged kernel text."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"such a type hint"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(np, a: np.load("constexpr")):\n    tl.store(a, 1.0)\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
