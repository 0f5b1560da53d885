"""A prediction in numbers of numpy, computed on the way."""

EXERCISE = "host_copy"
EARNS = 3
CELL = '''
import numpy as np


def host_copy():
    there = np.float64(2**28) / 55e9 * 1e3
    return {"to_device_ms": there, "to_host_ms": torch.tensor(5.0), "on_device_ms": 0.12}
'''
