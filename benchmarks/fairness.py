"""How often does noise decide?  Repeats the speed check until the rare cases show.

    python -m benchmarks.fairness [--repeats 200] [--near 500] [--odd 40] [--out FILE]
    python -m benchmarks.fairness --draw FILE       on any machine

1. Every reference must earn full points, every unfused version must miss the first tier.
2. Kernels slowed down to 0.90 of the threshold must never pass.  Those at 0.98 to 1.10 of it must
   pass 99.9 % of the time; so rare a tail is drawn from the measured pairs: a race is taken at
   random, its pairs are drawn again, and their median is set to the speed in question.
   (`--draw` does this, from the pairs in FILE.)
3. The honest oddities of tests/fairness must earn full points.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from helpers import gpu
from helpers.exercises import EXERCISES, KernelExercise
from helpers.grading import clock, mistakes, speed
from helpers.grading.draw import parameters
from helpers.grading.rehearse import rehearse
from helpers.grading.remote import Remote

ROOT = Path(__file__).resolve().parent.parent
NEAR = (0.90, 0.95, 0.98, 1.00, 1.05, 1.10)     # of the threshold
DRAWS = 20_000
LAYOUT = "{:20} {:26} {:>7} {:>7} {:>7} {:>6} {:>16}"


def naive(exercise: KernelExercise) -> Callable:
    """The eager PyTorch version, writing into the given outputs."""
    eager = exercise.peers["eager"]

    def run(*arguments):
        made = eager(*arguments[len(exercise.outputs):])
        for target, value in zip(arguments, made if isinstance(made, tuple) else (made,),
                                 strict=False):
            target.copy_(value)

    return run


def slowed(exercise: KernelExercise, share: float, bytes: int) -> Callable:
    """The reference, held up until it reaches `share` of its ceiling's speed."""
    reference = mistakes.reference(exercise)
    race = speed.race(exercise, reference, 1, verify=False, bytes=bytes)
    now, wanted = (statistics.median(race.candidate_ms), statistics.median(race.ceiling_ms) / share)
    short, _, _ = clock.median_ms(torch.cuda._sleep, 100_000)
    long, _, _ = clock.median_ms(torch.cuda._sleep, 1_100_000)
    # From the time of two waits: the cycles that fill the gap, less what starting a wait costs.
    cycles = 100_000 + (wanted - now - short) / (long - short) * 1e6
    if cycles < 1000:
        raise ValueError(f"{exercise.name} is no faster than {share:.2f} of its ceiling")

    def run(*arguments):
        reference(*arguments)
        torch.cuda._sleep(int(cycles))

    return run


def repeat(exercise, candidate, repeats: int, bytes: int) -> list[clock.Race]:
    """`repeats` independent races of one candidate."""
    return [speed.race(exercise, candidate, seed=i, verify=False, bytes=bytes)
            for i in range(repeats)]


def show(exercise, version: str, races: list[clock.Race], passes: bool) -> dict:
    """One line; how many of these races give the wrong verdict."""
    shares = [race.share for race in races]
    full = exercise.points.speed
    wrong = sum((speed.reached(exercise, race) >= full) != passes for race in races)
    asked = exercise.tiers[-1][0]
    print(LAYOUT.format(exercise.name, version, *(f"{x:.3f}" for x in (
        statistics.median(shares), min(shares), max(shares))), f"{asked:.2f}",
        f"{wrong} of {len(races)}"), flush=True)
    return {"exercise": exercise.name, "version": version, "asked": asked, "runs": len(races),
            "median": statistics.median(shares), "lowest": min(shares), "highest": max(shares),
            "wrong": wrong}


def draw(name: str, races: list[list[float]]) -> None:
    """Say what share of examinations a kernel at each of `NEAR` passes.

    races       ratios of the pairs, race by race.  An examination is up to three races, and the
                best counts, as in speed.judge.
    """
    random = np.random.default_rng(0)
    relative = [np.array(ratios) / statistics.median(ratios) for ratios in races]
    middle = statistics.median(statistics.median(ratios) for ratios in races)
    drift = np.array([statistics.median(ratios) / middle for ratios in races])
    highs = np.empty(DRAWS)
    for i in range(DRAWS):
        which = random.integers(len(races))
        pairs = random.choice(relative[which], relative[which].size)
        boot = np.median(random.choice(pairs, (200, pairs.size)), axis=1)
        highs[i] = np.percentile(boot, 99.5) * drift[which]
    asked = 1 - clock.GUARD
    found = {}
    for near in NEAR:
        missed = float((highs * near < asked).mean())
        found[f"{near:.2f}"] = 1 - missed ** speed.RUNS
    print(f"{name:20} {DRAWS} races drawn: passes at " + ", ".join(
        f"{near} of the threshold {share:.2%}" for near, share in found.items()), flush=True)


def oddities() -> list[tuple[KernelExercise, str, Callable]]:
    """Honest unusual solutions of tests/fairness whose speed is to be full.

    Timed as in grading: their launches are written down and played, without the Python around.
    """
    sys.path.insert(0, str(ROOT / "tests"))
    from corpus import submissions

    def played(exercise, function) -> Remote:
        return Remote(parameters(exercise), lambda request: rehearse(function, request, 60),
                      lambda: None)

    return [(EXERCISES[one.exercise], one.name,
             played(EXERCISES[one.exercise], one.function())) for one in submissions("fairness")
            if isinstance(EXERCISES[one.exercise], KernelExercise) and not (one.slow or one.alone)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200, help="of each reference")
    parser.add_argument("--near", type=int, default=500, help="at 0.90 of the threshold, in all")
    parser.add_argument("--odd", type=int, default=40, help="of each oddity")
    parser.add_argument("--out", type=Path, help="write what was found here, as JSON")
    parser.add_argument("--draw", type=Path, help="draw rare cases from the pairs in this file")
    options = parser.parse_args()
    if options.draw:
        for name, races in json.loads(options.draw.read_text())["pairs"].items():
            draw(name, races)
        return 0
    if gpu.device() is None:
        print(gpu.problem())
        return 1
    bytes, found = speed.timed_bytes(), []
    print(f"{gpu.name()}, {bytes / 1e9:.2f} GB a call")
    print(LAYOUT.format("exercise", "version", "median", "lowest", "highest", "asked",
                        "wrong verdicts"))
    kernels = [e for e in EXERCISES.values() if isinstance(e, KernelExercise)]
    pairs = {}
    for exercise in kernels:
        races = repeat(exercise, mistakes.reference(exercise), options.repeats, bytes)
        found.append(show(exercise, "reference", races, True))
        pairs[exercise.name] = [[round(ratio, 5) for ratio in race.ratios] for race in races]
        few = max(options.repeats // 5, 1)
        # vector_add has nothing to fuse: PyTorch's own kernel is as good.
        found.append(show(exercise, "unfused", repeat(exercise, naive(exercise), few, bytes),
                          False))
        close = slowed(exercise, 0.90 * exercise.tiers[-1][0], bytes)
        races = repeat(exercise, close, options.near // len(kernels), bytes)
        found.append(show(exercise, "at 0.90 of the threshold", races, False))
    for exercise, name, candidate in oddities():
        races = repeat(exercise, candidate, options.odd, bytes)
        found.append(show(exercise, name, races, True))
    if options.out:
        options.out.write_text(json.dumps(
            {"gpu": gpu.name(), "bytes": bytes, "races": found, "pairs": pairs}))
    return 1 if any(line["wrong"] for line in found) else 0


if __name__ == "__main__":
    sys.exit(main())
