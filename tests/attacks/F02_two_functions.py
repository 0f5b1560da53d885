"""More than one function, and statements between them. Kind: forged kernel text."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"one function"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'import os\ndef k(a):\n    tl.store(a, 1.0)\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
