# %% [markdown]
# # 06 Operator fusion
#
# **Why does a chain of cheap operations cost by its length, whatever the
# operations compute?**
#
# You count trips to memory on paper, watch PyTorch make them, and write three
# kernels that make fewer: sin² + cos², a softmax, and the residual addition
# with RMSNorm that stands in every transformer block. Then you let a compiler
# do the same, and find where it stops.
#
# You need notebook 01: programs, blocks, masks. Plan 90 minutes. Without a
# GPU everything that is *counted* here is exact; what has to be *timed* comes
# from a stored run on an NVIDIA H200, and says so.

# %% locked="setup"
from helpers import check, hint, ready, show
import torch
import triton
import triton.language as tl
ready()

# %%
from helpers import gpu, plots
from helpers.experiments import operator_fusion as experiments
from helpers.grading.interpreter import count_traffic
from helpers.grading.quiet import quiet
from helpers.inductor import torch_compile
from helpers.simulate import fusion

device = gpu.device() or "cpu"

# %% [markdown] topics="87"
# ## 6.1 The warehouse, the belt and the factory
#
# Global memory is a warehouse: large and far away. The multiprocessors are a
# factory: fast, with small shelves (registers, shared memory). One belt runs
# between the two; its width is the memory bandwidth.
#
# A kernel is one order. Its material comes from the warehouse, its product
# goes back there, and then the shelves are cleared: nothing on chip survives
# from one kernel to the next.
#
# Take the smallest order there is: multiply each float32 by a number. That is
# one FLOP for 4 bytes in and 4 bytes out. **Predict:** for what share of the
# time does the factory work?

# %%
# NVIDIA's data sheets: float32 outside the tensor cores [TFLOP/s], memory bandwidth [TB/s].
SHEET = {"V100": (15.7, 0.90), "A100": (19.5, 1.56), "H100": (67, 3.35),
         "H200": (67, 4.8), "B200": (80, 8.0)}
BYTES_PER_FLOP = 8          # change it: how much work must an order bring to fill the day?
busy = {name: 100 * min(1, belt / BYTES_PER_FLOP / (factory / 2))     # 2: see below
        for name, (factory, belt) in SHEET.items()}
plots.bars(busy, "x · a in float32: how long the factory works (data sheets)",
           "share of the time [%]", form="{:.1f} %")

# %% [markdown]
# (A data sheet counts a multiply-add as two; a multiplication alone runs at
# half the figure.)
#
# The factory stands idle for about 98 % of the time, on every generation. A
# faster factory would change nothing. In float32 the belt has at least kept
# pace; what ran away from it is the tensor cores: from V100 to B200 they
# became 18 times faster (125 to 2250 TFLOP/s in 16 bits), the belt 9 times
# wider (NVIDIA's data sheets).
#
# So there is one thing left to save: trips.

# %% [markdown] topics="88 89"
# ## 6.2 On paper: five orders or one
#
# The lecture's example is sin² x + cos² x for a vector of n floats. PyTorch
# runs it as five kernels, one for each line of the next cell.
#
# A *pass* is one trip of the whole vector over the belt, in or out: 4·n
# bytes. **Predict** before you run on: how many passes do the five kernels
# make together? How many would one kernel need that does it all?

# %%
my_passes_eager, my_passes_fused = None, None       # your two numbers
print(fusion.SIN2_COS2)

# %%
n = experiments.elements() if gpu.device() else 2**14      # as many as fit, or a few
eager = fusion.eager(fusion.SIN2_COS2, x=(n,))
fused = fusion.fused(fusion.SIN2_COS2, x=(n,))
print(eager, fused, sep="\n\n")
print(f"\nYou said {my_passes_eager} and {my_passes_fused}.")

# %%
plots.trips({"eager": eager.kernels, "fused": fused.kernels},
            "sin² + cos²: each arrow is one pass over n floats", yours="fused")

