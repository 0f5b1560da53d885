"""Stops the alarm that would end it, then sleeps. Kind: hang."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
HANGS = True
CELL = '''
import signal
import time


def vector_add(out, x, y):
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    time.sleep(1000)
'''
