# %% [markdown]
# # 01 First kernel
#
# **How does one line of arithmetic become a million threads, and what does it
# cost?**
#
# The line is `out = x + y`. You write it as a GPU kernel, see on which part
# of the chip each number is added, and learn to say in advance how long a
# launch, an addition of any size and a trip from the host take.
#
# You need Python and a little PyTorch, no GPU programming. Plan 75 minutes.
# Without a GPU your kernels run in an interpreter: right or wrong shows,
# speed does not. What has to be *timed* then comes from a stored run on an
# NVIDIA H200, and says so.

# %% locked="setup"
from helpers import check, hint, ready, show
import torch
import triton
import triton.language as tl
ready()

# %%
from helpers import assembly, gpu, plots
from helpers.experiments import first_kernel as experiments
from helpers.simulate import latency, launch

device = gpu.device() or "cpu"

# %% [markdown] topics="1 3"
# ## 1.0 Six guesses
#
# GPUs look like magic at first. They are not: systems work is the part of
# machine learning that you can *reason* through. A time follows from bytes,
# operations and waiting, and each of them can be counted.
#
# Find out what you know today. Put a number in place of each `None`, or leave
# it. The numbers stay in this notebook; its last section measures all six and
# scores you: one point within a factor of two, half a point within five.
#
# Take the last one seriously. The common belief is that larger matrices only
# ever run better.

# %%
guesses = {
    "one number": None,                 # one addition, result in hand: GPU time / CPU time
    "65,536 numbers": None,             # on the GPU: time of 65,536 additions / time of one
    "67 million numbers": None,         # 67 million additions: CPU time / GPU time
    "16 times the arithmetic": None,    # 16 multiply-adds a number / 1, 67 million numbers
    "from the host": None,              # 256 MiB, host to GPU / from one place on it to another
    "one larger": None,                 # float16 matrix product, N × N: N = 1793 / N = 1792
}

# %% [markdown] topics="4 6"
# Three parts lie ahead, as in the lecture this course follows: the hardware
# (notebooks 01 to 03), six tricks that make a GPU fast (04 to 10), and
# FlashAttention, where all of them meet (11 to 14).
#
# Why should you care if you design models and never write a kernel? Because
# training at scale means using what you paid for. Two models with equal
# FLOPs can differ far more in time: "one larger" above is such a case, and it
# is one number in a config file.
#
# Keep one question in mind until then: **which of your model's sizes did you
# choose, and which did you copy?**

# %% [markdown] topics="15"
# ## 1.1 On paper: what can this chip do?
#
# A GPU is not a few fast cores but many slow ones. Its unit is the *streaming
# multiprocessor* (SM): an independent processor with its own schedulers,
# arithmetic lanes, registers and a small fast memory. All SMs share the L2
# cache and the large memory outside the chip, *global memory*: about the
# number of gigabytes on a GPU's box.
#
# The driver says how many there are and how fast they tick. Two ceilings
# follow: every lane can finish one addition a cycle, and the memory moves two
# bits per cycle of its clock on each line of its bus.

# %%
facts = experiments.device()
adds = facts["sms"] * facts["lanes_per_sm"] * facts["clock_GHz"] * 1e9      # per second
memory = 2 * facts["memory_GHz"] * 1e9 * facts["bus_bits"] / 8              # bytes per second

print(f"{facts['name']}: {facts['sms']} SMs × {facts['lanes_per_sm']} lanes "
      f"× {facts['clock_GHz']} GHz = {adds / 1e12:.1f} · 10¹² additions per second")
print(f"global memory: {facts['memory_GB'] * 1e9 / 2**30:.0f} GiB, {memory / 1e9:,.0f} GB/s")
print(f"clocks and counts as the driver reports them, {facts['where'].replace('measured ', '')}")

# %% [markdown] topics="16"
# Look inside one SM. Its lanes (NVIDIA says "CUDA cores", the lecture
# "streaming processors") stand in four quarters. Each quarter has a *warp
# scheduler*, a quarter of the registers and a tensor core (two on V100 and
# T4). A scheduler issues one instruction a cycle, and a whole row of lanes
# carries it out (a row of 16, as in an A100, takes two cycles).
#
# A data sheet counts a multiply-add as two operations, so its figure is twice
# your additions per second. **Predict** it for this GPU, then compare with
# its data sheet (H100 and H200: 67 TFLOP/s).

