"""The corpus on a GPU, through the referee: attacks earn no more than without one, honest work
earns every point.

Runs with any Python that has torch, triton, numpy and pytest, and bubblewrap: `make gpu`.
"""

import pytest

from helpers import gpu
from helpers.exercises import EXERCISES, KernelExercise, Prediction

pytestmark = pytest.mark.skipif(gpu.device() is None, reason=gpu.problem() or "")


def test_attack(attack, referee):
    # Seconds where others have a minute: it is certain that the limit will be reached.
    request = {**attack.request, "seconds": 1} if attack.hangs else attack.request
    verdict = referee.judge(request)
    earned = sum(one["points"] for one in verdict["data"]["criteria"] if one["name"] != "speed")
    most = attack.earns if attack.on_gpu is None else attack.on_gpu
    assert earned == most, verdict["text"]
    assert most or verdict["points"] == 0, verdict["text"]


def test_honest(honest, referee):
    exercise = EXERCISES[honest.exercise]
    verdict = referee.judge(honest.request)
    print(verdict["seconds"], verdict["text"])
    if isinstance(exercise, Prediction):
        assert verdict["points"] > 0        # the key is what this machine measures
        return
    speed = isinstance(exercise, KernelExercise) and not honest.slow
    assert verdict["points"] >= honest.earns + (exercise.points.speed if speed else 0), \
        verdict["text"]
