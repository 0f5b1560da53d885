"""Answers with a number that no float can hold, past what would stop it. Kind: forged frames."""

EXERCISE = "occupancy"
EARNS = 0
SAYS = r"you say|no answer"
ALONE = True
WITH = 'shout'
CELL = '''
told = []


def occupancy(threads, registers, shared_memory, sm):
    if not told:
        told.append(1)
        shout(frame(b'{"value": {"tuple": [' + b"9" * 400 + b", 1]}}"))
    return 0, 0
'''