# %%
print(f"float32 peak: 2 × {adds / 1e12:.1f} = {2 * adds / 1e12:.1f} TFLOP/s")
lanes = facts["lanes_per_sm"] // 4
plots.cells([f"one of {4 * lanes} lanes"] * 4 * lanes, lanes,
            f"One SM of {facts['name']}: four quarters, one scheduler each",
            paints={f"one of {4 * lanes} lanes": plots.INK}, note="each row: one instruction",
            rows=[f"quarter {i}" for i in range(4)])

# %% [markdown] topics="17"
# *Correction.* Said in the lecture: an A100 has 128 SMs (09:21), or 132
# (20:33), or 108 (1:08:35). All three numbers are real, of three things:
#
# | SMs | what has them |
# |--:|---|
# | 128 | the full GA100 die, as manufactured |
# | **108** | the A100 you can buy: 20 SMs are switched off |
# | 132 | the H100 SXM and the H200 (full GH100 die: 144) |
#
# Sources: NVIDIA's A100 and H100 whitepapers; the lecture's slides 9, 14 and
# 48 show the same. The rule for your code: never write such a number down,
# ask the device.

# %% [markdown] topics="18"
# Now the line. `out = x + y` with n float32 numbers is n additions, and it
# must read x, read y and write `out`: 4 + 4 + 4 = 12 bytes each. No program
# can be faster than either ceiling allows.
#
# **Predict:** which of the two takes longer, and how many times?

# %%
def on_paper_us(n):
    """The least time that n additions of float32 can take: arithmetic, memory [µs]."""
    return 1e6 * n / adds, 1e6 * 12 * n / memory


for n in (1, 65_536, 67_108_864):
    arithmetic_us, memory_us = on_paper_us(n)
    print(f"n = {n:>10,}: arithmetic {arithmetic_us:.2g} µs, memory {memory_us:.2g} µs: "
          f"{memory_us / arithmetic_us:.0f} times as long")

# %% [markdown] topics="18"
# The lanes could do the work in about one per cent of the time. This is the
# normal case, not a bad one: arithmetic has become so cheap that **moving
# numbers is what costs**, and nearly every trick of this course is a way to
# move fewer of them.
#
# So the plan is clear: keep the memory busy, all the time. For that you need
# many requests under way at once, and the GPU's way to have many is to have
# many threads.

# %% [markdown] topics="26 27 29"
# ## 1.2 A million threads
#
# - A **thread** runs your program for one piece of the data. All threads run
#   the same program (*single instruction, multiple threads*, SIMT) and differ
#   in one number: who they are.
# - A **warp** is 32 threads with consecutive numbers that get their
#   instructions together. It is what a scheduler schedules: one decision
#   serves 32 threads.
# - A **block** is up to 1024 threads on one SM. They may share its fast
#   memory.
# - A **grid** is all blocks of a launch. They run in any order.
#
# In Triton you write the program of a *block*, called a **program**: its
# values are vectors, and Triton spreads their elements over the threads.

# %%
@triton.jit
def who_kernel(out_ptr, n, BLOCK: tl.constexpr):
    """out[i] = number of the program that owns element i.  Grid: (ceil(n / BLOCK),)."""
    program = tl.program_id(0)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.zeros_like(offsets) + program, mask=offsets < n)


# %% [markdown]
# `tl.program_id(0)` says which program this is, `tl.arange(0, BLOCK)` numbers
# its elements, and together they give *offsets*: positions in memory that no
# other program has.
#
# **Predict** what the next cell prints for n = 10 and programs of 4 elements.
# How many programs are needed? Who owns element 9, and what do the last two
# lanes do?

# %%
n, BLOCK = 10, 4
out = torch.full((n,), -1, dtype=torch.int32, device=device)
grid = (triton.cdiv(n, BLOCK),)     # cdiv divides and rounds up
who_kernel[grid](out, n, BLOCK=BLOCK)
print(f"{grid[0]} programs:", out.tolist())

# %% [markdown]
# n is rarely a multiple of BLOCK, so the last program is *ragged*: some of its
# lanes own no element. They run all the same, since all lanes of a warp run
# together. The **mask** holds their loads and stores back. Without it they
# would read and overwrite whatever lies behind the vector.

