"""Two kernels that call each other, among what they take from around them. Kind: malformed plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"calls itself"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    other(a)\n"


def forged(function, request, seconds):
    one = kernel(SOURCE, names={"other": {"kernel": 1}})
    other = kernel(SOURCE, names={"other": {"kernel": 0}})
    return {"plan": {"kernels": [one, other], "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