# %% [markdown]
# On the left the factory does almost nothing five times, and in between it
# sends half-finished goods to the warehouse only to order them back. On the
# right they stay on the shelf. **Fusion means: pay for the trip once in, once
# out.**
#
# The bound: x must come in, `out` must go out, so no kernel moves less than
# 8·n bytes. Eager moves 44·n, that is 5.5 times as much.
#
# *Correction.* Notes on the lecture (in Chinese) count five intermediate
# operations. There are five kernels and four intermediate tensors; the fifth
# result is the output (CS336 2026, lecture 5, slide 32).

# %% [markdown]
# Is memory really the limit? For eager, yes: each kernel brings an operation
# or two for its 8 or 12 bytes, so
#
# **time = bytes / bandwidth**.
#
# For the fused kernel it is a close call. PyTorch counts five operations, but
# an accurate sine and cosine together are about 58 instructions (counted in
# the compiled kernel for an H200). An H200 can issue
# 33.5 · 10¹² / s, so 7 for each byte that its memory moves (data sheet), and
# this kernel brings 58 / 8 = 7. Belt and factory are both full. So expect
# eager to take *a little less* than 5.5 times as long.

# %% [markdown]
# ## 6.3 The simplest version: eager PyTorch
#
# Does PyTorch do what the model says? `observe` runs a function and writes
# down every operation that PyTorch dispatches, with the tensors that go in
# and come out.

# %%
def sin2_cos2_eager(x):
    s, c = torch.sin(x), torch.cos(x)
    return s * s + c * c

x = torch.randn(n, device=device)
print(fusion.observe(sin2_cos2_eager, x=x))

# %% [markdown]
# The same 11 passes: nothing in PyTorch looked ahead from one line to the
# next. The profiler agrees. It is the tool to use on real programs: on a GPU
# it lists the kernels, here without one the operations.

# %%
from torch.profiler import profile

with quiet(), profile() as recorded:
    sin2_cos2_eager(x)
events = recorded.key_averages()
kernels = [event for event in events if event.device_type.name == "CUDA"]
for event in kernels or events:
    print(event.count, "×", event.key[:70])

# %% [markdown]
# Now the time. The ruler is a copy of x: one pass in, one pass out, no
# arithmetic. No kernel that reads x and writes `out` can beat it.
# **Predict:** how many times longer than the copy does eager take?
#
# (`experiments` holds the measurements of this notebook: warm-up, cold cache,
# median of several runs. On a GPU they run; without one they return what the
# same lines measured on an H200. "where" says which.)

# %%
my_ratio = None                                     # your number
first = experiments.sin2_cos2_times()
copy, eager_ms = first["ms"]["copy"], first["ms"]["eager"]
print(f"{first['where']}, {first['n'] / 1e6:.0f} million floats:")
print(f"copy {copy:.3f} ms, eager {eager_ms:.3f} ms, ratio {eager_ms / copy:.2f}.")
print(f"The model says {eager.passes / fused.passes}, you said {my_ratio}.")

# %% [markdown]
# There is the answer to the opening question. Four of the kernels make two
# passes, like a copy, whether they compute a sine or a product; the addition
# makes three: 4 + 1.5 = 5.5 copies. A chain costs what its trips cost.
#
# The gap has a name now, too: nine passes, eight over four tensors that
# nobody asked for, and x a second time.

# %% [markdown]
# ## 6.4 Your first fused kernel
#
# One load, everything in registers, one store. Inside a kernel `tl.sin(x)`
# is a value on the shelf: using it twice costs nothing.
#
# The result is 1 for every finite x: you can check it in your head. (For an
# infinite x it is NaN, so storing ones without looking at x does not pass.)

# %%
show("sin2_cos2")

# %% exercise="sin2_cos2"
from helpers.kernels.sin2_cos2 import sin2_cos2, sin2_cos2_kernel

# %% check="sin2_cos2"
check(sin2_cos2)

# %% [markdown]
# Look at the trips themselves. In Triton's interpreter every load and store
# is counted, tensor by tensor: this needs no GPU and has no noise.

# %%
small = torch.randn(8192)                           # 32,768 bytes
result = torch.zeros_like(small)
with count_traffic(out=result, x=small) as traffic:
    sin2_cos2(result, small)
