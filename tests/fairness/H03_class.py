"""A dataclass holds the launch; the name of the exercise is one of its methods."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
from dataclasses import dataclass

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@dataclass(frozen=True)
class Adder:
    block: int = 1024

    def run(self, out, x, y):
        n = out.numel()
        add_kernel[(triton.cdiv(n, self.block),)](out, x, y, n, BLOCK=self.block)


vector_add = Adder().run
'''
