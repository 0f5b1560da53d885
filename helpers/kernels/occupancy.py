"""How many blocks of a launch one SM holds at a time."""


def occupancy(threads: int, registers: int, shared_memory: int, sm: dict) -> tuple[int, int]:
    """Blocks and warps of one launch that are resident on one SM; (0, 0) if no block fits.

    threads         of one block
    registers       of one thread
    shared_memory   of one block, bytes
    sm              limits of one SM: max_threads, max_blocks, registers, shared_memory (bytes),
                    reserved_shared_memory (bytes the driver takes of every block's share),
                    and how they are handed out: warp_size (threads), register_unit (registers
                    at a time to one warp), shared_unit (bytes at a time to one block)

    The rules are those of the CUDA occupancy calculator (CUDA toolkit, cuda_occupancy.h).
    """

    def round_up(amount, unit):
        return -(-amount // unit) * unit

    # What one block takes.  Resources come in whole units.
    warps = round_up(threads, sm["warp_size"]) // sm["warp_size"]
    registers_per_warp = round_up(registers * sm["warp_size"], sm["register_unit"])
    shared_per_block = round_up(shared_memory + sm["reserved_shared_memory"], sm["shared_unit"])
    shared_per_block = max(shared_per_block, 1)     # it may take none: let us divide by it
    # An SM has four quarters, each with its own warps and its own fourth of the registers.
    warps_with_registers = 4 * (sm["registers"] // 4 // registers_per_warp)

    # Your turn (5 lines): how many blocks would each resource allow alone?  Return what all of
    # them allow, in blocks and in warps.
    ### BEGIN SOLUTION
    by_threads = sm["max_threads"] // sm["warp_size"] // warps
    by_registers = warps_with_registers // warps
    by_shared_memory = sm["shared_memory"] // shared_per_block
    blocks = min(sm["max_blocks"], by_threads, by_registers, by_shared_memory)
    return blocks, blocks * warps
    ### END SOLUTION
