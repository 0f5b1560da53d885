"""Judges exercises, one request at a time; examine.py starts `-m autograder.referee FD FOLDER`.

Owns seeds, references, thresholds, the clock and the verdict.  Learners' code runs in a sandbox
that it starts (worker.py); what comes back from there is data.  A kernel that hangs or breaks the
GPU takes this process with it: examine.py starts another and goes on with the next exercise.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from autograder import stage
from autograder.channel import Broken, receive, send, unpack
from autograder.sandbox import Box, Limits, Sandbox

GRACE = 5                   # seconds beyond the learner's own limit until nobody waits any more
START_SECONDS = 120         # to import PyTorch on a machine that is busy
MEMORY = 8 << 30            # bytes of address space of a referee without a GPU
LEARNER_SECONDS = 60        # for all calls of one exercise together, without a GPU ...
WITH_GPU_SECONDS = 180      # ... and with one, where there is tuning and compiling to do


def main() -> int:
    parent = socket.socket(fileno=int(sys.argv[1]))
    sandbox = Sandbox.find(require="--require-sandbox" in sys.argv)
    folder = Path(sys.argv[2])
    try:
        worker = Worker(sandbox, stage.lay_out(folder))
        worker.start()      # imports PyTorch while this process does the same
        import helpers  # noqa: F401
        from helpers import gpu

        if gpu.device() is None:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        send(parent, {"ready": {"sandbox": sandbox.description, "device": gpu.name()}})
        try:
            while True:
                request = receive(parent)
                with gpu_to_itself(parent):
                    answer = {"result": judge(worker, request, parent)}
                send(parent, answer)
        except Broken:      # the examiner is done with us
            return 0
        finally:
            worker.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)       # also where the examiner was killed


@contextlib.contextmanager
def gpu_to_itself(parent: socket.socket) -> Iterator[None]:
    """One examination at a time on a GPU, whoever runs it: timings must not disturb each other."""
    import torch

    from helpers import gpu

    if gpu.device() is None:
        yield
        return
    name = f"gpu-course-{torch.cuda.get_device_properties(gpu.device()).uuid}.lock"
    # Another user may have made it: everybody may read, and reading is enough to lock.
    fd = os.open(Path(tempfile.gettempdir(), name), os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                send(parent, {"alive": "waiting for the GPU"})
                time.sleep(0.5)
        yield
    finally:
        os.close(fd)


def judge(worker: Worker, request: dict, parent: socket.socket) -> dict:
    """The verdict on one exercise of one submission, as plain data."""
    from helpers import exercises
    from helpers.grading.draw import parameters
    from helpers.grading.examiner import examine, refuse
    from helpers.grading.failures import Failure
    from helpers.grading.remote import Remote

    start, exercise = time.monotonic(), exercises.get(request["exercise"])
    kernel = isinstance(exercise, exercises.KernelExercise)
    worker.use_for(request["submission"])
    seed = request.get("seed") or secrets.randbits(48)
    lines = worker.open(request["cells"], exercise.name, parameters(exercise) if kernel else None)
    if lines:
        result = refuse(exercise, Failure(lines))
    else:
        def ask(message: dict) -> dict:
            send(parent, {"alive": message.get("label", "")})
            return worker.rehearse(message)

        candidate = Remote(parameters(exercise), ask, worker.close) if kernel else \
            RemoteFunction(worker, exercise)
        result = examine(exercise, candidate, seed)
        worker.close()
    return {"data": result.data(), "html": result.html(), "text": result.text(), "seed": seed,
            "points": result.points, "max": result.max,
            "seconds": round(time.monotonic() - start, 3), "sound": sound()}


def sound() -> bool:
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


def has_gpu() -> bool:
    """Is there a GPU to be used?  Asked before PyTorch is imported."""
    return Path("/dev/nvidiactl").exists() and os.environ.get("CUDA_VISIBLE_DEVICES") != ""


class RemoteFunction:
    """A learner's plain function, called where it is: arguments and answers cross as JSON."""

    def __init__(self, worker: Worker, exercise):
        self.worker, self.exercise = worker, exercise
        self.__name__ = exercise.name

    def __call__(self, *arguments):
        from autograder.channel import pack
        from helpers.exercises import FunctionExercise

        label = (self.exercise.describe(*arguments)
                 if isinstance(self.exercise, FunctionExercise) else f"{self.exercise.name}()")
        return self.worker.call({"call": pack(arguments), "label": label})


