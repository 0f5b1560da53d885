"""Makes the recorder write down another kernel than the one that runs. Kind: lying to the
recorder.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"the name"
ALONE = True
CELL = r'''
import helpers.grading.record

helpers.grading.record.Recorder.plan = property(lambda self: {
    "kernels": [{"name": "k", "source": "def k(a):\n    tl.store(a, np.ones(1))\n", "line": 1,
                 "constexpr": False, "names": {}, "options": {}}],
    "steps": [{"launch": 0, "grid": [1], "arguments": {"a": 1}, "options": {}}]})

@triton.jit
def leaf_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * tl.load(y_ptr + offsets, mask=mask), mask=mask)


def vector_add(out, x, y):
    leaf_kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
