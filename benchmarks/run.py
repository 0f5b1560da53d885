"""Time the reference kernels against a copy and against what people would use instead.

    python -m benchmarks.run [--quick] [--out DIR]

Writes DIR/<gpu>.json and prints a table.  Without --out it goes to benchmarks/results, and the
page is made from it.  Needs an NVIDIA GPU.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import torch

from benchmarks import arms, page
from helpers import gpu
from helpers.exercises import EXERCISES, KernelExercise
from helpers.grading import clock, speed

RESULTS = Path(__file__).parent / "results"
SETS = 2            # input sets in turn, each several times the L2 cache
CHUNK = 8           # pairs queued at once
SEED = 20_2611


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small, without peers: a smoke test")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the JSON file")
    options = parser.parse_args()
    if gpu.device() is None:
        sys.exit(f"bench: nothing measured. {gpu.problem()}")
    began = time.perf_counter()
    pairs = 8 if options.quick else clock.PAIRS
    count = arms.elements(torch.cuda.mem_get_info()[0])
    results = environment()
    results["kernels"] = [
        measure(case, pairs, peers=not options.quick)
        for case in arms.cases(count // 8 if options.quick else count)]
    results["thresholds"] = thresholds(pairs)
    results["seconds"] = round(time.perf_counter() - began, 1)
    name = page.slug(results["gpu"])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{name}.json").write_text(json.dumps(rounded(results), indent=1) + "\n")
    print(page.table(results))
    if options.out == RESULTS and not options.quick:
        page.write()
    print(f"bench: {options.out / name}.json, {results['seconds']} s")


def environment() -> dict:
    """What the numbers depend on."""
    versions = {"python": platform.python_version()}
    for package in ("torch", "triton", "liger-kernel"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    versions["cuda"] = torch.version.cuda
    return {"gpu": gpu.name(), "date": datetime.date.today().isoformat(), "versions": versions,
            "l2_bytes": gpu.l2_bytes(),
            "protocol": f"median of {clock.PAIRS} ABBA pairs with a copy of the same bytes, "
                        f"{SETS} input sets in turn, CUDA events"}


# --- kernels ------------------------------------------------------------------------------------

def measure(case: arms.Case, pairs: int, peers: bool) -> dict:
    """Every arm of a case in pairs with a copy of the same bytes."""
    print(f"bench: {case.kernel} {case.label}", file=sys.stderr, flush=True)
    sets = [case.draw(SEED + i, gpu.device()) for i in range(SETS)]
    source = torch.empty(case.bytes // 2, dtype=torch.uint8, device=gpu.device()).random_()
    target = torch.empty_like(source)
    kernel = arms.kernel(case.kernel)
    functions = {"reference": lambda i: kernel(*sets[i][0], *sets[i][1].values())}
    others = dict(case.peers)
    if peers:
        torch._dynamo.reset()
        others["torch.compile"] = torch.compile(case.reference, dynamic=False)
        others["liger-kernel"] = arms.liger(case.kernel)
    for name, peer in others.items():
        if peer is not None:
            functions[name] = lambda i, peer=peer: peer(**sets[i][1])
    entry = {"kernel": case.kernel, "dims": dict(case.dims),
             "dtype": str(case.dtype).removeprefix("torch."), "bytes": case.bytes, "arms": {}}
    for name, function in functions.items():
        try:
            results = function(0)
        except Exception as problem:
            if name == "reference":
                raise
            print(f"bench: {name} left out: {str(problem).splitlines()[0]}", file=sys.stderr)
            continue
        wrong = error(case, sets[0][1], sets[0][0] if name == "reference" else results)
        del results     # eager versions allocate: their outputs would crowd out the next arm
        race = timed_pairs(function, lambda i: target.copy_(source), pairs)
        entry["arms"][name] = summary(race, case.bytes) | {"error": wrong}
        entry["copy_ms"] = spread(race.ceiling_ms)      # of the last arm: all move the same bytes
    torch.cuda.empty_cache()
    return entry


def error(case: arms.Case, inputs: dict, results) -> float:
    """Relative error of the first rows against float64; refuses a wrong arm."""
    first = next(iter(case.dims.values()))
    rows = min(first, max(1, (1 << 22) * first // case.bytes))
    widest = max(x.ndim for x in inputs.values() if isinstance(x, torch.Tensor))

    def cut(x, kind):
        if not isinstance(x, torch.Tensor):
            return x
        return (x[:rows] if x.ndim == widest else x).to(kind)

    truth = case.reference(**{name: cut(x, torch.float64) for name, x in inputs.items()})
    worst = 0.0
    for result, right in zip(arms.as_tuple(results), arms.as_tuple(truth), strict=True):
        result, right = result[:rows].double(), right.double()
        same = torch.equal(result.isnan(), right.isnan())       # NaN where the reference has NaN
        result, right = result.nan_to_num(), right.nan_to_num()
        worst = max(worst, float((result - right).norm() / right.norm()) if same else math.inf)
    if not worst < (1e-5 if case.dtype == torch.float32 else 1e-2):
        raise SystemExit(f"bench: {case.kernel} {case.label} is wrong, relative error {worst:.1e}")
    return worst


def timed_pairs(arm: Callable[[int], None], copy: Callable[[int], None], pairs: int) -> clock.Race:
    """Times in the order AB BA AB BA.  A chunk of pairs is queued while the GPU still waits, so
    that no arm's launch is waited for: what is timed is the GPU, not Python."""
    for i in range(6):
        arm(i % SETS)
        copy(i % SETS)
    race = clock.Race()
    for start in range(0, pairs, CHUNK):
        torch.cuda.synchronize()
        race.clocks.append(gpu.clocks())
        torch.cuda._sleep(4_000_000)        # cycles, about 2 ms
        events = []
        for pair in range(start, min(start + CHUNK, pairs)):
            order = (copy, arm) if pair % 2 == 0 else (arm, copy)
            events.append({function: _events(function, pair % SETS) for function in order})
        torch.cuda.synchronize()
        for times in events:
            race.ceiling_ms.append(times[copy][0].elapsed_time(times[copy][1]))
            race.candidate_ms.append(times[arm][0].elapsed_time(times[arm][1]))
    return race


