"""A default whose name is that of a parameter, and of a module in the interpreter. Kind: forged
kernel text.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"the name np"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(a, np, b=np):\n    tl.store(a, b.load("/tmp/here"))\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
