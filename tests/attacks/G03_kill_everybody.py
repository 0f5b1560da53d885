"""Ends every process that it may. Kind: signals."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"ended|exited|signal"
ALONE = True
CELL = '''
import os
import signal


def vector_add(out, x, y):
    for number in range(2, 400):
        if number != os.getpid():
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                pass
    os.kill(os.getpid(), signal.SIGKILL)
'''