print(f"launches: {len(traffic.launches)}, x read: {traffic['x'].loaded_bytes} B, "
      f"out written: {traffic['out'].stored_bytes} B")
print(f"largest distance from 1: {(result - 1).abs().max():.1e}"
      if traffic["out"].stored_bytes else "Your kernel stores nothing yet.")

# %% [markdown]
# Rounding makes the distance a little more than 0: float32 keeps 24 bits, so
# a result near 1 is right to about 6e-8, give or take a unit.
#
# Measure again. **Predict** before you run: where between copy and eager does
# your kernel land?

# %%
second = experiments.sin2_cos2_times(sin2_cos2)
plots.bars(second["ms"], f"sin² + cos² of float32, {second['where']}", "time [ms]",
           yours=["yours", "reference"], references=["copy"], form="{:.3f}")

# %% [markdown]
# Eager paid for five trips, you for one. On an H200 yours ends some 10 % above
# the copy, as the count of instructions said.
#
# **Moral: a kernel pays for what crosses the belt (the memory bus). What
# happens between load and store is free until the arithmetic itself becomes
# the limit.**
#
# The compiler found the same kernel without you. Section 6.10 looks at how far
# that goes. First: how much arithmetic is "free"?

# %% [markdown] topics="88"
# ## 6.5 How long can the chain be?
#
# Multiply by a number k times. Eager needs k kernels, so 2·k passes. The
# given kernel below needs 2 passes for any k.
#
# **Predict:** for which k does the fused kernel begin to slow down? On paper
# an H200 multiplies 33.5 · 10¹² floats a second (data sheet: 67 TFLOP/s, with
# a multiply-add counted as two) while its belt moves 4.8 · 10¹² bytes.

# %%
import inspect

from helpers.kernels.chain import chain_kernel

print(inspect.getsource(chain_kernel.fn))

# %%
my_k = None                                         # your number
chains = experiments.chain_times()
lengths, size = chains["k"], chains["n"]
belt = 8 * size / (chains["copy_ms"] * 1e-3)        # bytes a second, as the copy reached it
model = [fusion.eager(fusion.chain(k), x=(size,)).milliseconds(belt) for k in lengths]
plots.lines({"eager, model": (lengths, model), "eager": (lengths, chains["eager_ms"]),
             "one kernel": (lengths, chains["fused_ms"])},
            f"k multiplications of float32, {chains['where']}", "k", "time [ms]",
            yours="one kernel", references=["eager, model"], log="xy",
            marks={"you said": my_k} if my_k else None)

# %% [markdown]
# At first the multiplications ride along for nothing: they are done while the
# next bytes travel. Then the factory is full, and only from there on does
# work cost time. Eager pays from the second step; the model, 2·k passes at the
# copy's speed, lies on the measurement.
#
# The bend is the ridge of the roofline (notebook 03). For an H200, by its
# data sheet: 8 B · 33.5 · 10¹² / 4.8 · 10¹² B = 56 multiplications for each
# float. Up to there a longer expression in your kernel is not slower.

# %% [markdown] topics="130"
# ## 6.6 Rows: softmax
#
# softmax(x)ᵢ = exp(xᵢ) / Σⱼ exp(xⱼ), row by row. Now an element needs to know
# about its whole row. Two things can go wrong before speed is a question.

# %%
largest = torch.tensor(torch.finfo(torch.float32).max)
print(f"exp(x) fits float32 up to x = {torch.log(largest):.1f}")
row = torch.tensor([1.0, 50.0, 100.0])
for e in (torch.exp(row), torch.exp(row - row.max())):
    softmax = e / e.sum()
    print("exp:", *(f"{value:.2g}" for value in e), "  softmax:", *(f"{p:.2g}" for p in softmax))

# %% [markdown]
# In the first line one entry overflows, and ∞ / ∞ is NaN. Taking the row's
# maximum away first changes nothing on paper (numerator and denominator shrink
# by the same factor) and makes 1 the largest exponential there is. **Maximum
# first, then exp.**
#
# *Correction.* The lecture says it in the other order at 1:14:15
# ("exponentiate all of your elements", then subtract the maximum). Subtract
# first: Milakov & Gimelshein, arXiv 1805.02867, algorithm 2.

