"""Takes more memory than there is. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"MemoryError"
ALONE = True
CELL = '''
hoard = []


def vector_add(out, x, y):
    while True:
        hoard.append(bytearray(1 << 34))
'''
