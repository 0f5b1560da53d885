"""Raises an exception that cannot say what it is. Kind: a crash of the examiner."""

EXERCISE = "vector_add"
EARNS = 0
CELL = '''
class Mute(Exception):
    def __str__(self):
        raise ValueError

    __repr__ = __str__


def vector_add(out, x, y):
    raise Mute
'''
