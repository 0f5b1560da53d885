"""Cells with experiments of the learner's own come before."""

EXERCISE = "vector_add"
EARNS = 7
BEFORE = ['''
from helpers import check, hint, show

check(1)
show('vector_add')
''', '''
x = torch.randn(10)
y = x @ x
print(y)
import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot as plt
plt.plot([1, 2])
''']
CELL = '''
@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    add_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
