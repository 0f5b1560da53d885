"""A loop without an end that swallows every exception. Kind: hang."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
HANGS = True
CELL = '''
def vector_add(out, x, y):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
'''
