"""Returns fresh memory, in which an answer may have been left. Kind: no work at all."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
def vector_add(out, x, y):
    return torch.empty_like(out)
'''
