"""Raises SystemExit(0). Kind: early success."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
def vector_add(out, x, y):
    raise SystemExit(0)
'''
