"""Calls PyTorch's softmax and nothing else. Kind: library call."""

EXERCISE = "row_softmax"
EARNS = 0
CELL = '''
def row_softmax(out, x):
    torch.softmax(x, dim=-1, out=out)
'''
