"""A decorator is an expression that runs when the kernel is built. Kind: forged kernel text."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"one function"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = '@().__class__.__base__.__subclasses__()[0]\ndef k(a):\n    tl.store(a, 1.0)\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