# %% [markdown]
# The second thing: masks. Attention writes -∞ where a token may not look.
# exp(-∞) = 0, so such an element gets weight 0. A row of nothing but -∞ has
# no answer: -∞ - (-∞) is NaN, in PyTorch too.

# %%
inf = float("inf")
print(torch.softmax(torch.tensor([[1.0, 2.0, -inf, -inf], [-inf, -inf, -inf, -inf]]), dim=1))

# %% [markdown]
# Now count. Written out in PyTorch the safe softmax is five kernels
# (`torch.softmax` is one); the row statistics m and s hold one number for each
# row and hardly weigh anything.
#
# **Predict:** how many passes over x-sized tensors does eager make? How many
# does one kernel make that can hold a row on its shelf? And one that cannot,
# and must fetch the row anew whenever it knows more?

# %%
my_passes = {"eager": None, "row in sweeps": None, "row on the shelf": None}
M, N = 4096, 4096
plans = {"eager": fusion.eager(fusion.SOFTMAX, x=(M, N)),
         "row in sweeps": fusion.sweeps(fusion.SOFTMAX, x=(M, N)),
         "row in sweeps, unsafe": fusion.sweeps(fusion.UNSAFE_SOFTMAX, x=(M, N)),
         "row on the shelf": fusion.fused(fusion.SOFTMAX, x=(M, N))}
print(*plans.values(), f"You said {my_passes}.", sep="\n\n")

# %%
plots.traffic({name: plan.pieces for name, plan in plans.items()},
              f"softmax of {M} rows of {N} float32", yours="row on the shelf", unit="MB")

# %% [markdown]
# Eager 8, safe in sweeps 4, unsafe in sweeps 3, on the shelf 2. The shelf is
# the whole trick: a block that keeps its row in registers knows the maximum
# and the sum, and still has the row.
#
# *Correction.* Notes on the lecture (in Chinese) say that the classic softmax
# needs two sweeps. That is the unsafe one (2 reads, 1 write). The safe one
# needs three sweeps and four accesses an element. Two sweeps are enough with
# the online softmax, which notebook 11 derives (arXiv 1805.02867, sections 2
# and 3).

# %% [markdown]
# **Your kernel:** one program a row. The block has a power of two lanes, at
# least as many as the row has columns, so some lanes lie beyond the row. What
# must they hold so that they change neither the maximum nor the sum? (Zero is
# wrong. Think of a row of numbers around -100.)
#
# Rows may lie apart in memory: use the strides. Compute in float32 whatever
# comes in.

# %%
show("row_softmax")

# %% exercise="row_softmax"
from helpers.kernels.row_softmax import row_softmax, row_softmax_kernel

# %% check="row_softmax"
check(row_softmax)

# %%
small = torch.randn(8, 1000)                        # 32,000 bytes
result = torch.zeros_like(small)
with count_traffic(out=result, x=small) as traffic:
    row_softmax(result, small)
print(f"launches: {len(traffic.launches)}, x read: {traffic['x'].loaded_bytes} B, "
      f"out written: {traffic['out'].stored_bytes} B")
print(f"row sums: {result.sum(1).min():.6f} to {result.sum(1).max():.6f}")

# %% [markdown]
# ## 6.7 Passes, read off a clock
#
# Softmax must move 8·M·N bytes. Divide that by the time it took, and you get
# a *useful* bandwidth; compare it with a copy's, and you can read how many
# passes a kernel makes: at full copy speed two, at two thirds three, at half
# speed four.
#
# **Predict:** PyTorch's softmax and the compiler's are written by experts. At
# which N do they stop holding a row on the shelf?

# %%
speeds = experiments.softmax_speeds(row_softmax)
curves = {name: (speeds["N"], tb_s) for name, tb_s in speeds["TB_s"].items()}
sweeping, copies = curves.pop("in two sweeps"), curves.pop("copy")[1]
roof = max(copies)
levels = {"2 passes (copy, measured)": roof, "3 passes": roof * 2 / 3, "4 passes": roof / 2}
plots.lines(curves, f"softmax of float32 rows, {speeds['where']}", "N, columns",
            "useful bandwidth [TB/s]", yours=["yours", "reference"], references=["torch"],
            roofs=levels)