# %%
n, BLOCK = 100, 32
idle = launch.idle_lanes(n, BLOCK)
programs = launch.blocks_for(n, BLOCK)
plots.cells(["an element"] * n + ["masked lane"] * idle, BLOCK,
            f"n = {n} in programs of {BLOCK}: {programs} programs, {idle} lanes held back",
            paints={"an element": plots.INK, "masked lane": plots.TINTS[1]},
            texts=[str(i) for i in range(n)], rows=[f"program {p}" for p in range(programs)])

# %% [markdown] topics="26 60"
# How many warps does a block have? The lecture answers "hardware-dependent"
# (29:37). It is not: **you choose**. A block of `threads` threads has
# ⌈threads / 32⌉ warps, at most 1024 / 32 = 32 (CUDA C++ Programming Guide).
# In Triton you say `num_warps=`, 4 by default. What does depend on the
# hardware is how many warps an SM can hold; that comes in section 1.5.
#
# Here is the lecture's example (slide 11), 4096 blocks of 256 threads.
# **Predict** the three numbers.

# %%
blocks, threads = 4096, 256
print(f"{threads // launch.WARP} warps a block, {blocks * threads:,} threads in all")
print(f"{blocks / facts['sms']:.1f} blocks for each of {facts['sms']} SMs")
print("thread 77 of a block: warp {1}, lane {2}".format(*launch.owner(77, threads)))

# %% [markdown]
# Your turn. The line you still miss is the one that loads:
#
#     x = tl.load(x_ptr + offsets, mask=offsets < n)
#
# `show` tells what is asked, `check` judges what you wrote, as often as you
# like, and `hint("vector_add")` helps step by step.

# %%
show("vector_add")

# %% exercise="vector_add"
from helpers.kernels.vector_add import vector_add, vector_add_kernel

# %% check="vector_add"
check(vector_add)

# %% [markdown]
# From here on the notebook studies *your* kernel, if it adds correctly, and
# the reference otherwise. The next cell says which.

# %%
add, add_kernel, whose = experiments.yours_or_ours(vector_add)
timed = whose if gpu.device() else "vector_add"     # a stored time is not yours
print("studied below:", whose)

# %% [markdown] topics="51"
# ### One program text, one thread's view
#
# What did your vectors become? The compiler turns the program of a block into
# the program of *one thread*, in NVIDIA's assembly language PTX. You can read
# it; no GPU is needed.
#
# **Predict:** BLOCK is 1024 and a program has 4 warps. How many elements does
# each thread add?

# %%
made = assembly.compiled(add_kernel, out_ptr="*fp32", x_ptr="*fp32", y_ptr="*fp32", n="i32",
                         BLOCK=1024)
code = made.instructions("mov.u32", "ld.global", "add.f32", "st.global")
print("\n".join(line for line in code if "mov" not in line or "%tid" in line))

# %% [markdown] topics="51 27"
# Eight `add.f32`: 1024 elements over 128 threads. `%tid.x` is the thread's
# number, the only thing that differs between the threads. `v4` loads 16 bytes
# at once, and `@%p` in front of a line is your mask: a *predicate* that
# switches the instruction off for this thread.
#
# There is no loop over the data and no list of threads. You write what one
# does, the hardware does it everywhere: like `map` in functional programming.
# That is why even this level is readable. The price: threads of a warp that
# want different instructions must wait for each other, as you will see below.

# %% [markdown] topics="28"
# ### Where did it run?
#
# A block runs on one SM from start to end; its threads can share that SM's
# memory. Which SM is the hardware's choice. Special registers tell
# afterwards (`%smid`, `%tid`): the next cell launches one and a half times as
# many programs as there are SMs. **Predict** the picture.

# %%
places = experiments.places()
on_sm = [places["sm_of_program"].count(sm) for sm in range(places["sms"])]
paints = {"0 programs": plots.PALE, "1 program": plots.GREY, "2 programs": plots.INK,
          "more": plots.TINTS[2]}
kinds = [f"{k} program{'s' * (k != 1)}" if k < 3 else "more" for k in on_sm]
owned = [i for i, t in enumerate(places["thread_of_element"]) if t == 0]
print("the first ten programs ran on SMs", places["sm_of_program"][:10])
print("thread 0 of a program of 1024 elements owns", owned)
plots.cells(kinds, 22, f"{len(places['sm_of_program'])} programs on {places['sms']} SMs, "
            f"{places['where']}", paints=paints, texts=[str(sm) for sm in range(len(kinds))])

