"""Answers with lists in lists, as deep as JSON allows. Kind: forged frames."""

EXERCISE = "occupancy"
EARNS = 0
SAYS = r"you say|no answer|Recursion"
ALONE = True
WITH = 'shout'
CELL = '''
told = []


def occupancy(threads, registers, shared_memory, sm):
    if not told:
        told.append(1)
        shout(frame(b'{"value": ' + b'{"list": [' * 450 + b"1" + b"]}" * 450 + b"}"))
    return 0, 0
'''
