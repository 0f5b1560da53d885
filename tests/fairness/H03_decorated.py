"""The function is decorated, and takes anything."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
import functools
import time

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def timed(function):
    @functools.wraps(function)
    def inner(*arguments, **named):
        start = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            print(f"{time.perf_counter() - start:.3f} s")

    return inner


@timed
@torch.no_grad()
def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
