"""Set up .venv with the pinned versions.  Run by make; needs nothing but Python itself.

    python3 autograder/venv.py .venv
"""

import os
import platform
import shutil
import subprocess
import sys
import threading
import time

EXTRAS = "lab,teach,test"
HEARTBEAT = 15      # seconds between signs of life while pip is busy


def say(line):
    print(f"setup: {line}", flush=True)


def obstacle():
    """Why this machine cannot run the course, and what to do; None when it can."""
    if sys.version_info < (3, 11):
        return (f"{sys.executable} is Python {platform.python_version()}, 3.11 or newer is needed: "
                "make PYTHON=python3.11 ...")
    if sys.platform != "linux":
        return (f"Triton has no package for {platform.system()}: use a Linux machine, or on "
                "Windows WSL (wsl --install).")
    if platform.machine() not in ("x86_64", "aarch64"):
        return f"Triton has no package for {platform.machine()}: use x86-64."
    return None


def create(folder):
    """An empty virtual environment, unless a usable one is there."""
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(python):      # exists() is false for a link to a Python that is gone
        return python
    say(f"creating {folder} with Python {platform.python_version()}")
    shutil.rmtree(folder, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True)
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        sys.exit(f"setup: python -m venv failed. On Debian and Ubuntu: apt install python3-venv\n"
                 f"{made.stdout}{made.stderr}")
    return python


def doing(line):
    """What pip is busy with, in a few words, or None when the line says nothing new."""
    words = line.split()
    if line.startswith("Collecting"):
        return f"looking at {words[1]}"
    if line.strip().startswith("Downloading") and len(words) > 1:
        return f"downloading {words[1].rsplit('/', 1)[-1]}"
    return "unpacking" if line.startswith("Installing collected") else None


def heartbeat(state, done):
    """A line every HEARTBEAT seconds for as long as pip is busy."""
    start = time.monotonic()
    while not done.wait(HEARTBEAT):
        say(f"{time.monotonic() - start:4.0f} s, {state['now']}")


def install(python):
    """pip, with a sign of life now and then instead of its own page of output."""
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
               "--progress-bar", "off", "-c", "constraints.txt", "-e", f".[{EXTRAS}]"]
    state, done, log = {"now": "starting"}, threading.Event(), []
    threading.Thread(target=heartbeat, args=(state, done), daemon=True).start()
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as pip:
        for line in pip.stdout:
            log.append(line)
            state["now"] = doing(line) or state["now"]
    done.set()
    if pip.returncode:
        errors = [line for line in log if line.startswith("ERROR")] or log[-15:]
        sys.exit("setup: pip failed\n" + "".join(errors))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else ".venv"
    problem = obstacle()
    if problem:
        sys.exit(f"setup: {problem}")
    python = create(folder)
    say("installing the pinned packages with pip (about 1 GB without CUDA, some minutes)")
    start = time.monotonic()
    install(python)
    with open(os.path.join(folder, "ready"), "w"):
        pass    # make compares its time with that of pyproject.toml and constraints.txt
    say(f"ready after {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
