"""How often does noise decide?  Repeats the speed check of every reference and naive version.

    python -m benchmarks.fairness [REPEATS]

A reference must never miss full points, a naive version never reach the first tier.
"""

from __future__ import annotations

import statistics
import sys

from helpers import gpu
from helpers.exercises import EXERCISES, KernelExercise
from helpers.grading import clock, mistakes, speed


def naive(exercise: KernelExercise):
    """The eager PyTorch version, writing into the given outputs."""
    eager = exercise.peers["eager"]

    def run(*arguments):
        made = eager(*arguments[len(exercise.outputs):])
        for target, value in zip(arguments, made if isinstance(made, tuple) else (made,),
                                 strict=False):
            target.copy_(value)

    return run


def repeat(exercise: KernelExercise, candidate, repeats: int, bytes: int) -> list[clock.Race]:
    """`repeats` independent races of one candidate."""
    return [speed.race(exercise, candidate, seed=i, verify=False, bytes=bytes)
            for i in range(repeats)]


def main() -> int:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    if gpu.device() is None:
        print(gpu.problem())
        return 1
    bytes = speed.timed_bytes()
    print(f"{gpu.name()}, {repeats} checks each, {bytes / 1e9:.2f} GB a call")
    print(f"{'exercise':20} {'version':10} {'median':>7} {'lowest':>7} {'highest':>7} "
          f"{'asked':>6} {'wrong verdicts':>15}")
    bad = 0
    for exercise in EXERCISES.values():
        if not isinstance(exercise, KernelExercise):
            continue
        for version, candidate, count in (("reference", mistakes.reference(exercise), repeats),
                                          ("naive", naive(exercise), max(repeats // 5, 1))):
            races = repeat(exercise, candidate, count, bytes)
            shares = [race.share for race in races]
            points = [speed.reached(exercise, race) for race in races]
            full = exercise.points.speed
            wrong = sum(p < full for p in points) if version == "reference" else \
                sum(p >= full for p in points)
            bad += wrong
            print(f"{exercise.name:20} {version:10} {statistics.median(shares):7.3f} "
                  f"{min(shares):7.3f} {max(shares):7.3f} {exercise.tiers[-1][0]:6.2f} "
                  f"{wrong:8} of {count}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
