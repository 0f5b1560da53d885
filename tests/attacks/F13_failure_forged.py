"""Says that all went well where it should say what failed. Kind: malformed answer."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"numerics 5/5 .passed"
ALONE = True
WITH = 'forge'
CELL = '''
def forged(function, request, seconds):
    return {"failure": ["numerics 5/5 (passed)", "<script>alert(1)</script>", {"points": 10}] * 99}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
