"""`make test` judges the same everywhere: a GPU, if there is one, is for `make gpu` alone.

And the corpus: a test with an argument `attack` or `honest` runs once for each submission of
tests/attacks or tests/fairness (attacks/README.md says what such a file holds).
"""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from corpus import submissions  # noqa: E402

_ONLY_GPU = any("tests/gpu" in argument for argument in sys.argv)
if not _ONLY_GPU and "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

FOLDERS = {"attack": "attacks", "honest": "fairness"}


def pytest_generate_tests(metafunc):
    for argument, folder in FOLDERS.items():
        if argument in metafunc.fixturenames:
            found = submissions(folder)
            if metafunc.function.__name__.endswith("in_process"):
                found = [one for one in found if not one.alone]
            metafunc.parametrize(argument, found, ids=[one.name for one in found])


@pytest.fixture(scope="module")
def referee():
    """The real one, in its boxes."""
    from autograder.examine import Referee
    from autograder.sandbox import SandboxMissing

    try:
        referee = Referee(require_sandbox=True)     # without one, attacks would reach this machine
    except SandboxMissing as error:
        pytest.skip(str(error))
    yield referee
    referee.stop()
