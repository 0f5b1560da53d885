"""What a learner sees: every bad input gives one clear sentence, and never an exception."""

import subprocess
import sys

import pytest
import torch
import triton
import triton.language as tl

import helpers
from helpers import check, hint, show
from helpers.exercises import EXERCISES
from helpers.grading import mistakes
from helpers.grading.examiner import examine
from helpers.grading.report import MIME

reference = {name: mistakes.reference(EXERCISES[name]) for name in EXERCISES}


def text_of(function, name="vector_add"):
    function.__name__ = name
    result = check(function)
    assert result.points == 0
    return result.text()


@triton.jit
def no_store_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    ...


@triton.jit
def nan_kernel(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, float("nan"), mask=offsets < n)


@triton.jit
def outside_kernel(out_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets))


@triton.jit
def not_compiling_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = [tl.load(p + offsets, mask=mask) for p in (x_ptr, y_ptr) if BLOCK is not None]
    import math  # noqa: F401
    tl.store(out_ptr + offsets, total[0] + total[1], mask=mask)


@triton.jit
def misspelt_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.stroe(out_ptr + offsets, 0.0, mask=offsets < n)


@triton.jit
def endless_kernel(out_ptr, n, BLOCK: tl.constexpr):
    while True:
        tl.store(out_ptr, 0.0)


def grid(n):
    return (triton.cdiv(n, 1024),)


def test_wrong_arguments():
    text = text_of(lambda x, y: None)
    assert "vector_add(out, x, y)" in text and "yours does not take that" in text


def test_no_kernel():
    assert "No Triton kernel was launched" in text_of(lambda out, x, y: None)


def test_never_stores():
    text = text_of(lambda out, x, y: no_store_kernel[grid(x.numel())](
        out, x, y, x.numel(), BLOCK=1024))
    assert "Does your kernel store to out" in text


def test_nan_everywhere():
    text = text_of(lambda out, x, y: nan_kernel[grid(x.numel())](out, x.numel(), BLOCK=1024))
    assert "NaN" in text


def test_writes_out_of_bounds():
    text = text_of(lambda out, x, y: outside_kernel[grid(x.numel())](out, x, y, BLOCK=1024))
    assert "outside the tensor" in text and "mask" in text and "line" in text


def test_does_not_compile_names_the_line():
    text = text_of(lambda out, x, y: not_compiling_kernel[grid(x.numel())](
        out, x, y, x.numel(), BLOCK=1024))
    assert "does not compile for a GPU" in text and "your line" in text


def test_misspelt_name_shows_the_line():
    text = text_of(lambda out, x, y: misspelt_kernel[grid(x.numel())](
        out, x, y, x.numel(), BLOCK=1024))
    assert "stroe" in text and "your line" in text


def test_endless_loop_is_stopped(monkeypatch):
    monkeypatch.setattr("helpers.grading.attempt.SECONDS", 1)
    text = text_of(lambda out, x, y: endless_kernel[(1,)](out, x.numel(), BLOCK=1024))
    assert "may never end" in text


def test_input_changed():
    def f(out, x, y):
        reference["vector_add"](x, x, y)
        reference["vector_add"](out, x, y)

    assert "An input must only be read" in text_of(f)


@pytest.mark.parametrize("cheat", [
    lambda out, x, y: out.copy_(x + y),
    lambda out, x, y: torch.add(x, y, out=out),
    lambda out, x, y: (reference["vector_add"](out, x, x), out.add_(y).sub_(x)),
    lambda out, x, y: out.set_((x + y).untyped_storage(), 0, out.shape, out.stride()),
    lambda out, x, y: torch.from_numpy(out.numpy()).copy_(x).add_(y),
    lambda out, x, y: out.numpy().__iadd__(0) is out or out.numpy().__setitem__(
        slice(None), x.numpy() + y.numpy()),
], ids=["copy", "out=", "touch up", "set_", "numpy view", "numpy"])
def test_work_outside_a_kernel(cheat):
    text = text_of(lambda out, x, y: cheat(out, x, y))
    assert any(words in text for words in (
        "must be", "No Triton kernel", "no kernel ran", "exchanged"))


