"""Tensor descriptors made in the kernel, where rows of 16 bytes allow them."""

EXERCISE = "vector_add"
EARNS = 7
SLOW = True
CELL = '''
def room(size, align, stream):
    return torch.empty(size, dtype=torch.int8, device="cuda")


if torch.cuda.is_available():
    triton.set_allocator(room)


@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK])
    y = tl.make_tensor_descriptor(y_ptr, [n], [1], [BLOCK])
    out = tl.make_tensor_descriptor(out_ptr, [n], [1], [BLOCK])
    out.store([first], x.load([first]) + y.load([first]))


@triton.jit
def plain_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = here < n
    x, y = tl.load(x_ptr + here, mask=mask), tl.load(y_ptr + here, mask=mask)
    tl.store(out_ptr + here, x + y, mask=mask)


def vector_add(out, x, y):
    n = out.numel()
    if n % 4:
        plain_kernel[(triton.cdiv(n, 1024),)](out, x, y, n, BLOCK=1024)
        return
    kernel[(triton.cdiv(n, 256),)](out, x, y, n, BLOCK=256)
'''
