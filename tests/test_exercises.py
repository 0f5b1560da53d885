"""Every exercise: its reference passes, its known mistakes and trivial answers do not."""

import random

import pytest
import torch

from helpers.exercises import EXERCISES, FunctionExercise, KernelExercise
from helpers.grading import mistakes
from helpers.grading.examiner import examine

KERNELS = [e for e in EXERCISES.values() if isinstance(e, KernelExercise)]
JUDGED = [e for e in EXERCISES.values() if isinstance(e, (KernelExercise, FunctionExercise))]
MISTAKES = [(e, m) for e in JUDGED for m in e.mistakes]


def earned(result, name):
    return next(c.points for c in result.criteria if c.name == name)


@pytest.mark.parametrize("exercise", JUDGED, ids=lambda e: e.name)
def test_reference_passes(exercise):
    result = examine(exercise, mistakes.reference(exercise), with_speed=False)
    assert result.points == exercise.points.total - exercise.points.speed, result.text()


@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES,
                         ids=[f"{e.name}-{m.name}" for e, m in MISTAKES])
def test_mistake_is_refused_by_its_name(exercise, mistake):
    result = examine(exercise, mistakes.variant(exercise, mistake), with_speed=False)
    assert earned(result, mistake.fails) == 0, result.text()
    assert result.mistake == mistake.name, result.text()
    assert mistake.says in result.text()


@pytest.mark.parametrize("exercise", JUDGED, ids=lambda e: e.name)
def test_mistakes_have_different_names(exercise):
    names = [m.name for m in exercise.mistakes]
    assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize("exercise", KERNELS, ids=lambda e: e.name)
@pytest.mark.parametrize("trivial", ["zeros", "ones", "first input", "mean of the row"])
def test_trivial_answer_is_outside_the_tolerance(exercise, trivial):
    from helpers.grading.draw import Draw
    from helpers.grading.numerics import compare, expect

    refused = []
    for dims in exercise.cases:
        inputs = exercise.inputs(Draw(random.getrandbits(32)), **dims)
        first = next(iter(inputs.values()))
        for expected in expect(exercise.reference, inputs, torch.float32, 1)[:1]:
            answer = {"zeros": torch.zeros_like(first), "ones": torch.ones_like(first),
                      "first input": first,
                      "mean of the row": first.mean(-1, keepdim=True).expand_as(first)}[trivial]
            refused.append(compare("out", answer, expected) is not None)
    assert any(refused)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.name)
def test_hints_and_words(exercise):
    assert len(exercise.hints) >= 2
    assert exercise.spec and exercise.points.total > 0
