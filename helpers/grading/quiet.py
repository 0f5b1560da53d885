"""Around the learner's code: nothing on stderr, and an end to loops that have none."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator


class TookTooLong(BaseException):
    """The learner's code was stopped after its time was up; `except Exception` must not stop it."""


# What the learner's code may raise: a verdict, never a crash of ours.
CRASHES = (Exception, SystemExit, TookTooLong)


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise TookTooLong in the block after `seconds`.  Only where signals work: main thread."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(signum, frame):
        raise TookTooLong(f"stopped after {seconds} s: a loop in it may never end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)      # again, should it be swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings and stderr, Python's and the C libraries', out of the notebook.

    nbgrader gives 0 for any text on stderr, and Triton and PyTorch both warn in passing.
    """
    with tempfile.TemporaryFile() as sink, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.stderr.flush()
        saved = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
                yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