# %% [markdown]
# Short rows: everybody makes two passes. Then, on the H200, the compiler's
# kernel falls between the lines of two and three: it sweeps twice, as the
# online softmax does, and finds a part of its second reading in a cache.
# PyTorch's falls to four at 8 Ki, recovers at 16 Ki and is back at four from
# 64 Ki on: it keeps several kernels and picks one by N. The solution stays on
# top until N = 32 Ki, and then it falls, too.
#
# The levels are not exact. A row that was read a moment ago may still lie in
# the L2 cache, which shortens the second trip. But at half the speed of a
# copy nobody has made two passes at full speed.

# %% [markdown]
# ## 6.8 When a row no longer fits the shelf
#
# A multiprocessor has 65,536 registers of 4 bytes: 256 KiB for all its blocks
# together (compute capabilities 7.0 to 10.0, NVIDIA's tuning guides). A
# float32 row of N = 65,536 would fill every one of them. Before that, values
# spill to *local* memory, which in spite of its name lies in global memory.
#
# So a long row must go in sweeps. `row_softmax_long` is given: one sweep
# collects maximum and sum block by block, one writes. **Predict** its reads
# and writes, in passes.

# %%
from helpers.kernels.row_softmax_long import row_softmax_long

long = torch.randn(1, 70_000)                       # 280,000 bytes: more than 256 KiB
result = torch.zeros_like(long)
with count_traffic(out=result, x=long) as traffic:
    row_softmax_long(result, long)
print(f"reads:  {traffic['x'].loaded_bytes / long.nbytes:.2f} passes")
print(f"writes: {traffic['out'].stored_bytes / long.nbytes:.2f} passes")

# %% [markdown]
# Three passes instead of two. The shelf is full, and what does not fit must be
# fetched again. How one sweep can find the maximum *and* a sum that depends
# on it is the subject of notebook 11; it is what makes FlashAttention
# possible.
#
# When does it pay to sweep? **Predict** first.

# %%
last = {name: (speeds["N"][3:], tb_s[3:]) for name, tb_s in speeds["TB_s"].items()
        if not name.startswith(("copy", "torch"))}
plots.lines(last, f"softmax of long float32 rows, {speeds['where']}", "N, columns",
            "useful bandwidth [TB/s]", yours=["yours", "reference"], roofs=levels)

# %% [markdown]
# One block wins up to 16 Ki, is level at 32 Ki, and collapses when the
# registers spill. The sweeping kernel is even better than three passes allow:
# its second reading comes right after the first, and the rows that an H200
# works on at one time (one for each of 132 multiprocessors, 256 KiB each at
# N = 64 Ki) fit in its L2 cache. For shorter rows it loses: its
# steps are 32,768 columns wide, so half of a step is padding at 16 Ki, and
# three quarters at 8 Ki.
#
# **Moral: a fused reduction is as good as the shelf (the registers) is
# large.**

# %% [markdown]
# ## 6.9 Two results: residual + RMSNorm
#
# Between two layers a transformer computes
#
# hidden = x + residual, and
# out = hidden / √(mean of hidden² over the row + eps) · weight.
#
# `out` goes into the next layer, `hidden` is the residual of the one after:
# both are needed, both must be stored. As a starting point here is RMSNorm
# alone, given: a load, a sum, a store.

# %%
from helpers.kernels.rms_norm import rms_norm_kernel

print(inspect.getsource(rms_norm_kernel.fn))

# %%
def residual_rms_norm_eager(x, residual, weight, eps=1e-5):
    hidden = x + residual
    scale = torch.rsqrt(hidden.square().mean(1, keepdim=True) + eps)
    return hidden, hidden * scale * weight

rows = torch.randn(64, N)
print(fusion.observe(residual_rms_norm_eager, x=rows, residual=rows.clone(),
                     weight=torch.ones(N)))