# %% [markdown]
# Every SM got one before any got two, in an order of the hardware's own. So
# never rely on which program runs first, or on two running at once: two
# programs share only global memory. (From compute capability 9.0 on,
# neighbours launched as a *cluster* can also reach each other's shared memory:
# CUDA's Hopper tuning guide.)
#
# Thread 0 owns four neighbours and four more, 512 further on: Triton's choice,
# so that each thread can load 16 bytes at a time and the 32 threads of a warp
# touch one contiguous stretch (notebook 08 shows why).

# %% [markdown] topics="27 30"
# ### Who runs the same instruction?
#
# Early on the lecture says that *all* threads execute the same instruction
# (14:11); a student asks, and the answer is: all threads **of a warp**
# (15:04). The difference can be timed. A kernel does 2000 multiply-adds a
# thread behind an `if`; both sides are equally long.
#
# - "no one": all threads take the same side;
# - "whole warps": every second warp takes the other side;
# - "lanes of a warp": every second thread does.
#
# **Predict** the three times relative to the first.

# %%
split = experiments.branches()
plots.bars({f"if splits {who}": t for who, t in split["ms"].items()},
           f"{split['steps']} multiply-adds behind an if, {split['where']}",
           "time [ms]", form="{:.2f} ms")

# %% [markdown] topics="30"
# Two warps on different sides disturb nobody: each is scheduled on its own.
# Lanes of one warp that disagree cost the *sum* of both sides, since the warp
# takes one path after the other with half of its lanes switched off.
#
# *Correction.* Notes on the lecture (in Chinese) say that every thread runs
# both branches. Only a warp whose own lanes disagree does, and since Volta
# each thread has its own program counter, yet a warp still issues one path at
# a time (CUDA C++ Programming Guide, SIMT architecture). Notebook 04 is about
# this.

# %% [markdown] topics="12 13"
# ## 1.3 What does it cost?
#
# A CPU core is built to finish *one* thing soon: large caches, much control
# logic, few arithmetic units. That is *low latency*. A GPU is built to finish
# *many* things per second, each of them late: *high throughput*.
#
# Start with the smallest job, a single addition. When you call a kernel,
# Python prepares the launch and hands it to the GPU (*submit*); the call
# returns at once, while the GPU still works. Only waiting for it
# (`torch.cuda.synchronize()`) tells you that the result is there.
#
# **Predict** in µs: submitting, the kernel itself, and all together.

# %%
cost = experiments.launches()
parts = {"the kernel itself": "kernel", "submit": "submit", "all, until it is there": "until_done"}
plots.bars({f"{part} ({who})": cost[f"{who.lower()}_{key}_us"]
            for part, key in parts.items() for who in ("Triton", "PyTorch")},
           f"x + y of one number, {cost['where']}", "time [µs]", form="{:.1f} µs",
           references=[f"{part} (PyTorch)" for part in parts])

# %% [markdown]
# The addition itself takes a few cycles, some nanoseconds. Its kernel takes
# microseconds, and most of what you wait for is neither: it is the CPU,
# preparing a launch and noticing its end. Triton prepares its launches partly
# in Python and takes longer than PyTorch.
#
# That is *launch overhead*: paid for each kernel, whatever its size. Kernels
# that are submitted while others still run hide it, as long as each of them
# runs longer than it takes to submit the next.

# %% [markdown] topics="12 13"
# Now let n grow. The CPU (PyTorch on all cores of *this* machine) starts
# ahead. **Predict:** at about which n does the GPU overtake it? And from
# which n on does the GPU's time grow at all?

# %%
by_size = experiments.add_on_gpu(add)
sizes = [n for n in by_size["n"] if gpu.device() or n <= 2**24]      # spare small machines
cpu_us = experiments.add_on_cpu(sizes)
paper_us = [on_paper_us(n)[1] for n in by_size["n"]]
meet = experiments.crossover(sizes, cpu_us, by_size["us"][:len(sizes)])
print(f"the curves meet at about n = {meet:,.0f}" if meet else "the curves do not meet")
plots.lines({timed: (by_size["n"], by_size["us"]), "CPU, here": (sizes, cpu_us),
             "12 bytes each": (by_size["n"][6:], paper_us[6:])},
            f"x + y, float32: GPU {by_size['where']}", "numbers to add",
            "until the result is there [µs]", yours="your vector_add",
            references=["12 bytes each"], log="xy")

