"""Right but slow: several trips to memory where one is enough."""

CELLS = {
    "vector_add": """
@triton.jit
def accumulate_kernel(out_ptr, x_ptr, n, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    if not FIRST:
        total += tl.load(out_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, total, mask=mask)


def vector_add(out, x, y):
    grid = (triton.cdiv(out.numel(), 1024),)
    accumulate_kernel[grid](out, x, out.numel(), FIRST=True, BLOCK=1024)
    accumulate_kernel[grid](out, y, out.numel(), FIRST=False, BLOCK=1024)
""",
    "sin2_cos2": """
@triton.jit
def sin2_kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    sin = tl.sin(tl.load(x_ptr + offsets, mask=mask, other=0.0))
    tl.store(out_ptr + offsets, sin * sin, mask=mask)


@triton.jit
def add_cos2_kernel(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    cos = tl.cos(tl.load(x_ptr + offsets, mask=mask, other=0.0))
    sin2 = tl.load(out_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, sin2 + cos * cos, mask=mask)


def sin2_cos2(out, x):
    grid = (triton.cdiv(out.numel(), 1024),)
    sin2_kernel[grid](out, x, out.numel(), BLOCK=1024)
    add_cos2_kernel[grid](out, x, out.numel(), BLOCK=1024)
""",
    "row_softmax": """
@triton.jit
def row_softmax_kernel(out_ptr, x_ptr, stride_om, stride_xm, N, BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    from_row = x_ptr + row * stride_xm + cols
    row_max = tl.max(tl.load(from_row, mask=mask, other=-float("inf")).to(tl.float32), axis=0)
    again = tl.load(from_row, mask=mask, other=-float("inf")).to(tl.float32)
    row_sum = tl.sum(tl.exp(again - row_max), axis=0)
    once_more = tl.load(from_row, mask=mask, other=-float("inf")).to(tl.float32)
    share = tl.exp(once_more - row_max) / row_sum
    tl.store(out_ptr + row * stride_om + cols, share, mask=mask)


def row_softmax(out, x):
    M, N = x.shape
    row_softmax_kernel[(M,)](out, x, out.stride(0), x.stride(0), N,
                             BLOCK_N=triton.next_power_of_2(max(N, 1)))
""",
    "residual_rms_norm": """
@triton.jit
def add_kernel(hidden_ptr, x_ptr, residual_ptr, stride_hm, stride_xm, stride_rm, N,
               BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    x = tl.load(x_ptr + row * stride_xm + cols, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + row * stride_rm + cols, mask=mask, other=0.0)
    hidden = x + residual.to(tl.float32)
    tl.store(hidden_ptr + row * stride_hm + cols, hidden.to(hidden_ptr.dtype.element_ty),
             mask=mask)


@triton.jit
def norm_kernel(out_ptr, hidden_ptr, weight_ptr, stride_om, stride_hm, N, eps,
                BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    hidden = tl.load(hidden_ptr + row * stride_hm + cols, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(hidden * hidden, axis=0) / N + eps)
    tl.store(out_ptr + row * stride_om + cols, hidden * scale * weight, mask=mask)


def residual_rms_norm(out, hidden, x, residual, weight, eps):
    M, N = x.shape
    BLOCK_N = triton.next_power_of_2(max(N, 1))
    add_kernel[(M,)](hidden, x, residual, hidden.stride(0), x.stride(0), residual.stride(0), N,
                     BLOCK_N=BLOCK_N)
    norm_kernel[(M,)](out, hidden, weight, out.stride(0), hidden.stride(0), N, eps,
                      BLOCK_N=BLOCK_N)
""",
}
