"""Exercises of notebook 01: a kernel, its launch, and the road to the GPU."""


from .contract import FunctionExercise, KernelExercise, Mistake, Points, Prediction


def _vector_add(x, y):
    return x + y


vector_add = KernelExercise(
    name="vector_add",
    points=Points(numerics=5, traffic=2, speed=3),
    spec="out[i] = x[i] + y[i], for vectors of any length n. "
         "Read x and y once, write out once, and touch nothing beyond the last element.",
    inputs=lambda draw, n: {"x": draw.normal(n), "y": draw.normal(n, scale=3.0)},
    reference=_vector_add,
    cases=[{"n": 1}, {"n": 781}, {"n": 4096}, {"n": 4097}],
    secret=lambda random: [{"n": random.randint(8193, 200000)}],
    gpu_cases=[{"n": (1 << 22) + 1}],
    compulsory=lambda n: {"x": 4 * n, "y": 4 * n, "out": 4 * n},
    counted={"n": 8192},
    timed=lambda bytes: {"n": bytes // 12 // 1024 * 1024},
    tiers=((0.70, 1), (0.90, 3)),
    peers={"eager": _vector_add},
    hints=[
        "Program p owns BLOCK neighbours. What is the number of the first, and how do you number "
        "the rest?",
        "n = 4097 and BLOCK = 1024: how many elements does the fifth program own, and what must "
        "its other lanes not do?",
        "offsets = first + tl.arange(0, BLOCK). Which comparison is the mask?",
        "Three trips to memory, one mask for all of them: x = tl.load(x_ptr + offsets, mask=mask), "
        "the same for y, and tl.store(where, what, mask=mask).",
    ],
    mistakes=[
        Mistake("nothing_masked", "neither the loads nor the store are masked",
                {", mask=mask": ""}),
        Mistake("store_not_masked", "the store is not masked", {"x + y, mask=mask": "x + y"}),
        Mistake("mask_one_too_far", "the mask lets one element too many through (<= for <)",
                {"offsets < n": "offsets <= n"}),
        Mistake("every_program_the_same", "every program works on the first BLOCK elements",
                {"first + tl.arange": "tl.arange"}),
        Mistake("tail_not_launched", "the number of programs is rounded down",
                {"triton.cdiv(n, BLOCK)": "n // BLOCK"}),
        Mistake("last_element_missing", "the mask leaves the last element out",
                {"offsets < n": "offsets < n - 1"}),
        Mistake("programs_overlap", "programs start one element apart instead of BLOCK",
                {"first + tl.arange": "tl.program_id(0) + tl.arange"}),
        Mistake("y_unused", "x is added to itself", {"x + y": "x + x"}),
        Mistake("x_twice", "x is loaded a second time", {
            "x + y, mask": "tl.load(x_ptr + offsets, mask=mask) + y, mask"}, fails="traffic"),
    ],
)

# --- occupancy ----------------------------------------------------------------------------------

# Limits of one SM by compute capability: CUDA C++ programming guide and tuning guides.
SM_LIMITS = {
    "V100 (7.0)": {"max_threads": 2048, "max_blocks": 32, "shared_memory": 96 << 10},
    "T4 (7.5)": {"max_threads": 1024, "max_blocks": 16, "shared_memory": 64 << 10},
    "A100 (8.0)": {"max_threads": 2048, "max_blocks": 32, "shared_memory": 164 << 10},
    "RTX 3090 (8.6)": {"max_threads": 1536, "max_blocks": 16, "shared_memory": 100 << 10},
    "RTX 4090 (8.9)": {"max_threads": 1536, "max_blocks": 24, "shared_memory": 100 << 10},
    "H200 (9.0)": {"max_threads": 2048, "max_blocks": 32, "shared_memory": 228 << 10},
}
for _limits in SM_LIMITS.values():
    _limits.update(registers=65536, reserved_shared_memory=1024, warp_size=32,
                   register_unit=256, shared_unit=128)
# Since compute capability 8.0 the driver reserves some, and hands it out in smaller units.
for _older in ("V100 (7.0)", "T4 (7.5)"):
    SM_LIMITS[_older].update(reserved_shared_memory=0, shared_unit=256)


def _occupancy(threads, registers, shared_memory, sm):
    from helpers.kernels.occupancy import occupancy as reference

    return reference(threads, registers, shared_memory, sm)


def _launches(random):
    for sm in SM_LIMITS.values():
        yield (256, 32, 0, sm)
        yield (1, 1, 0, sm)
        yield (1024, 65, 0, sm)                     # one register too many for a single block
        yield (1000, 32, 0, sm)                     # a partial last warp
        yield from ((threads, 16, 0, sm) for threads in (33, 65, 97, 129, 161))
        yield from ((random.randint(1, 1024), 16, 0, sm) for _ in range(5))
        yield (128, 16, sm["shared_memory"], sm)    # does not fit: the reserve is missing
        for _ in range(20):
            yield (random.choice([32, 64, 96, 128, 250, 256, 384, 512, 1024]),
                   random.randint(8, 255), random.choice([0, 1, 4096, 20000, 49152]), sm)


def _describe(threads, registers, shared_memory, sm):
    gpu = next((name for name, limits in SM_LIMITS.items() if limits == sm), "this SM")
    return (f"{threads} threads, {registers} registers each, {shared_memory} bytes shared, "
            f"on an SM of {gpu}")


occupancy = FunctionExercise(
    name="occupancy",
    points=Points(numerics=5),
    spec="occupancy(threads, registers, shared_memory, sm) -> (blocks, warps): how many blocks "
         "of a launch, and how many warps, one SM holds at a time. threads: a block's; registers: "
         "a thread's; shared_memory: a block's, in bytes; sm: a dict with the limits of one SM.",
    arguments=_launches,
    describe=_describe,
    reference=_occupancy,
    hints=[
        "Imagine that everything but one resource is endless: how many blocks fit? Ask this for "
        "each of the four.",
        "The given lines already count the warps of a block, its shared memory, and the warps "
        "that the registers can carry. Divide, rounding down.",
        'The threads allow sm["max_threads"] // sm["warp_size"] // warps blocks; the other three '
        "look alike, and the scarcest decides.",
    ],
    mistakes=[
        Mistake("no_block_limit", "the limit on blocks per SM is left out",
                {'min(sm["max_blocks"], by_threads': "min(by_threads"}),
        Mistake("threads_not_warps", "the limit on threads is divided by threads, not warps", {
            'sm["max_threads"] // sm["warp_size"] // warps': 'sm["max_threads"] // threads'}),
        Mistake("largest_limit", "the most generous resource decides instead of the scarcest",
                {"blocks = min(": "blocks = max("}),
        Mistake("registers_for_warps", "the registers' limit counts warps instead of blocks",
                {"warps_with_registers // warps": "warps_with_registers"}),
        Mistake("no_thread_limit", "the limit on threads per SM is left out",
                {"by_threads, by_registers, by_shared": "by_registers, by_shared"}),
        Mistake("no_register_limit", "the registers are left out",
                {"by_threads, by_registers,": "by_threads,"}),
        Mistake("no_shared_limit", "the shared memory is left out",
                {"by_registers, by_shared_memory)": "by_registers)"}),
        Mistake("threads_for_warps", "the second number counts threads instead of warps",
                {"return blocks, blocks * warps": "return blocks, blocks * threads"}),
    ],
)

# --- host copies --------------------------------------------------------------------------------


def _host_copy_key(_device):
    from helpers.experiments import recalled

    # Of one machine for everybody: learner and examiner may sit at different GPUs.
    stored = recalled("first_kernel")
    milliseconds = stored["results"]["roads"]["ms"]
    return {"to_device_ms": milliseconds["pinned to device"],
            "to_host_ms": milliseconds["pinned to host"],
            "on_device_ms": milliseconds["on device"]}, f"256 MiB, measured on an {stored['gpu']}:"


host_copy = Prediction(
    name="host_copy",
    points=Points(numerics=3),
    spec="Predict, before you measure, how many milliseconds it takes to move 256 MiB from pinned "
         "host memory to the GPU, back, and from one place on the GPU to another. "
         'Return {"to_device_ms": ..., "to_host_ms": ..., "on_device_ms": ...}. '
         "Answer for an H200 on PCIe 5.0 with 16 lanes, whatever GPU you have.",
    key=_host_copy_key,
    units={"to_device_ms": "ms", "to_host_ms": "ms", "on_device_ms": "ms"},
    hints=[
        "Which road is the slowest on the way, and is it equally wide in both directions?",
        "PCIe 5.0 with 16 lanes carries 64 GB/s each way at best, some 15 % less in practice; "
        "generation 4 carries half, 3 a quarter; 8 lanes carry half of 16.",
        "On the device every byte crosses the memory bus twice: it is read, and it is written. "
        "And seconds are not milliseconds.",
    ],
)

EXERCISES = [vector_add, occupancy, host_copy]
