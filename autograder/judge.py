"""Starts a referee in its box: `judge.py FD WORKER_FD`."""

import os
import socket
import sys
import traceback

# python -I knows neither this folder nor the variable PYTHONPATH.
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                *filter(None, os.environ.get("COURSE_PACKAGES", "").split(os.pathsep))]

from autograder.channel import send  # noqa: E402
from autograder.referee import main  # noqa: E402

if __name__ == "__main__":
    examiner, worker = (socket.socket(fileno=int(fd)) for fd in sys.argv[1:3])
    try:
        main(examiner, worker)
    except Exception:
        send(examiner, {"broken": traceback.format_exc()[-2000:]})
        raise