# %% [markdown]
# **Predict:** PyTorch's `x + residual` followed by the given kernel: how many
# passes? And one kernel that does both? Mind what a kernel may skip: a value
# that must be *stored* need not be *read back*.

# %%
my_passes = {"add, then rms_norm": None, "one kernel": None}
inputs = {"x": (M, N), "r": (M, N), "weight": (N,)}             # r: residual, h: hidden
eager = fusion.eager(fusion.RESIDUAL_RMS_NORM, **inputs)
one = fusion.fused(fusion.RESIDUAL_RMS_NORM, keep=("h", "out"), **inputs)
add = fusion.eager("h = x + r", x=(M, N), r=(M, N))
norm = fusion.fused("out = rms_norm(h, weight)", h=(M, N), weight=(N,))
plots.traffic({"eager": eager.pieces, "add, then rms_norm": add.pieces + norm.pieces,
               "one kernel": one.pieces},
              f"residual + RMSNorm, {M} rows of {N} float32", yours="one kernel")

# %% [markdown]
# Ten, five and four passes. Note the size of the steps: from eager to two
# kernels the traffic halves, the last fusion saves one pass in five. Both
# inputs must come in and both results must go out; no trick removes those.
#
# One more thing before you write it. The rows come in 16 bits, and a sum of
# many small numbers in 16 bits goes wrong in two ways.

# %%
total = torch.zeros((), dtype=torch.bfloat16)
for one_more in torch.ones(4096, dtype=torch.bfloat16):
    total += one_more
print(f"4096 ones added up in bfloat16: {total:.0f}")
print(f"300² in float16: {torch.tensor(300.0, dtype=torch.float16) ** 2}")

# %% [markdown]
# bfloat16 has 8 bits of precision: from 256 on, the next number is 258, and
# 256 + 1 rounds back to 256. float16 ends at 65,504, so the square of 300 is
# infinite. Registers are 32 bits wide anyway: **convert when you load, compute
# in float32, convert when you store.** The trip costs 2 bytes an element, the
# arithmetic loses nothing.
#
# `hidden` is stored rounded to its own dtype; go on with the *rounded* value,
# which is what the next layer will see.

# %%
show("residual_rms_norm")

# %% exercise="residual_rms_norm"
from helpers.kernels.residual_rms_norm import residual_rms_norm, residual_rms_norm_kernel

# %% check="residual_rms_norm"
check(residual_rms_norm)

# %%
a, b, weight = torch.randn(8, 1000), torch.randn(8, 1000), torch.randn(1000)
result, hidden = torch.zeros_like(a), torch.zeros_like(a)
with count_traffic(out=result, hidden=hidden, x=a, residual=b, weight=weight) as traffic:
    residual_rms_norm(result, hidden, a, b, weight, 1e-5)
for name in ("x", "residual", "hidden", "out", "weight"):
    moved = traffic[name]
    print(f"{name:9} read {moved.loaded_bytes:6,} B, written {moved.stored_bytes:6,} B")

# %% [markdown]
# `weight` is small, but each of the 8 programs asks for it: 8 · 4,000 bytes.
# On a GPU all but the first requests are answered by the L2 cache; the
# exercise therefore allows them.
#
# **Predict**, then measure: does the clock say 10 : 5 : 4?

# %%
third = experiments.norm_times(residual_rms_norm)
plots.bars(third["ms"], f"residual + RMSNorm of {third['dtype']}, {third['M']:,} × {third['N']:,}, "
           + third["where"], "time [ms]", yours=["yours", "reference"], references=["copy"],
           form="{:.3f}")

# %% [markdown]
# (The copy moves what no kernel can avoid: two matrices in, two out.)
#
# 5 : 4 is there, and eager is far worse than 10. It computes in float32 as
# you do, but it converts *in memory*: every tensor in between is twice as wide
# as the 16-bit input. Count again, in bytes.

# %%
rows = torch.randn(64, N, dtype=torch.bfloat16)
in_float32 = fusion.observe(lambda x, r, w: experiments.EAGER["residual_rms_norm"](x, r, w, 1e-5),
                            x=rows, r=rows.clone(), w=torch.ones(N, dtype=torch.bfloat16))
