"""Another def in a comment, behind a character that only some tools take for the end of a line.
Kind: forged kernel text.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"line breaks"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(a):\n    x = 1 #\u2028def k(a): np.save("/tmp/here", np.ones(1))\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
