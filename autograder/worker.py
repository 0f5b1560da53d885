"""Runs a learner's cells.  Copied into the sandbox and started there: `worker.py FD [alone]`.

Nothing that this process says is believed: it hands out plans and answers, which the examiner
tries on data that are never here.  One child a conversation, forked from a process that has
imported PyTorch and Triton and has seen no learner's code.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import signal
import socket
import sys
import tempfile
import threading
import traceback
import types

# python -I knows neither this folder nor the variable PYTHONPATH.
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                *filter(None, os.environ.get("COURSE_PACKAGES", "").split(os.pathsep))]

import known  # noqa: E402
from channel import Broken, pack, receive, send, unpack  # noqa: E402

CELL_SECONDS = 20       # for one cell on the way to the exercise


def main() -> None:
    channel, alone = socket.socket(fileno=int(sys.argv[1])), "alone" in sys.argv[2:]
    try:
        warm_up()
    except BaseException:
        send(channel, {"broken": traceback.format_exc()[-2000:]})
        raise
    send(channel, {"ready": True})
    while True:
        try:
            request = receive(channel)
        except Broken:
            return
        if "cells" not in request:
            continue        # meant for a child that is gone; "closed" has told so
        child = os.fork()
        if not child:
            status = 1
            try:
                os.setsid()
                threading.Thread(target=start_cuda, daemon=True).start()
                converse(channel, request)
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        clear(child, alone)
        send(channel, {"closed": os.waitstatus_to_exitcode(status)})


def warm_up() -> None:
    """Import and use what the children need, once for all.  No CUDA: it does not survive a fork."""
    import torch

    from helpers.grading.rehearse import rehearse

    torch.set_num_threads(1)
    tensor = {"shape": [8], "stride": [1], "dtype": "float32", "device": "cpu"}
    told = rehearse(known.launch, {"label": "", "perform": True, "arguments": [
        {"name": "out", "tensor": tensor}]}, 60)
    if "plan" not in told:
        raise RuntimeError(f"Triton cannot run a known kernel here: {told}")


def start_cuda() -> None:
    """Takes a second, so it happens beside the cases that need no GPU."""
    import torch

    with contextlib.suppress(Exception):    # no GPU, or one that is full: the first use will tell
        torch.empty(1, device="cuda")


def clear(child: int, alone: bool) -> None:
    """Nothing that the child started may outlive it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if alone and os.getpid() < 10:      # in a process namespace of our own: everybody else
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def converse(channel: socket.socket, request: dict) -> None:
    """Run the cells, then answer until the other side has enough."""
    os.chdir(tempfile.mkdtemp())
    function, failure = prepare(**request)
    send(channel, {"failure": failure} if failure else {"opened": True})
    if failure:
        return
    while "close" not in (message := receive(channel)):
        send(channel, answer(function, message))


def prepare(cells: list[dict], name: str, parameters: list[str] | None):
    """The learner's function, or the lines that say why there is none."""
    from helpers.grading.failures import explain_signature
    from helpers.grading.quiet import quiet

    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    for number, cell in enumerate(cells):
        with quiet():
            error = run_cell(module, cell["source"], f"<{cell['label']} {number}>")
        if error is not None and cell["needed"]:
            kind = type(error).__name__
            return None, [f"The {cell['label']} does not run: {kind}: {text(error)}",
                          *line_of(error)]
    function = getattr(module, name, None)
    if not callable(function):
        return None, [f"There is no function called {name} in the notebook."]
    if parameters is not None:
        failure = explain_signature(name, parameters, function)
        if failure:
            return None, failure.lines
    return function, None


def run_cell(module: types.ModuleType, source: str, file: str) -> BaseException | None:
    from helpers.grading.quiet import time_limit

    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        with time_limit(CELL_SECONDS):
            exec(compile(source, file, "exec"), module.__dict__)
    except BaseException as error:      # whatever it is, it is the learner's
        return error
    return None


def text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:       # an exception that cannot even say what it is
        return "(it gives no reason)"


def line_of(error: BaseException) -> list[str]:
    """The learner's line that raised it."""
    if isinstance(error, SyntaxError) and error.text:
        return [f"  your line {error.lineno}: {error.text.strip()}"]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<") and frame.line:
            return [f"  your line {frame.lineno}: {frame.line}"]
    return []


def answer(function, message: dict) -> dict:
    """A plan for a kernel, a value for a plain function."""
    from helpers.grading.failures import explain_crash
    from helpers.grading.quiet import quiet, time_limit
    from helpers.grading.rehearse import rehearse

    if "rehearse" in message:
        return rehearse(function, message["rehearse"], message["seconds"])
    try:
        with quiet(), time_limit(message["seconds"]):
            return {"value": pack(function(*unpack(message["call"])))}
    except BaseException as error:      # whatever it is, it is the learner's
        return {"failure": explain_crash(error, message["label"], None).lines}


if __name__ == "__main__":
    main()
