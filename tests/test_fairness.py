"""Honest work in unusual clothes earns every point that needs no GPU, in both ways to be judged.

The corpus is tests/fairness; attacks/README.md says what a file holds.
"""


from helpers.exercises import EXERCISES
from helpers.grading.examiner import examine


def test_honest_through_the_referee(honest, referee):
    verdict = referee.judge(honest.request)
    assert verdict["points"] == honest.earns, verdict["text"]


def test_honest_in_process(honest):
    result = examine(EXERCISES[honest.exercise], honest.function(), with_speed=False)
    assert result.points == honest.earns, result.text()
