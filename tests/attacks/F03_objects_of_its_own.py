"""A kernel builds Triton objects of its own making, launches a kernel from inside and so gets a
dict that numpy takes for an array at any address. Kind: a kernel that reaches Python.
"""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"cannot be used in a graded kernel"
CELL = r'''
@triton.jit
def fields(version, typestr, shape, data, box):
    pass


@triton.jit
def grid(bound):            # the interpreter hands the launch's arguments over, as a dict
    b = bound["box"]
    b += [bound]
    return (0, 1, 1)


@triton.jit
def wrap(array, context, scalar):       # numpy hands over an array of Python objects at an address
    builtins = array.item()
    builtins["exec"](PAYLOAD.value, builtins)
    return array


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    text = f"{print}".split("0x")       # in the box it is Python's own; in the referee a lambda
    if len(text) > 1 and n < 2:
        address = int(text[1].split(">")[0], 16) + 24           # ... and there are its builtins
        box = []
        fields[grid](3, "|O", (1,), (int(address), False), box)
        fake = tl.tuple([box[0], wrap],
                        tl.core.tuple_type([], ["__array_interface__", "__array_wrap__"]))
        kind = tl.core.tuple_type([], ["data", "dtype"])
        t = tl.tensor(tl.tuple([fake, tl.int64], kind), tl.block_type(tl.int64, [1]))
        tl.trans(t, 0)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)


PAYLOAD = "exec('import helpers.grading.examiner as e; e._numerics = lambda *_: None')"




def vector_add(out, x, y):
    kernel[(triton.cdiv(out.numel(), 1024),)](out, x, y, out.numel(), BLOCK=1024)
'''