def _events(function, i):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    function(i)
    end.record()
    return start, end


def spread(values) -> list[float]:
    """Lower quartile, median, upper quartile."""
    return [float(q) for q in np.percentile(values, [25, 50, 75])]


def summary(race: clock.Race, moved: int) -> dict:
    """One arm's numbers.  `share` is of a copy's speed; its interval is 99 %."""
    low, high = race.interval()
    milliseconds = spread(race.candidate_ms)
    clocks = [reading.sm_mhz for reading in race.clocks if reading.sm_mhz]
    return {"ms": milliseconds, "TB_per_s": moved / milliseconds[1] / 1e9,
            "share": race.share, "share_interval": [low, high],
            "sm_mhz": [min(clocks), max(clocks)] if clocks else None}


def thresholds(pairs: int) -> list[dict]:
    """Reference, unfused version and threshold side by side, in the examiner's own case; `shares`
    are of the exercise's ceiling."""
    rows = []
    for exercise in EXERCISES.values():
        if not isinstance(exercise, KernelExercise) or not exercise.points.speed:
            continue
        print(f"bench: threshold of {exercise.name}", file=sys.stderr, flush=True)
        asked = exercise.timed(speed.timed_bytes())
        dims = {name: asked[name] for name in ("n", "M", "N") if name in asked}
        case = arms.of_exercise(exercise, dims)
        shares = {name: arm["share"] for name, arm in
                  measure(case, pairs, peers=False)["arms"].items()}
        if exercise.ceiling == "reference":
            shares = {name: share / shares["reference"] for name, share in shares.items()}
        judged = speed.race(exercise, arms.kernel(exercise.name), SEED, pairs)
        rows.append({"exercise": exercise.name, "dims": dims, "ceiling": exercise.ceiling,
                     "shares": shares,
                     "examiner_share": judged.share, "examiner_interval": judged.interval(),
                     "tiers": [list(tier) for tier in exercise.tiers]})
    return rows


def rounded(value, digits: int = 5):
    """Numbers with as many digits as were measured."""
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one, digits) for one in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