def test_helper_tensors_and_views_are_fine():
    def f(out, x, y):
        scratch = torch.empty_like(out)
        assert scratch.numel() == out.numel()
        reference["vector_add"](out.view(-1), x.reshape(-1), y.detach())

    f.__name__ = "vector_add"
    assert check(f).points == 7


@pytest.mark.parametrize(("thing", "sentence"), [
    (lambda: None, "No exercise is called"), (3, "takes the function"),
    (None, "takes the function"),
])
def test_unknown_exercise(thing, sentence):
    result = check(thing)
    assert result.points == 0 and sentence in result.text()


def test_nearly_the_name(capsys):
    hint("row_softmx")
    assert "Did you mean row_softmax" in capsys.readouterr().out


def test_hints_climb_and_stay_at_the_last(capsys):
    for _ in range(5):
        hint(reference["row_softmax"])
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("Hint 1 of 4") and out[-1].startswith("Hint 4 of 4 (the last)")


@pytest.mark.parametrize("name", EXERCISES)
def test_show_names_points_and_task(name, capsys):
    show(name)
    out = capsys.readouterr().out
    assert f"{EXERCISES[name].points.total:g} points" in out
    assert EXERCISES[name].spec in " ".join(out.split())


def test_result_is_a_bare_number_and_a_table():
    result = check(reference["row_softmax"])
    bundle = result._repr_mimebundle_()
    assert float(bundle["text/plain"]) == result.points == 7
    assert "<table" in bundle["text/html"] and "not measured" in bundle["text/html"]
    assert [c["name"] for c in bundle[MIME]["criteria"]] == ["numerics", "traffic", "speed"]


def test_nothing_on_stderr(capfd):
    import os
    import warnings

    def f(out, x, y):
        warnings.warn("loud", stacklevel=1)
        os.write(2, b"louder")
        print("loudest", file=sys.stderr)
        reference["vector_add"](out, x, y)

    f.__name__ = "vector_add"
    assert check(f).points == 7
    assert capfd.readouterr().err == ""


def test_speed_without_a_gpu_is_not_measured():
    result = examine(EXERCISES["vector_add"], reference["vector_add"])
    speed = result.criteria[-1]
    assert (speed.name, speed.status, speed.points) == ("speed", "not measured", 0)


def test_no_time_without_a_gpu():
    with pytest.raises(RuntimeError, match="No GPU time without a GPU"):
        helpers.grading.clock.median_ms(lambda: None)


@pytest.mark.parametrize("value", [
    None, {}, {"to_device_ms": 1}, {"to_device_ms": 0, "to_host_ms": 1, "on_device_ms": 1},
    {"to_device_ms": float("nan"), "to_host_ms": 1, "on_device_ms": 1},
    {"to_device_ms": True, "to_host_ms": 1, "on_device_ms": 1}, "20 ms"])
def test_no_number_is_no_prediction(value):
    def host_copy():
        return value

    result = check(host_copy)
    assert result.points == 0 and "Commit one positive number" in result.text()


def test_a_fresh_process_prints_the_report():
    code = ("import helpers; from helpers.kernels.sin2_cos2 import sin2_cos2;"
            "print(repr(helpers.check(sin2_cos2)))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[-1] == "7"
    assert "numerics 4/4" in done.stdout


def test_a_fault_of_the_examiner_is_said_to_be_one(monkeypatch):
    def broken(*_arguments):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("helpers.grading.examiner.examine", broken)
    result = check(reference["vector_add"])
    assert result.points == 0 and "This is not your fault" in result.text()


def test_a_crash_at_the_timed_size_is_the_learners(monkeypatch):
    from helpers.grading import clock, speed

    def race(*_arguments):
        raise ValueError("only small vectors")

    monkeypatch.setattr(helpers.gpu, "device", lambda: torch.device("cuda", 0))
    monkeypatch.setattr(speed, "race", race)
    monkeypatch.setattr(clock, "release", lambda: None)
    verdict = speed.judge(EXERCISES["vector_add"], reference["vector_add"], 1)
    assert verdict.status == "failed" and "only small vectors" in verdict.lines[0]
