"""Judges the exercises of one submission, in a box of its own: `judge.py FD WORKER_FD`.

Owns seeds, references, thresholds, the clock and the verdict.  A learner's code runs in another box
(worker.py), to which there is one socket; what comes back is data.  Kernels are played here, in a
language that reaches nothing (helpers/grading/dialect.py).  Should one find a way out of it, it is
in a box without files and network, and has no other submission to spoil.
"""

from __future__ import annotations

import contextlib
import secrets
import signal
import socket
import time
import traceback
from collections.abc import Iterator

from autograder.channel import Broken, pack, receive, send, unpack

GRACE = 5                   # seconds beyond the learner's own limit until nobody waits any more
START_SECONDS = 120         # for the worker to import PyTorch on a machine that is busy
LEARNER_SECONDS = 60        # for all calls of one exercise together, without a GPU ...
WITH_GPU_SECONDS = 180      # ... and with one, where there is tuning and compiling to do


def main(examiner: socket.socket, worker_channel: socket.socket) -> None:
    """Answer requests until the examiner is gone."""
    import helpers  # noqa: F401
    from helpers import gpu

    worker = Worker(worker_channel, examiner)
    send(examiner, {"ready": gpu.name()})
    while True:
        try:
            request = receive(examiner)
        except Broken:      # the examiner is done with us
            return
        send(examiner, {"result": judge(worker, request)})


def judge(worker: Worker, request: dict) -> dict:
    """The verdict on one exercise, as plain data; "fault" when there is none and it is ours."""
    start = time.monotonic()
    try:
        with call_limit(request.get("seconds")):
            result, seed = examined(worker, request)
    except Exception:
        return {"fault": traceback.format_exc()[-2000:], "fit": False}
    return {"data": result.data(), "html": result.html(), "text": result.text(), "seed": seed,
            "points": result.points, "max": result.max,
            "seconds": round(time.monotonic() - start, 3), "fit": worker.fit and context_is_sound()}


@contextlib.contextmanager
def call_limit(seconds: float | None) -> Iterator[None]:
    """Other limits for one call than usual, this time: tests are impatient."""
    from helpers.grading import attempt, plain

    usual = attempt.SECONDS, plain.SECONDS
    if seconds is not None:
        attempt.SECONDS = plain.SECONDS = seconds
    try:
        yield
    finally:
        attempt.SECONDS, plain.SECONDS = usual


def examined(worker: Worker, request: dict):
    """The examiner's result, and the seed that makes it again."""
    from helpers import exercises
    from helpers.grading.draw import parameters
    from helpers.grading.examiner import examine, refuse
    from helpers.grading.failures import Failure
    from helpers.grading.remote import Remote

    exercise = exercises.get(request["exercise"])
    kernel = isinstance(exercise, exercises.KernelExercise)
    seed = request.get("seed") or secrets.randbits(48)
    lines = worker.open(request["cells"], exercise.name, parameters(exercise) if kernel else None)
    if lines:
        return refuse(exercise, Failure(lines)), seed
    candidate = Remote(parameters(exercise), worker.rehearse, worker.close) if kernel else \
        RemoteFunction(worker, exercise)
    result = examine(exercise, candidate, seed)
    worker.close()
    return result, seed


def context_is_sound() -> bool:
    """Is the GPU's context still usable?  A kernel that left its tensors may have broken it."""
    import torch

    from helpers import gpu

    if gpu.device() is None:
        return True
    try:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except RuntimeError:
        return False
    return True


class RemoteFunction:
    """A learner's plain function, called where it is: arguments and answers cross as JSON."""

    def __init__(self, worker: Worker, exercise):
        self.worker, self.exercise = worker, exercise

    def __call__(self, *arguments):
        from helpers.exercises import FunctionExercise

        label = (self.exercise.describe(*arguments)
                 if isinstance(self.exercise, FunctionExercise) else f"{self.exercise.name}()")
        return self.worker.call({"call": pack(arguments), "label": label})


