"""Ends its process while the cell runs. Kind: early success."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
CELL = '''
import os

os._exit(0)
'''