least = fusion.fused(fusion.RESIDUAL_RMS_NORM, ("h", "out"), itemsize=2,
                     x=rows.shape, r=rows.shape, weight=(N,))
print(f"eager: {len(in_float32.kernels)} kernels, {in_float32.bytes / 1e6:.1f} MB; "
      f"one kernel: {least.bytes / 1e6:.1f} MB, {in_float32.bytes / least.bytes:.2f} times less")
print(f"time,  eager / copy:       {third['ms']['eager'] / third['ms']['copy']:.2f}")

# %% [markdown]
# Bytes explain most of it. What is left the profiler of section 6.3 would
# show: kernels of the chain that are slower than a copy.
#
# And the compiler? Its one kernel takes about as long as yours, although it
# works in sweeps (the next section shows its name: `red`): a row of 4096
# 16-bit numbers is 8 KiB, and the second time it comes from a cache. At longer
# rows that luck ends, as the curve of section 6.7 shows.
#
# **Moral: store what others need, and go on with what you hold. Reading back
# your own result is a trip for nothing.**

# %% [markdown] topics="90"
# ## 6.10 What the compiler does without you
#
# `torch.compile` records the operations of a function and writes kernels for
# them: Triton on a GPU, C++ on a CPU. Its documentation calls fusion "the
# single most important optimization" that it performs (docs.pytorch.org,
# torch.compiler, Getting Started). XLA, the compiler behind JAX, does the same
# for its own reason: fewer intermediate buffers (openxla.org, XLA
# architecture).
#
# Here is the kernel that it writes for sin² + cos², without the index
# computations around it.

# %%
graphs = experiments.compiled_graphs()
print(graphs["where"], *graphs["kernels"]["sin² + cos²"], "", graphs["arithmetic"], sep="\n")

# %% [markdown]
# One load, one store, and between them what you wrote by hand. The name of
# the kernel lists what went into it (`poi` is pointwise, `red` and `per` are
# reductions: in sweeps, or with the row on the shelf).
#
# Some graphs are harder. **Predict** for each of the next five how many
# kernels are left, library calls included. `a` is a 2048 × 2048 matrix.

# %%
my_kernels = {
    "sin² + cos²": None,
    "residual + RMSNorm": None,
    "relu(a @ a)": None,                            # a product, then elementwise work
    "a / a.sum()": None,                            # a sum over everything
    "attention": None,                              # softmax(a @ aᵀ) @ a
}

# %%
for name, kernels in graphs["kernels"].items():
    print(f"{name:18}  you said {my_kernels[name]}, launched {len(kernels)}: {', '.join(kernels)}")

# %% [markdown]
# Try a function of your own: put it in place of `None`. (The first call takes
# some seconds. Without a GPU you get C++; without a C++ compiler, the reason.)

# %%
mine = None                                         # lambda x: torch.tanh(x) * x + 1
if mine is not None:
    made = torch_compile(mine, torch.randn(4096, device=device))
    print(made.problem or "\n".join([*made.kernels, "", made.arithmetic]))

# %% [markdown] topics="91"
# ## 6.11 Where it stops
#
# - **Elementwise work and reductions** over the same rows usually fuse.
# - **A matrix product** stays a library call. What follows it can move into
#   its last step if the compiler is allowed to write the product itself
#   (`mode="max-autotune"`, on GPUs with 68 SMs or more).
# - **A sum over everything** must end before any element can be divided by
#   it. Blocks of an ordinary launch do not wait for each other, so a GPU needs
#   a second kernel (the compiler takes a third: it splits the sum in two).
# - **Attention** is product, softmax, product. The N × N scores travel to
#   memory and back.

# %% [markdown]
# That last case is the important one. To fuse attention you must normalise a
# row of which you have seen only a part, and correct it later. A compiler
# rearranges the operations that you wrote; it does not invent this algebra.
# People did (notebooks 11 and 12), and taught compilers to *recognise* single
# patterns: an online softmax, or attention in its usual four-dimensional form,
# which they hand to a FlashAttention kernel. That is a look-up, not a
# discovery.
#
# Fusion also ends where the compiler cannot see: at a `print`, an `.item()`,
# a branch on a tensor's value (a "graph break"), and at kernels that you
# wrote yourself, which it calls as they are.