class Worker:
    """A learner's process and what is said to it.  After any nonsense it is ended and replaced."""

    def __init__(self, sandbox: Sandbox, folder: Path):
        self.sandbox, self.folder = sandbox, folder
        self.box: Box | None = None
        self.spare: Box | None = None
        self.submission, self.is_open, self.why = None, False, ""

    def start(self) -> None:
        """Have a box ready for the next submission: it takes seconds to import PyTorch."""
        if self.spare is None:
            limits = Limits(memory=32 << 30) if has_gpu() else Limits()
            alone = ["alone"] if self.sandbox.kind == "bubblewrap" else []
            self.spare = self.sandbox.start(self.folder, "worker.py", alone, has_gpu(), limits)

    def use_for(self, submission: str) -> None:
        """No two submissions share a box."""
        if submission != self.submission:
            self._drop()
            self.submission = submission

    def open(self, cells: list[dict], name: str, parameters: list[str] | None) -> list[str]:
        """Run the cells; returns the lines that say why there is no function, or none."""
        if self.box is None:
            self._take_spare()
        try:
            send(self.box.channel, {"cells": cells, "name": name, "parameters": parameters})
            patience = sum(20 for _ in cells) + GRACE
            answer = receive(self.box.channel, min(patience, 60))
        except Broken as error:
            return [self._broken(error)]
        self.is_open = "closed" not in answer
        self.left = WITH_GPU_SECONDS if has_gpu() else LEARNER_SECONDS
        if "opened" in answer:
            return []
        if not self.is_open:
            return [_ended(answer)]
        self.close()
        return _lines(answer)

    def _take_spare(self) -> None:
        """Raises RuntimeError when no box comes up: that is no learner's fault."""
        self.start()
        self.box, self.spare = self.spare, None
        try:
            told = receive(self.box.channel, START_SECONDS)
        except Broken as error:
            told = {"broken": self.box.verdict() or str(error)}
        if "broken" in told:
            raise RuntimeError(f"the sandbox's Python does not start: {told['broken']}")
        self.start()

    def rehearse(self, request: dict) -> dict:
        """The plan of one call, or the failure that it is."""
        from helpers.grading.attempt import SECONDS

        answer = self._ask({"rehearse": request, "seconds": SECONDS}, SECONDS)
        return answer if isinstance(answer.get("plan"), dict) else {"failure": _lines(answer)}

    def call(self, request: dict):
        """The value of one call; raises Declined."""
        from helpers.grading.failures import Failure
        from helpers.grading.plain import SECONDS
        from helpers.grading.remote import Declined

        answer = self._ask({**request, "seconds": SECONDS}, SECONDS)
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
            send(self.box.channel, {"close": True})
            end = time.monotonic() + GRACE
            while "closed" not in receive(self.box.channel, end - time.monotonic()):
                pass
        except Broken:
            self._drop()

    def end(self) -> None:
        """End every process."""
        self._drop()
        if self.spare is not None:
            self.spare.kill()

    def _ask(self, message: dict, seconds: float) -> dict:
        if not self.is_open:
            return {"failure": [self.why or "Your code is no longer there to be called."]}
        start = time.monotonic()
        try:
            send(self.box.channel, message)
            answer = receive(self.box.channel, min(seconds, self.left) + GRACE)
        except Broken as error:
            where = message.get("label") or message["rehearse"]["label"]
            return {"failure": [f"{where}: {self._broken(error)}"]}
        except BaseException:       # a time limit of ours: what is under way is lost
            self._drop()
            raise
        self.left = max(self.left - (time.monotonic() - start), 0.0)
        if "closed" in answer:
            self.is_open, self.why = False, _ended(answer)
            return {"failure": [self.why]}
        return answer

    def _broken(self, error: Broken) -> str:
        time.sleep(0.15)        # the watch may be about to say why
        verdict = self.box.verdict() or str(error)
        self._drop()
        self.why = f"Your code {verdict}."
        return self.why

    def _drop(self) -> None:
        self.is_open = False
        if self.box is not None:
            self.box.kill()
            self.box.channel.close()
            self.box = None


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


if __name__ == "__main__":
    sys.exit(main())
