"""The interpreter's hooks and every reference on the other supported Tritons and numpys.

Each combination is layered over this environment with `pip install --target`, once, into a cache
next to the tests.  Needs a package index the first time.
"""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import triton

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache" / "versions" / f"py{sys.version_info[0]}{sys.version_info[1]}"
TRITONS = ("3.6.0", "3.7.1", "3.9.0")
NUMPYS = ("2.3.5", numpy.__version__)      # the last before 2.4's stricter scalars, and the newest


def layer(requirement: str) -> str:
    """A folder that holds this one package, installed on first use."""
    target = CACHE / requirement.replace("==", "-")
    if not (target / "complete").exists():
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade",
             "--disable-pip-version-check", "--target", str(target), requirement],
            capture_output=True, text=True)
        assert done.returncode == 0, f"pip could not get {requirement}:\n{done.stderr[-800:]}"
        (target / "complete").touch()
    return str(target)


# All but the combination that every other test runs on.
OTHERS = [pair for pair in itertools.product(TRITONS, NUMPYS)
          if pair != (triton.__version__, numpy.__version__)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("triton_version", "numpy_version"), OTHERS)
def test_version(triton_version, numpy_version):
    layers = []
    if triton_version != triton.__version__:
        layers.append(layer(f"triton=={triton_version}"))
    if numpy_version != numpy.__version__:
        layers.append(layer(f"numpy=={numpy_version}"))
    code = ("import triton, numpy, sys, pytest;"
            f"assert triton.__version__ == '{triton_version}', triton.__version__;"
            f"assert numpy.__version__ == '{numpy_version}', numpy.__version__;"
            "sys.exit(pytest.main(['-q', '-x', '-p', 'no:cacheprovider', '-p', 'no:xdist',"
            " 'tests/test_interpreter.py', 'tests/test_exercises.py']))")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*layers, str(ROOT)])})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