# %% [markdown] topics="13"
# Two regimes. On the left the GPU takes about the same time for one number as
# for a hundred thousand: launch overhead. On the right it follows the line on
# paper: bytes over bandwidth. Between them lies a size at which both are
# equal, roughly *overhead × bandwidth / 12 bytes*.

# %%
overhead_us = sorted(by_size["us"][:9])[4]           # the median up to 65,536 numbers
print(f"{overhead_us:.0f} µs × {memory / 1e9:,.0f} GB/s / 12 B "
      f"= {overhead_us * 1e-6 * memory / 12 / 1e6:.1f} million numbers")

# %% [markdown] topics="34"
# ### Close to the ceiling?
#
# On the right, how good is your kernel? The fair ruler is a kernel that does
# nothing but move bytes: a *copy* through global memory. The unit is **GB/s**:
# bytes that had to move, divided by time. CUDA events take the time on the
# GPU itself, so the launch does not count here; the median of 30 runs counts,
# and the L2 cache is overwritten before each.
#
# **Predict:** your kernel moves three vectors, the copy two. Which reaches
# more GB/s?

# %%
speed = experiments.bandwidth(add)
plots.lines({timed: (speed["n"], speed["add_GB_s"]), "copy": (speed["n"], speed["copy_GB_s"])},
            f"Bytes moved per second, float32, {speed['where']}", "numbers in a vector",
            "moved [GB/s]", yours="your vector_add", references=["copy"],
            roofs={f"{memory / 1e9:,.0f} GB/s: bus × clock, on paper": memory / 1e9})

# %%
share, reached = speed["add_GB_s"][-1] / speed["copy_GB_s"][-1], speed["add_GB_s"][-1]
print(f"n = {speed['n'][-1]:,}: {reached:,.0f} GB/s, {100 * share:.0f} % of copy, "
      f"{1e11 * reached / memory:.0f} % of the ceiling on paper")

# %% [markdown]
# The addition is free: you pay for bytes, and the sum rides along. A few per
# cent more or less than the copy are normal, since the mix of reads and
# writes differs.
#
# Copy speed is what the memory really gives, somewhat less than the ceiling
# on paper. It is the ruler of every speed score in this course.
#
# **Moral: a memory-bound kernel is good when it runs at the speed of a copy
# of the bytes it must move.**

# %% [markdown] topics="14"
# ## 1.4 Why so many threads?
#
# A load from global memory takes hundreds of nanoseconds. What does a
# processor do meanwhile?
#
# Four equal tasks, each works and waits in turns. A core that **stays** with
# its task finishes the first one as soon as possible. A scheduler that
# **switches** runs whoever is ready. **Predict:** who finishes T1 first, and
# who finishes all four first?

# %%
tasks = latency.alike(4, work=5, wait=6, rounds=3)
stay, switch = latency.staying(tasks), latency.switching(tasks)
for name, spans in (("stays", stay), ("switches", switch)):
    print(f"{name}: T1 done at {latency.finished_at(spans)[0]}, all at {latency.end(spans)}, "
          f"unit busy {100 * latency.utilisation(spans):.0f} %")
rows = {f"stays: {name}": spans for name, spans in latency.rows(stay).items()}
rows |= {f"switches: {name}": spans for name, spans in latency.rows(switch).items()}
plots.timeline(rows, "Four tasks of work (5) and waiting (6), one execution unit",
               "time [cycles]", note="simulated")

# %% [markdown] topics="14 52"
# That is the trade: the switching scheduler finishes everything sooner, and
# the first task later. A CPU core takes the first bargain, a GPU the second.
#
# Switching must cost nothing, or it would not pay for a wait of a few cycles.
# On a GPU it does cost nothing: **every resident warp keeps its registers**,
# so there is nothing to save and nothing to restore. Threads are this light
# because they are never put away. A CPU core holds one or two threads, an SM
# 1024 to 2048 of them (CUDA tuning guides).

# %% [markdown] topics="52"
# How many warps hide a wait? Each works `work` cycles and then waits `wait`.
# With W of them the unit is busy for W · work / (work + wait) of the time,
# until it is full. **Predict** how many you need for work = 5 and wait = 40,
# then move the sliders (in a live notebook; elsewhere the picture stands
# still).

# %%
from helpers.widgets.first_kernel import hide_latency

print("needed:", next(w for w in range(1, 65) if latency.bound(w, 5, 40) == 1.0), "warps")
hide_latency()