# %% [markdown] topics="18 56"
# ## 6.12 How much of a model is this?
#
# One transformer block, forward, on paper: 8,192 tokens, width 4,096, 32
# heads, sequences of 2,048, all in bfloat16. Matrix products run at the data
# sheet's peak (H200: 989 TFLOP/s dense), everything else at the data sheet's
# bandwidth (4.8 TB/s).
#
# **Predict:** what share of the FLOPs, and of the time, is *not* matrix
# products?

# %%
T, D, HEADS, S = 8192, 4096, 32, 2048
norm_shapes = {"x": (T, D), "r": (T, D), "weight": (D,)}
scores = "b = a * scale\nc = b + mask\nout = softmax(c)"
score_shapes = {"a": (T, HEADS, S), "scale": (), "mask": (S, S)}

products = 2 * T * 12 * D * D + 4 * T * S * D       # six weight matrices' worth; Q·Kᵀ and P·V
eager = [*2 * [fusion.eager(fusion.RESIDUAL_RMS_NORM, itemsize=2, **norm_shapes)],
         fusion.eager("out = gelu(h)", itemsize=2, h=(T, 4 * D)),
         fusion.eager(scores, itemsize=2, **score_shapes)]
fused = [*2 * [fusion.fused(fusion.RESIDUAL_RMS_NORM, ("h", "out"), 2, **norm_shapes)],
         fusion.fused(scores, itemsize=2, **score_shapes)]      # gelu: inside the product

# %%
product_ms = products / 989e12 * 1e3
eager_ms, fused_ms = (sum(plan.milliseconds(4.8e12) for plan in plans) for plans in (eager, fused))
other_flops = sum(plan.flops for plan in eager)
plots.bars({
    "of the FLOPs": 100 * other_flops / (other_flops + products),
    "of the time, eager": 100 * eager_ms / (eager_ms + product_ms),
    "of the time, fused": 100 * fused_ms / (fused_ms + product_ms),
}, "One transformer block: what is not a matrix product (model)", "share [%]", form="{:.2g} %")

# %% [markdown]
# A fraction of a per cent of the work, a large part of the time: that is why
# memory and not compute decides what to optimise, and why everything that is
# not a matrix product wants to be fused into something.
#
# It is also why models that scale are built of matrix products. They are the
# one operation that brings enough work for each byte; an architecture whose
# time goes into anything else leaves the tensor cores idle.

# %% [markdown]
# ## 6.13 What fusion cannot remove
#
# - The first read and the last write: 8·n bytes here. A fused kernel ends at
#   the speed of a copy, and no trick of this notebook gets beyond it.
# - A result that somebody else needs: `hidden` had to be stored. So do the
#   activations that the backward pass will read, unless it computes them
#   again.
# - A wait for everybody: reductions over the whole tensor.
# - Arithmetic. Once the factory is full (6.5), fewer trips help no more.
# - What does not fit the shelf (6.8).
#
# When tensors are small, trips are short, and fusion saves something else:
# launches.

# %% [markdown]
# *Correction.* Notes on the lecture (in Chinese) ask for every kernel to work
# on the flat part of the roofline, where compute is the limit. Elementwise
# operations, softmax and norms cannot get there: even fused they bring a few
# FLOPs for each byte, and an H200 wants 14. Their goal is the roof above them,
# the slanted one: the speed of a copy. (scaling-book, "All About Rooflines",
# jax-ml.github.io.)

# %% [markdown]
# ## 6.14 In three lines
#
# - Cheap operations cost a trip each, whatever they compute.
# - Fuse: once in, once out. Count passes first; the count predicts the time.
# - Compilers do the easy fusions. The hard ones need new algebra.
#
# **Next:** notebook 07 asks what happens if you throw a result away on
# purpose and compute it again, because the trip would cost more than the work.
