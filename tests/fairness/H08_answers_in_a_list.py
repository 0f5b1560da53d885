"""A list instead of a tuple, floats instead of whole numbers."""

EXERCISE = "occupancy"
EARNS = 5
CELL = '''
import math


def occupancy(threads, registers, shared_memory, sm):
    warps = math.ceil(threads / sm["warp_size"])
    per_warp = math.ceil(registers * sm["warp_size"] / sm["register_unit"]) * sm["register_unit"]
    share = math.ceil((shared_memory + sm["reserved_shared_memory"]) / sm["shared_unit"])
    blocks = min(sm["max_blocks"], sm["max_threads"] // sm["warp_size"] // warps,
                 sm["registers"] // 4 // per_warp * 4 // warps,
                 sm["shared_memory"] // max(share * sm["shared_unit"], 1))
    return [float(blocks), float(blocks * warps)]
'''