# %% [markdown] topics="52"
# Does the chip behave like this? The next kernel is a copy by as *few* warps
# as you like: each program takes every so-many-th piece. With
# `warps × 32 × 16` bytes of loads under way on each SM you would expect
# Little's law to hold:
#
# **bytes under way = bandwidth × latency**
#
# Few warps have little under way, so they get little bandwidth. More warps go
# up a straight line, until the memory is full. **Predict:** how many warps on
# each SM reach 90 % of the best?

# %%
print(experiments.few_programs_kernel.src)

# %%
few = experiments.bandwidth_by_warps()
best = max(few["GB_s"])
enough = next(w for w, speed in zip(few["warps"], few["GB_s"], strict=True) if speed > 0.9 * best)
read_by_one = few["GB_s"][0] / 2 * 1e9      # bytes/s; half of what a copy moves is read
latency_ns = 1e9 * few["sms"] * few["bytes_per_warp"] / read_by_one
model = [min(best, w * few["GB_s"][0]) for w in few["warps"]]
print(f"one warp for each SM: a load and its store take {latency_ns:.0f} ns; "
      f"90 % with {enough} warps")
plots.lines({"measured": (few["warps"], few["GB_s"]), "model": (few["warps"], model)},
            f"A copy by few warps, {few['where']}", "warps resident on each SM", "moved [GB/s]",
            references=["model"], log="")

# %% [markdown] topics="52"
# The model is drawn through the first point and cut off at the best one. In
# between the chip does worse, probably because requests queue up, so that the
# latency itself grows with the load.
#
# **Moral: threads are how a GPU waits.** It does not need them for their
# arithmetic but for their outstanding loads. How many an SM can hold is the
# next question.

# %% [markdown] topics="31 33 34"
# ## 1.5 What fits on a multiprocessor?
#
# | memory | who sees it | where it is |
# |---|---|---|
# | registers | one thread | in the SM, next to the lanes |
# | shared | one block | in the SM, same silicon as L1 |
# | local | one thread | **global memory**, cached |
# | global | everyone | outside the chip, through L2 |
#
# Shared memory is where threads of a block hand each other values and keep
# what several of them need. Leave the SM, and you pay a hundred nanoseconds
# and more (notebook 02 measures them).
#
# A warp is *resident* once its registers and its block's shared memory are
# set aside. Both run out, and so do the places for warps and blocks. The
# limits by GPU are in NVIDIA's CUDA tuning guides.

# %%
sm = experiments.sm_limits()
for name, limit in sm.items():
    print(f"{name:24} {limit:>8,}")
print(f"\nregisters: {4 * sm['registers'] / 1024:.0f} KiB an SM, "
      f"{4 * sm['registers'] * facts['sms'] / 2**20:.0f} MiB on the chip, "
      f"{4 * 255 / 1024:.1f} KiB a thread at most")

# %% [markdown] topics="31 32"
# *Two corrections.* Notes on the lecture (in Chinese) call registers the
# smallest memory. Per thread they are (at most 255 of 4 bytes each). Per SM
# the register file is 256 KiB: as large as L1 and shared memory together on
# an H100, larger on an A100 (192 KiB; NVIDIA's whitepapers).
#
# And local memory is said to be "within your single SM" (16:04). It is not:
# it is *private* to a thread but lives in global memory, with global memory's
# latency (CUDA C++ Programming Guide). The compiler puts there what no
# longer fits into registers. That is called *spilling*, and a few cells on
# you will see what it costs.

# %% [markdown] topics="26 31 33"
# **Occupancy** is the number of warps that are resident, out of those an SM
# could hold. You know a block before it runs: its threads, its registers a
# thread (the compiler decides), its shared memory. Each resource alone would
# allow some number of blocks; the scarcest decides.
#
# **Predict** for an H200: blocks of 256 threads, 32 registers a thread, no
# shared memory. And with 33 registers?

# %%
show("occupancy")

# %% exercise="occupancy"
from helpers.kernels.occupancy import occupancy

# %% check="occupancy"
check(occupancy)

# %%
fits, whose = experiments.your_occupancy(occupancy)
print("studied below:", whose)
h200 = experiments.SM_LIMITS["H200 (9.0)"]
for registers in (32, 33):
    blocks, warps = fits(256, registers, 0, h200)
    print(f"H200, {registers} registers a thread: {blocks} blocks, {warps} warps resident")

