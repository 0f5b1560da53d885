"""RMSNorm with the strides as one tuple and rsqrt written out."""

EXERCISE = "residual_rms_norm"
EARNS = 8
SLOW = True
CELL = '''
@triton.jit
def kernel(out_ptr, hidden_ptr, x_ptr, residual_ptr, weight_ptr, strides, N, eps,
           BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * strides[2] + cols, mask=mask, other=0.0)
    residual = tl.load(residual_ptr + row * strides[3] + cols, mask=mask, other=0.0)
    hidden = (x.to(tl.float32) + residual.to(tl.float32)).to(hidden_ptr.dtype.element_ty)
    tl.store(hidden_ptr + row * strides[1] + cols, hidden, mask=mask)
    hidden = hidden.to(tl.float32)
    root = tl.sqrt(tl.sum(hidden * hidden) / N + eps)
    weight = tl.load(weight_ptr + cols, mask=mask).to(tl.float32)
    tl.store(out_ptr + row * strides[0] + cols, hidden / root * weight, mask=mask)


def residual_rms_norm(out, hidden, x, residual, weight, eps):
    M, N = x.shape
    strides = tuple(t.stride(0) for t in (out, hidden, x, residual))
    kernel[(M,)](out, hidden, x, residual, weight, strides, N, eps,
                 BLOCK=triton.next_power_of_2(N))
'''
