"""A class instead of a function. Kind: forged kernel text."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"one function"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'class k:\n    a = 1\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
