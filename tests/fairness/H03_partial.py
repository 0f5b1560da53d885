"""functools.partial under the name of the exercise; the block size from a cached helper."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
import functools

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@functools.lru_cache
def block(n):
    return min(1024, triton.next_power_of_2(n))


def launch(grid_of, out, x, y):
    n = out.numel()
    add_kernel[grid_of(n)](out, x, y, n, BLOCK=block(n))


vector_add = functools.partial(launch, lambda n: (triton.cdiv(n, block(n)),))
'''
