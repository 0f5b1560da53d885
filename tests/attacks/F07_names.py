"""Names around a kernel that would be Python's own. Kind: malformed plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"the name"
ALONE = True
WITH = 'forge'
CELL = r'''
def forged(function, request, seconds):
    name = ("__builtins__", "a b", "tl.load", "")[len(request["label"]) % 4]
    one = kernel("def k(a):\n    tl.store(a, 1.0)\n", names={name: 1})
    return {"plan": {"kernels": [one], "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
