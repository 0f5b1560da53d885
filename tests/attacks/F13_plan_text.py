"""A plan that is none (text). Kind: malformed plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"no answer|cannot be read|No Triton kernel"
ALONE = True
WITH = 'forge'
CELL = '''
def forged(function, request, seconds):
    return {"plan": "plan"}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
