"""A list as default would be one memory for all programs, which nobody counts. Kind: forged
kernel text.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"such a default"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def k(a, memo=[]):\n    memo += [1.0]\n    tl.store(a, 1.0)\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request), "memo": None})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