class Worker:
    """What is said to a learner's process.  After any nonsense it is not fit to be asked again."""

    def __init__(self, channel: socket.socket, examiner: socket.socket):
        self.channel, self.examiner = channel, examiner
        self.started = self.is_open = False
        self.fit, self.why, self.left = True, "", 0.0

    def open(self, cells: list[dict], name: str, parameters: list[str] | None) -> list[str]:
        """Run the cells; returns the lines that say why there is no function, or none."""
        from helpers import gpu

        if not self.started:
            told = receive(self.channel, START_SECONDS)
            if "broken" in told:
                raise RuntimeError(f"the worker does not start: {told['broken']}")
            self.started = True
        self._alive("the cells")
        try:
            send(self.channel, {"cells": cells, "name": name, "parameters": parameters})
            answer = receive(self.channel, min(20 * len(cells) + GRACE, 60))
        except Broken as error:
            return [self._lost(error)]
        self.is_open, self.why = "closed" not in answer, ""
        self.left = WITH_GPU_SECONDS if gpu.device() else LEARNER_SECONDS
        if "opened" in answer:
            return []
        if not self.is_open:
            return [_ended(answer)]
        self.close()
        return _lines(answer)

    def rehearse(self, request: dict) -> dict:
        """The plan of one call, or the failure that it is."""
        from helpers.grading.attempt import SECONDS

        answer = self._ask({"rehearse": request, "seconds": SECONDS}, SECONDS, request["label"])
        return answer if isinstance(answer.get("plan"), dict) else {"failure": _lines(answer)}

    def call(self, request: dict):
        """The value of one call; raises Declined."""
        from helpers.grading.failures import Failure
        from helpers.grading.plain import SECONDS
        from helpers.grading.remote import Declined

        answer = self._ask({**request, "seconds": SECONDS}, SECONDS, request["label"])
        try:
            if "value" in answer:
                return unpack(answer["value"])
        except Broken as error:
            answer = {"failure": [f"Your code {error}."]}
        raise Declined(Failure(_lines(answer)))

    def close(self) -> None:
        """End this exercise's process and whatever it started.  Does nothing twice."""
        if not self.is_open:
            return
        self.is_open = False
        try:
            send(self.channel, {"close": True})
            end = time.monotonic() + GRACE
            while "closed" not in receive(self.channel, end - time.monotonic()):
                pass
        except Broken:
            self.fit = False

    def _ask(self, message: dict, seconds: float, label: str) -> dict:
        if not self.is_open:
            return {"failure": [self.why or "Your code is no longer there to be called."]}
        self._alive(label)
        start = time.monotonic()
        try:
            send(self.channel, message)
            answer = receive(self.channel, min(seconds, self.left) + GRACE)
        except Broken as error:
            return {"failure": [f"{label}: {self._lost(error)}"]}
        except BaseException:       # a time limit of ours: what is under way is lost
            self.is_open = self.fit = False
            raise
        self.left = max(self.left - (time.monotonic() - start), 0.0)
        if "closed" in answer:
            self.is_open, self.why = False, _ended(answer)
            return {"failure": [self.why]}
        return answer

    def _alive(self, label: str) -> None:
        send(self.examiner, {"alive": label})

    def _lost(self, error: Broken) -> str:
        """Why there is no answer: the examiner, whose box it is, may know better."""
        self.is_open = self.fit = False
        send(self.examiner, {"lost": str(error)})
        self.why = f"Your code {receive(self.examiner, 60)['verdict']}."
        return self.why


def _ended(answer: dict) -> str:
    code = answer["closed"]
    if isinstance(code, int) and -64 < code < 0:
        return f"Your code was ended by signal {-code} ({signal.strsignal(-code)})."
    return f"Your code ended its process (exit code {code!s:.9})."


def _lines(answer: dict) -> list[str]:
    """Lines for the report from a stranger's answer: text, not too much of it."""
    lines = answer.get("failure")
    if not isinstance(lines, list) or not lines:
        return ["Your code sent something that is no answer."]
    clean = ["".join(c for c in str(line) if c.isprintable())[:300] for line in lines[:12]]
    return clean
