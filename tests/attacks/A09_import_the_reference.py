"""Imports the reference solution. Kind: finding the answer."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
CELL = '''
from helpers.kernels.vector_add import vector_add
'''
