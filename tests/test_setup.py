"""What make says on a machine that cannot run the course, and that execution needs little."""

import platform
import subprocess
import sys

import pytest

from autograder import venv
from autograder.course import ROOT


def test_this_machine_is_fine():
    assert venv.obstacle() is None


@pytest.mark.parametrize(
    ("owner", "name", "value", "sentence"),
    [
        (sys, "version_info", (3, 10, 4), "3.11 or newer is needed: make PYTHON=python3.11"),
        (sys, "platform", "darwin", "use a Linux machine"),
        (sys, "platform", "win32", "on Windows WSL"),
        (platform, "machine", lambda: "riscv64", "Triton has no package for riscv64"),
    ],
)
def test_obstacles(monkeypatch, owner, name, value, sentence):
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, value)
        found = venv.obstacle()
    assert sentence in found


def test_a_failing_pip_shows_its_errors(monkeypatch, tmp_path):
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho Collecting torch\necho 'ERROR: no such version'\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(SystemExit, match="pip failed\nERROR: no such version"):
        venv.install(str(fake))


def test_executing_solutions_needs_no_nbgrader():
    code = (
        "import sys; sys.modules['nbgrader'] = None\n"
        "import autograder.execute\n"
        "from autograder.course import this_course\n"
        "from autograder.text import build_notebook\n"
        "course = this_course()\n"
        "[build_notebook(course, name) for name in course.notebooks]\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)
