"""Answers with a number that no float can hold. Kind: a crash of the examiner."""

EXERCISE = "occupancy"
EARNS = 0
CELL = '''
def occupancy(threads, registers, shared_memory, sm):
    return 10**400, 10**400
'''
