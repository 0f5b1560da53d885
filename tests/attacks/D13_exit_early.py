"""Leaves by os._exit(0) as if all were well. Kind: early success."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
CELL = '''
import os


def vector_add(out, x, y):
    os._exit(0)
'''