# %% [markdown] topics="31"
# One register more, a quarter fewer warps: registers are handed out in units,
# and blocks are not divided. Here is the whole staircase for blocks of 128
# threads, with the places where `vector_add` stands when each program takes
# 1024, 4096 or 8192 elements. The compiler says how many registers it uses.

# %%
used = experiments.resources(add_kernel)
stairs = list(range(16, 256))
resident = [fits(128, registers, 0, sm)[1] for registers in stairs]
plots.lines({whose: (stairs, resident)},
            f"Warps on one SM ({facts['name']}), blocks of 128 threads, no shared memory",
            "registers a thread (grey: vector_add, by elements a program)", "resident warps",
            marks={f"{block}": used[block][0] for block in (1024, 4096, 8192)},
            yours="your occupancy", log="", steps=True)

# %% [markdown] topics="32 52"
# Does that matter? Same kernel, same four warps, more and more elements a
# program. **Predict:** where does the speed fall, and how far?

# %%
by_block = experiments.bandwidth_by_block(add_kernel)
print(f"vector_add, {by_block['where']}\n")
print("elements | registers | spilled [B] | warps/SM | bytes loading/SM | GB/s")
for block, speed in zip(by_block["block"], by_block["GB_s"], strict=True):
    registers, spilled = used[block]
    warps = fits(128, registers, 0, sm)[1]
    print(f"{block:8} | {registers:9} | {spilled:11} | {warps:8} | "
          f"{warps // 4 * block * 8:16,} | {speed:5,.0f}")

# %% [markdown] topics="32 52"
# Read it twice. From 64 warps down to 12 (on an H200) nearly nothing happens:
# fewer warps, but each has more loads under way, and Little's law counts
# bytes, not warps. **Occupancy is a means, not a score.**
#
# The last row is different. 128 elements a thread of x and of y do not fit
# into 255 registers, so the thread parks some in local memory, which is
# global memory: bytes that no one asked for move out and back in.

# %% [markdown]
# Play with it: the warp slots of one SM, filled by *your* function.

# %%
from helpers.widgets.first_kernel import fit_blocks

fit_blocks(fits, sm)

# %% [markdown] topics="26"
# ### From blocks to waves
#
# When more blocks are launched than fit, they run in *waves*: a block starts
# when another ends. A toy GPU of 4 SMs that hold 2 blocks each gets 19 equal
# blocks. **Predict:** how long until all are done, if one takes 1 ms? What
# share of the slots' time is used?

# %%
ran = launch.schedule([1.0] * 19, sms=4, resident=2)
used_share = launch.efficiency(ran, sms=4, resident=2)
print(f"{launch.makespan(ran):g} ms, {100 * used_share:.0f} % of the slots' time used")
plots.timeline(launch.rows(ran, resident=2), "19 blocks of 1 ms on 4 SMs, 2 blocks each",
               "time [ms]", note="simulated",
               paints={"wave 1": plots.INK, "wave 2": plots.GREY, "wave 3": plots.TINTS[2]})

