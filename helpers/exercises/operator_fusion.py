"""Exercises of notebook 06: one trip to memory and back."""

import torch

from helpers.grading.draw import STRESS_ROWS

from .contract import KernelExercise, Mistake, Points

# --- sin²+cos² ----------------------------------------------------------------------------------


def _sin2_cos2(x):
    return torch.sin(x) ** 2 + torch.cos(x) ** 2


sin2_cos2 = KernelExercise(
    name="sin2_cos2",
    points=Points(numerics=4, traffic=3, speed=3),
    spec="out[i] = sin(x[i])² + cos(x[i])², for x of any length n: 1, or NaN where x[i] is "
         "infinite or NaN. One kernel: read x once, write out once.",
    inputs=lambda draw, n, special=True: {"x": draw.normal(n, scale=3.0, special=special)},
    reference=_sin2_cos2,
    cases=[{"n": 1}, {"n": 781}, {"n": 4096}, {"n": 4097}],
    secret=lambda random: [{"n": random.randint(8193, 200000)}],
    gpu_cases=[{"n": (1 << 22) + 1}],
    compulsory=lambda n, **_: {"x": 4 * n, "out": 4 * n},
    counted={"n": 8192},
    # Infinities would send whole warps the long way through sine and cosine.
    timed=lambda bytes: {"n": bytes // 8 // 1024 * 1024, "special": False},
    # Not a copy: two accurate trigonometric functions an element take an H200 about as long to
    # issue as the bytes take to move, and a GPU with faster memory longer.
    ceiling="reference",
    tiers=((0.50, 1), (0.85, 3)),
    peers={"eager": _sin2_cos2},
    hints=[
        "How often does the PyTorch line write a whole tensor only to read it back?",
        "Inside a kernel a value has a name, not an address. Which lines really need tl.load or "
        "tl.store?",
        "sin = tl.sin(x), and the same for the cosine; squares are products.",
        "One tl.store at the end, with the sum of the squares and the mask of the load.",
    ],
    mistakes=[
        Mistake("store_not_masked", "the store is not masked",
                {"cos * cos, mask=mask": "cos * cos"}),
        Mistake("not_squared", "sine and cosine are added without being squared",
                {"sin * sin + cos * cos": "sin + cos"}),
        Mistake("constant", "1 is stored without looking at x",
                {"sin * sin + cos * cos": "tl.full((BLOCK,), 1.0, tl.float32)"}),
        Mistake("x_loaded_twice", "x is loaded a second time", {
            "tl.cos(x)": "tl.cos(tl.load(x_ptr + offsets, mask=mask, other=0.0))"},
                fails="traffic"),
        Mistake("tail_not_launched", "the number of programs is rounded down",
                {"triton.cdiv(n, BLOCK)": "n // BLOCK"}),
        Mistake("one_term", "the cosine's square is missing",
                {"sin * sin + cos * cos": "sin * sin"}),
        Mistake("through_memory", "a partial result is stored to out and loaded back", {
            "tl.store(out_ptr + offsets, sin * sin + cos * cos, mask=mask)":
                "tl.store(out_ptr + offsets, sin * sin, mask=mask)\n"
                "    sin2 = tl.load(out_ptr + offsets, mask=mask)\n"
                "    tl.store(out_ptr + offsets, sin2 + cos * cos, mask=mask)"}, fails="traffic"),
    ],
)

# --- row softmax --------------------------------------------------------------------------------


def _row_softmax(x):
    return torch.softmax(x, dim=-1)


def _unfused_softmax(x):
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


row_softmax = KernelExercise(
    name="row_softmax",
    points=Points(numerics=5, traffic=2, speed=3),
    spec="out[m, n] = exp(x[m, n] - max of row m) / sum over the row of the same. "
         "x and out are [M, N]; the rows may lie apart in memory, the columns are adjacent. "
         "One program a row, the whole row in one block: read x once, write out once.",
    inputs=lambda draw, M, N, kinds=STRESS_ROWS: {"x": draw.rows(M, N, kinds)},
    reference=_row_softmax,
    cases=[
        {"M": 1, "N": 1}, {"M": 8, "N": 17}, {"M": 3, "N": 781},
        {"M": 8, "N": 1024}, {"M": 8, "N": 1025},
    ],
    secret=lambda random: [{"M": random.randint(9, 200), "N": random.randint(2, 60)},
                           {"M": 2, "N": random.randint(2049, 12000)}],
    gpu_cases=[{"M": 127, "N": 4097}, {"M": 64, "N": 8191}],
    dtypes=(torch.float32, torch.float16, torch.bfloat16),
    compulsory=lambda M, N, **_: {"x": 4 * M * N, "out": 4 * M * N},
    counted={"M": 8, "N": 1024, "kinds": ("normal",)},
    timed=lambda bytes: {"M": max(1, bytes // (8 * 4096)), "N": 4096, "kinds": ("normal",)},
    tiers=((0.50, 1), (0.85, 3)),
    peers={"eager": _unfused_softmax, "torch": _row_softmax},
    hints=[
        "Which two numbers of its row must an element know before it can be written?",
        "The lanes beyond the row take part in tl.max and in tl.sum. Which value is harmless in "
        "both?",
        'Load with other=-float("inf") and convert to float32. Subtract tl.max(x, axis=0) before '
        "the exponential, not after.",
        "Store exp / tl.sum(exp, axis=0), with out's own stride and the same mask.",
    ],
    mistakes=[
        Mistake("tail_undefined", "the lanes beyond the row are loaded without other=",
                {', other=-float("inf")': ""}),
        Mistake("tail_is_zero", "the lanes beyond the row hold 0 instead of -inf",
                {'other=-float("inf")': "other=0.0"}),
        Mistake("maximum_not_subtracted", "the row's maximum is not subtracted before exp",
                {"x - tl.max(x, axis=0)": "x"}),
        Mistake("maximum_after_exp", "the maximum is subtracted after the exponential",
                {"tl.exp(x - tl.max(x, axis=0))": "tl.exp(x) - tl.max(x, axis=0)"}),
        Mistake("not_normalised", "the exponentials are not divided by their sum",
                {"exp / tl.sum(exp, axis=0)": "exp"}),
        Mistake("first_row_only", "every program works on the first row",
                {"row = tl.program_id(0)": "row = 0 * tl.program_id(0)"}),
        Mistake("stride_ignored", "rows are taken to be N elements apart",
                {"row * stride_xm": "row * N"}),
        Mistake("store_not_masked", "the store is not masked",
                {"axis=0), mask=cols < N)": "axis=0))"}),
        Mistake("computed_in_float16", "the row is computed in float16",
                {"x = x.to(tl.float32)": "x = x.to(tl.float16)"}),
        Mistake("row_loaded_twice", "the row is loaded a second time", {
            "exp = tl.exp(x -": 'exp = tl.exp(tl.load(x_ptr + row * stride_xm + cols, '
                                'mask=cols < N, other=-float("inf")).to(tl.float32) -'},
                fails="traffic"),
    ],
)

# --- residual + RMSNorm -------------------------------------------------------------------------


def _residual_rms_norm(x, residual, weight, eps):
    hidden = x + residual
    wide = hidden.double() if hidden.dtype == torch.float64 else hidden.float()
    scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return (wide * scale * weight).to(hidden.dtype), hidden


residual_rms_norm = KernelExercise(
    name="residual_rms_norm",
    points=Points(numerics=5, traffic=3, speed=4),
    outputs=("out", "hidden"),
    spec="hidden = x + residual, and out = hidden / sqrt(mean of hidden² over the row + eps) "
         "· weight. Everything is [M, N] except weight [N]; arithmetic in float32. "
         "Two results, one kernel: x and residual are read once, hidden is not read back.",
    inputs=lambda draw, M, N, kinds=("normal", "high", "tiny", "constant"): {
        "x": draw.rows(M, N, kinds), "residual": draw.rows(M, N, kinds),
        "weight": draw.normal(N, shift=1.0, scale=0.5), "eps": draw.log_uniform(1e-6, 1e-3),
    },
    reference=_residual_rms_norm,
    cases=[
        {"M": 1, "N": 1}, {"M": 5, "N": 17}, {"M": 3, "N": 781}, {"M": 4, "N": 1024},
        {"M": 4, "N": 1025},
    ],
    secret=lambda random: [{"M": random.randint(9, 200), "N": random.randint(2, 60)},
                           {"M": 2, "N": random.randint(2049, 12000)}],
    gpu_cases=[{"M": 127, "N": 4097}, {"M": 64, "N": 8192}],
    dtypes=(torch.float32, torch.float16, torch.bfloat16),
    compulsory=lambda M, N, **_: {
        "x": 4 * M * N, "residual": 4 * M * N, "out": 4 * M * N, "hidden": 4 * M * N,
        "weight": 4 * N},
    # Every program reads the small weight vector: from the second on it comes from the L2 cache.
    traffic={"*": 1.10, "weight": 8.0},
    counted={"M": 8, "N": 1024, "kinds": ("normal",)},
    timed=lambda bytes: {"M": max(1, bytes // (16 * 4096)), "N": 4096, "kinds": ("normal",)},
    tiers=((0.50, 1.5), (0.85, 4)),
    peers={"eager": _residual_rms_norm},
    hints=[
        "The plain kernel loads hidden; you have just computed it. Which trip can you skip?",
        "Round once, with .to(hidden_ptr.dtype.element_ty), and store that; then go on with it "
        "in float32.",
        "The lanes beyond the row hold 0, so the sum is right. By what must it be divided, N or "
        "BLOCK_N?",
        "scale = tl.rsqrt(tl.sum(hidden * hidden, axis=0) / N + eps)",
    ],
    mistakes=[
        Mistake("eps_outside_root", "eps is added after the square root",
                {"tl.rsqrt(tl.sum(hidden * hidden, axis=0) / N + eps)":
                 "1.0 / (tl.sqrt(tl.sum(hidden * hidden, axis=0) / N) + eps)"}),
        Mistake("eps_typed_in", "1e-5 is written into the kernel instead of eps",
                {" / N + eps)": " / N + 1e-5)"}),
        Mistake("stride_of_x", "the rows of hidden are taken to be as far apart as those of x",
                {"row * stride_hm": "row * stride_xm"}),
        Mistake("no_eps", "eps is left out", {" / N + eps)": " / N)"}),
        Mistake("mean_over_block", "the mean divides by BLOCK_N instead of N",
                {"axis=0) / N": "axis=0) / BLOCK_N"}),
        Mistake("sum_for_mean", "the sum of squares is not divided by N",
                {"axis=0) / N": "axis=0)"}),
        Mistake("squared_in_float16", "the squares are taken in the rows' own dtype",
                {"hidden = hidden.to(tl.float32)": "pass"}),
        Mistake("centred", "the row's mean is subtracted: that is LayerNorm",
                {"hidden = hidden.to(tl.float32)":
                 "hidden = hidden.to(tl.float32)\n"
                 "    hidden = tl.where(mask, hidden - tl.sum(hidden, axis=0) / N, 0.0)"}),
        Mistake("outputs_swapped", "out and hidden are exchanged",
                {"tl.store(hidden_ptr + row * stride_hm": "tl.store(out_ptr + row * stride_om",
                 "tl.store(out_ptr + row * stride_om + cols, hidden * scale":
                 "tl.store(hidden_ptr + row * stride_hm + cols, hidden * scale"}),
        Mistake("norm_of_x", "the norm is taken of x alone, without the residual",
                {"tl.sum(hidden * hidden": "tl.sum(x * x"}),
        Mistake("no_weight", "the weight is left out",
                {"hidden * scale * weight": "hidden * scale"}),
        Mistake("hidden_not_stored", "hidden is not stored",
                {"tl.store(hidden_ptr + row * stride_hm + cols, hidden, mask=mask)": "pass"}),
        Mistake("hidden_read_back", "hidden is stored and then loaded back",
                {"hidden = hidden.to(tl.float32)":
                 "hidden = tl.load(hidden_ptr + row * stride_hm + cols, mask=mask, "
                 "other=0.0).to(tl.float32)"}, fails="traffic"),
    ],
)

EXERCISES = [sin2_cos2, row_softmax, residual_rms_norm]
