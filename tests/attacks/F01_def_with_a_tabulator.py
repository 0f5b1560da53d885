"""A def that Triton's interpreter does not find: it would run the last line alone, which is the
end of a text. Kind: forged kernel text.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"cannot be|looks like|one function"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = 'def\tk(a):\n    x = """\nnp.save("/tmp/here", np.ones(1)) #"""\n'


def forged(function, request, seconds):
    return {"plan": {"kernels": [kernel(SOURCE)],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
