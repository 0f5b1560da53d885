"""Attacks earn what they honestly fulfil and nothing else, and the report says why.

The corpus is tests/attacks; README.md there says what a file holds.
"""

import socket
import tempfile
import types
from pathlib import Path

import pytest

from autograder import referee as judging
from autograder import stage
from autograder.examine import Referee
from autograder.sandbox import Sandbox, SandboxMissing
from helpers.exercises import EXERCISES
from helpers.grading.examiner import examine


@pytest.fixture(scope="module")
def referee():
    try:
        Sandbox.find(require=True)      # without one, attacks would reach this machine
    except SandboxMissing as error:
        pytest.skip(str(error))
    referee = Referee(require_sandbox=True)
    yield referee
    referee.stop()


@pytest.fixture(scope="module")
def impatient():
    """A referee in this process, with seconds where the real one has minutes."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr("helpers.grading.attempt.SECONDS", 1)
        patch.setattr(judging, "GRACE", 1)
        worker = judging.Worker(Sandbox.find(require=True), stage.lay_out(Path(folder)))
        ours, theirs = socket.socketpair()
        yield types.SimpleNamespace(judge=lambda request: judging.judge(worker, request, ours))
        spare = worker.spare
        worker.end()
        for one in (ours, theirs, *([spare.channel] if spare else [])):
            one.close()


def test_attack_through_the_referee(attack, referee, request):
    if attack.hangs:
        referee = request.getfixturevalue("impatient")
    verdict = referee.judge(attack.request)
    assert verdict["points"] == attack.earns, verdict["text"]
    attack.must_say(verdict["text"])


def test_attack_in_process(attack, monkeypatch):
    if attack.alone:
        pytest.skip("needs a process of its own")
    monkeypatch.setattr("helpers.grading.examiner._name_mistake", lambda *_: None)      # slow
    result = examine(EXERCISES[attack.exercise], attack.function(), with_speed=False)
    assert result.points == attack.here, result.text()


def test_the_next_exercise_is_not_harmed(referee):
    from autograder.course import ROOT

    source = (ROOT / "helpers/kernels/vector_add.py").read_text()
    cells = [{"source": source, "label": "exercise cell", "needed": True}]
    for before in ("1 / 0", "import os; os._exit(3)", "vector_add = 5", source):
        bad = [{"source": before, "label": "exercise cell", "needed": True}]
        referee.judge({"submission": "corpus", "exercise": "vector_add", "cells": bad})
        verdict = referee.judge({"submission": "corpus", "exercise": "vector_add", "cells": cells})
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
