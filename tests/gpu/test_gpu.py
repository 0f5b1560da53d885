"""On a real GPU: references earn every point, naive and wrong versions do not.

Runs with any Python that has torch, triton, numpy and pytest: `make gpu`.
"""

import pytest
import torch

from helpers import gpu
from helpers.exercises import EXERCISES, KernelExercise
from helpers.grading import mistakes, speed
from helpers.grading.examiner import examine

pytestmark = pytest.mark.skipif(gpu.device() is None, reason=gpu.problem() or "")
KERNELS = [e for e in EXERCISES.values() if isinstance(e, KernelExercise)]
MISTAKES = [(e, m) for e in KERNELS for m in e.mistakes]


@pytest.mark.parametrize("exercise", KERNELS, ids=lambda e: e.name)
def test_reference_earns_every_point(exercise):
    result = examine(exercise, mistakes.reference(exercise))
    print(result.text())
    assert result.points == exercise.points.total, result.text()


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES,
                         ids=[f"{e.name}-{m.name}" for e, m in MISTAKES])
def test_mistake_is_refused(exercise, mistake):
    result = examine(exercise, mistakes.variant(exercise, mistake), with_speed=False)
    assert result.mistake == mistake.name, result.text()


@pytest.mark.parametrize("exercise", KERNELS, ids=lambda e: e.name)
def test_naive_version_misses_the_first_tier(exercise):
    eager = exercise.peers["eager"]

    def naive(*arguments):
        outputs = eager(*arguments[len(exercise.outputs):])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for target, value in zip(arguments, outputs, strict=False):
            target.copy_(value)

    result = speed.race(exercise, naive, seed=1, pairs=20)
    print(f"{exercise.name}: naive {result.share:.2f}, asked {exercise.tiers}")
    assert speed.reached(exercise, result) == 0


def test_a_stale_memo_is_found():
    exercise = EXERCISES["sin2_cos2"]
    reference, seen = mistakes.reference(exercise), {}

    def memo(out, x):
        if x.data_ptr() not in seen:
            reference(out, x)
            seen[x.data_ptr()] = out.clone()
        else:
            out.copy_(seen[x.data_ptr()])

    result = speed.race(EXERCISES["vector_add"], lambda out, x, y: memo(out, x), seed=2, pairs=4)
    assert result.wrong


def test_interpreting_leaves_the_compiler_alone():
    from helpers.grading.interpreter import count_traffic
    from helpers.kernels.row_softmax import row_softmax

    x = torch.randn(3, 100)
    out = torch.empty_like(x)
    with count_traffic(out=out, x=x) as traffic:
        row_softmax(out, x)
    assert traffic["x"].loaded_bytes == x.numel() * 4
    y = torch.randn(7, 333, device=gpu.device())
    there = torch.empty_like(y)
    row_softmax(there, y)
    torch.testing.assert_close(there, y.softmax(1))
