"""Attacks earn what they honestly fulfil and nothing else, and the report says why.

The corpus is tests/attacks; README.md there says what a file holds.
"""


from helpers.exercises import EXERCISES
from helpers.grading.examiner import examine


def test_attack_through_the_referee(attack, referee):
    # Seconds where others have a minute: it is certain that the limit will be reached.
    request = {**attack.request, "seconds": 1} if attack.hangs else attack.request
    verdict = referee.judge(request)
    assert verdict["points"] == attack.earns, verdict["text"]
    attack.must_say(verdict["text"])


def test_attack_in_process(attack, monkeypatch):
    monkeypatch.setattr("helpers.grading.examiner._name_mistake", lambda *_: None)      # slow
    result = examine(EXERCISES[attack.exercise], attack.function(), with_speed=False)
    assert result.points == attack.here, result.text()


def test_the_next_exercise_is_not_harmed(referee):
    from autograder.course import ROOT

    source = (ROOT / "helpers/kernels/vector_add.py").read_text()
    cells = [{"source": source, "label": "exercise cell", "needed": True}]
    for before in ("1 / 0", "import os; os._exit(3)", "vector_add = 5", source):
        bad = [{"source": before, "label": "exercise cell", "needed": True}]
        referee.judge({"exercise": "vector_add", "cells": bad})
        verdict = referee.judge({"exercise": "vector_add", "cells": cells})
        assert verdict["points"] == 7, f"after {before[:30]!r}: {verdict['text']}"


def test_a_swallowed_time_limit_comes_again(monkeypatch):
    monkeypatch.setattr("helpers.grading.attempt.SECONDS", 1)

    def f(out, x, y):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass

    assert "may never end" in examine(EXERCISES["vector_add"], f, with_speed=False).text()