# %%
n = 2**26
blocks = launch.blocks_for(n, 1024)
slots = facts["sms"] * fits(128, made.registers, 0, sm)[0]
waves = launch.waves(blocks, facts["sms"], slots // facts["sms"])
print(f"vector_add, n = {n:,}: {blocks:,} blocks for {slots:,} slots: {waves} waves, "
      f"{100 * blocks / (waves * slots):.0f} % of the slots' time used")

# %% [markdown]
# The last wave is rarely full, and everyone waits for it. With dozens of
# waves nobody notices; with one or two it is the cliff in the lecture's
# matrix plot (notebook 10). The model treats blocks as independent. Real ones
# share the memory's bandwidth, so the few of a last wave run faster.

# %% [markdown] topics="36"
# ## 1.6 The long road
#
# Your vectors had to get to the GPU first. *Host memory* belongs to the CPU;
# the road between is PCIe, and its lanes are slow by the GPU's measure. The
# operating system may move ordinary (*pageable*) memory about, so a copy from
# it goes through a staging buffer; *pinned* memory stays in place, and the
# GPU fetches it directly.
#
# Commit three numbers: 256 MiB from pinned memory to the GPU, back, and from
# one place on the GPU to another. Answer for an H200 on PCIe 5.0 with 16
# lanes, whatever you sit at, so that all answers are judged alike. Derive
# them; data sheets are a fair source. Then do the same for your own GPU, whose
# driver knows the road, and compare with the figure below the check:
#
#     nvidia-smi --query-gpu=pcie.link.gen.max,pcie.link.width.max --format=csv

# %%
show("host_copy")

# %% exercise="host_copy"
from helpers.kernels.host_copy import host_copy

# %% check="host_copy"
check(host_copy)

# %%
roads = experiments.roads()
plots.bars({road: roads["MiB"] * 2**20 / ms / 1e6 for road, ms in roads["ms"].items()},
           f"{roads['MiB']} MiB from memory to memory, {roads['where']}",
           "copied [GB/s]", log=True, form="{:,.0f} GB/s")

# %% [markdown] topics="36"
# The road from the host is many times narrower than the GPU's own memory
# (which even moves each copied byte twice: it is read, then written), in both
# directions, and pageable memory makes it narrower still. Two rules follow:
# bring data over once and keep it there; and if it must travel, pin it.
#
# *Offloading* a model to the host is this road, walked every step.

# %%
weights = 7e9 * 2       # bytes: 7 billion parameters in 16 bits
for road in ("pinned to device", "on device"):
    speed = roads["MiB"] * 2**20 / roads["ms"][road] * 1e3      # bytes per second
    print(f"7 billion 16-bit parameters, {road}: {weights / speed * 1e3:,.0f} ms")

# %% [markdown] topics="1 3 18"
# ## 1.7 Your six guesses
#
# Measured now, or recalled from the H200 and its host. The two that surprise
# most people: sixteen times the arithmetic costs nothing, because it is done
# while the memory is waited for. And a matrix that is one larger each way
# makes a product several times slower, though the work grows by less than
# 0.2 %: **larger is not always better**. Why, you will know in notebook 10.

# %%
answers = experiments.six_ratios()
points = experiments.score(guesses, answers["ratios"])
print(f"{sum(points.values()):g} of {len(answers['ratios'])} points; "
      f"{len(guesses) - len(points)} not guessed")
for name, (a, b, unit) in answers["times"].items():
    print(f"{name:>24}: {a:8.3g} {unit} / {b:8.3g} {unit} = {answers['ratios'][name]:.3g}")
plots.guesses(guesses, answers["ratios"], f"Six ratios, {answers['where']}", "ratio of times")

# %% [markdown] topics="53"
# ### How people multiplied matrices before this was allowed
#
# In 2001 a graphics card could draw textures and blend them, and little else.
# Larsen and McAllister noticed that this is enough for a matrix product:
# column k of A, smeared sideways over the screen, times row k of B, smeared
# downwards, is one image; the sum of K such images is A · B (*Fast Matrix
# Multiplies using Graphics Hardware*, Supercomputing 2001).

# %%
A, B = torch.randn(6, 4), torch.randn(4, 5)
screen = torch.zeros(6, 5)
for k in range(4):
    screen += A[:, k:k + 1] * B[k:k + 1, :]     # one image: both textures multiplied, blended in
print("largest difference from A @ B:", (screen - A @ B).abs().max().item())

# %% [markdown] topics="53"
# Every pixel is computed by the same program on other data: SIMT, long before
# CUDA. The cards had thousands of pixels to fill, so they had become machines
# for throughput. All that was missing was someone who looked at a picture and
# saw a matrix.

# %% [markdown]
# ## 1.8 In one line
#
# **A kernel costs its launch plus its bytes; threads are how it waits for
# them.**
#
# | you can now say in advance | from |
# |---|---|
# | a small kernel's time | launch overhead |
# | a large one's | bytes / copy speed |
# | which n separates them | overhead × bandwidth / bytes an element |
# | what fits on an SM | the scarcest of four resources |
# | a trip from the host | bytes / PCIe speed |

# %% [markdown] topics="5"
# ### Read on
#
# - Horace He, *Making Deep Learning Go Brrrr From First Principles*: compute,
#   bandwidth, overhead, for PyTorch users (horace.io).
# - GPU MODE (once CUDA MODE): lectures and a community of people who write
#   kernels (github.com/gpu-mode).
# - Google's *How to Scale Your Model*, first for TPUs, now with a chapter on
#   GPUs (jax-ml.github.io/scaling-book). Do its first quiz on GPUs: it asks,
#   among other things, for the arithmetic intensity of a vector addition. You
#   have both numbers, additions and bytes.
#
# Next: **02 Memory hierarchy** measures what lies between a register and
# global memory.
