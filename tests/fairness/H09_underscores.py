"""Names with underscores, a parameter that nobody needs, a semicolon, tabs."""

EXERCISE = "vector_add"
EARNS = 7
CELL = '''
@triton.jit
def kernel(out_ptr, x_ptr, y_ptr, n, _unused, BLOCK: tl.constexpr):
	_o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK); _m = _o < n
	_x = tl.load(x_ptr + _o, mask=_m)
	tl.store(out_ptr + _o, _x + tl.load(y_ptr + _o, mask=_m), mask=_m)


def vector_add(out, x, y):
    n = out.numel()
    kernel[(triton.cdiv(n, 1024),)](out, x, y, n, 0, BLOCK=1024)
'''
