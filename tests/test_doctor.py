"""Broken environments: one sentence that says what, and one command that mends it."""

import os
import subprocess
import sys

import pytest

from helpers import doctor, gpu


@pytest.fixture
def found(monkeypatch):
    """Pretend that these packages have these versions; None: missing."""
    versions = {"torch": (2, 13, 0), "triton": (3, 7, 1), "numpy": (2, 4, 6),
                "ipywidgets": (8, 1, 9), "matplotlib": (3, 11, 2)}
    monkeypatch.setattr(doctor, "version", versions.get)
    return versions


def test_this_environment_is_fine():
    assert doctor.problems() == []
    assert "A known kernel gives the right result." in doctor.report()


@pytest.mark.parametrize(("package", "version", "sentence"), [
    ("triton", None, "triton is missing: pip install triton==3.7.1"),
    ("triton", (3, 1, 0), "triton 3.1.0 is too old"),
    ("torch", None, "torch is missing: pip install torch"),
    ("numpy", None, "numpy is missing: pip install numpy"),
    ("numpy", (1, 26, 4), "numpy 1.26.4 is too old"),
])
def test_problem(found, package, version, sentence):
    found[package] = version
    assert any(sentence in line for line in doctor.problems())
    with pytest.raises(doctor.EnvironmentProblem, match="pip install"):
        doctor.prepare()


@pytest.mark.parametrize(("package", "version", "sentence"), [
    ("triton", (3, 6, 0), "torch 2.13.0 belongs with triton 3.7.1, found 3.6.0"),
    ("triton", (3, 12, 0), "newer than the course was tested with"),
    ("ipywidgets", None, "ipywidgets is missing"),
    ("ipywidgets", (6, 0, 0), "ipywidgets 6.0.0 is too old"),
    ("matplotlib", None, "matplotlib is missing"),
])
def test_remark(found, package, version, sentence):
    found[package] = version
    assert any(sentence in line for line in doctor.remarks())
    assert doctor.problems() == []


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_platform_without_triton(monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    assert "Colab" in doctor.problems()[-1]


def test_import_without_triton_is_one_sentence(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "from importlib import util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda n, p=None: None if n == 'triton' else find(n, p)\n")
    done = subprocess.run([sys.executable, "-c", "import helpers"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(
                              [str(tmp_path), os.getcwd()])})
    assert done.returncode == 1
    assert "triton is missing: pip install triton" in done.stderr.splitlines()[-1]


def test_interpreter_variable_does_no_harm():
    code = ("import helpers; from helpers.kernels.vector_add import vector_add;"
            "helpers.ready(); print(repr(helpers.check(vector_add)))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "TRITON_INTERPRET": "1"})
    assert done.stdout.splitlines()[-1] == "7", done.stderr


def test_gpu_too_old(monkeypatch):
    import torch

    monkeypatch.setattr(torch.version, "cuda", "12.8")
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (6, 1))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA GTX 1080")
    assert "compute capability 6.1; Triton needs 7.0" in gpu.problem.__wrapped__()


def test_driver_without_a_device(monkeypatch):
    import torch

    monkeypatch.setattr(torch.version, "cuda", "12.8")

    def broken():
        raise RuntimeError("Found no NVIDIA driver on your system.\nmore")

    monkeypatch.setattr(torch.cuda, "is_available", broken)
    assert gpu.problem.__wrapped__() == (
        "The GPU cannot be used: Found no NVIDIA driver on your system.")


def test_amd_gpu(monkeypatch):
    import torch

    monkeypatch.setattr(torch.version, "hip", "6.4")
    assert "AMD" in gpu.problem.__wrapped__()
