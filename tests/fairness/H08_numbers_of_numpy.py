"""Answers that are numbers of numpy and PyTorch."""

EXERCISE = "occupancy"
EARNS = 5
CELL = '''
import numpy as np


def occupancy(threads, registers, shared_memory, sm):
    up = lambda amount, unit: -(-amount // unit) * unit
    warps = up(threads, sm["warp_size"]) // sm["warp_size"]
    per_warp = up(registers * sm["warp_size"], sm["register_unit"])
    shared = up(shared_memory + sm["reserved_shared_memory"], sm["shared_unit"]) or 1
    blocks = np.array([sm["max_blocks"], sm["max_threads"] // sm["warp_size"] // warps,
                       4 * (sm["registers"] // 4 // per_warp) // warps,
                       sm["shared_memory"] // shared]).min()
    return np.int64(blocks), torch.tensor(blocks * warps)
'''
