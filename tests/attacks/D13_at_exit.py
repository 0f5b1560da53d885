"""Sends a perfect answer when its process ends. Kind: early success."""

EXERCISE = "vector_add"
EARNS = 0
ALONE = True
CELL = '''
import atexit
import json
import os
import struct


def perfect():
    data = json.dumps({"result": {"points": 10, "max": 10}, "closed": 0}).encode()
    for fd in range(3, 64):
        try:
            os.write(fd, struct.pack(">I", len(data)) + data)
        except OSError:
            pass


atexit.register(perfect)


def vector_add(out, x, y):
    raise KeyboardInterrupt
'''
