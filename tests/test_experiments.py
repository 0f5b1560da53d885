"""Measurements of notebook 01: what is stored is complete, what is computed from it is right."""

import pytest
import torch

from helpers import assembly, gpu
from helpers.experiments import first_kernel, recalled
from helpers.kernels.vector_add import vector_add, vector_add_kernel

STORED = [name for name, function in vars(first_kernel).items()
          if getattr(function, "measures", False)]


def test_every_experiment_is_stored():
    data = recalled("first_kernel")
    assert sorted(data["results"]) == sorted(STORED)
    assert data["gpu"] and data["date"] and set(data["versions"]) == {"torch", "triton"}


@pytest.mark.parametrize("name", STORED)
def test_a_recalled_result_says_where_it_was_measured(name):
    assert getattr(first_kernel, name)()["where"] == "measured on an NVIDIA H200"


def test_the_stored_ratios_follow_from_the_stored_times():
    result = recalled("first_kernel")["results"]["six_ratios"]
    assert list(result["ratios"]) == list(first_kernel.QUESTIONS)
    for name, (a, b, _) in result["times"].items():
        assert result["ratios"][name] == pytest.approx(a / b)


def test_score():
    answers = {"a": 10.0, "b": 10.0, "c": 10.0, "d": 10.0}
    assert first_kernel.score({"a": 20, "b": 2.5, "c": 51, "d": None}, answers) == {
        "a": 1.0, "b": 0.5, "c": 0.0}


def test_crossover():
    sizes = [1, 4, 16, 64]
    assert first_kernel.crossover(sizes, [1, 4, 16, 64], [8, 8, 8, 8]) == pytest.approx(6.35, 0.01)
    assert first_kernel.crossover(sizes, [1, 1, 1, 1], [2, 2, 2, 2]) is None
    assert first_kernel.crossover([], [], []) is None


def test_the_kernel_to_study():
    def nothing(out, x, y):
        pass

    assert first_kernel.yours_or_ours(vector_add)[0] is vector_add
    for wrong in (nothing, None, 3):
        function, kernel, label = first_kernel.yours_or_ours(wrong)
        assert (function, kernel) == (vector_add, vector_add_kernel)
        assert "not right yet" in label


def test_limits_of_an_unknown_gpu_come_from_the_driver(monkeypatch):
    facts = {"capability": [42, 0], "threads_per_sm": 1536, "registers_per_sm": 65536,
             "shared_KiB_per_sm": 100.0}
    monkeypatch.setattr(first_kernel, "device", lambda: facts)
    limits = first_kernel.sm_limits()
    assert limits["max_threads"] == 1536 and limits["shared_memory"] == 100 * 1024


def test_few_programs_copy_everything():
    where = gpu.device() or "cpu"
    for n in (1, 127, 1000):
        out, x, _ = first_kernel.vectors(n, where)
        first_kernel.few_programs_kernel[(3,)](out, x, n, BLOCK=128, num_warps=1)
        assert torch.equal(out, x)


# --- compiled code ------------------------------------------------------------------------------

VECTORS = {"out_ptr": "*fp32", "x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"}


def test_compiled_without_a_gpu():
    made = assembly.compiled(vector_add_kernel, BLOCK=1024, **VECTORS)
    assert 8 < made.registers < 64 and made.spilled == 0 and made.shared == 0
    assert len(made.instructions("add.f32")) == 8       # 1024 elements over 128 threads
    assert len(made.instructions("ld.global.v4")) == 4
    assert all(line.startswith("@%p") for line in made.instructions("ld.global", "st.global"))


def test_too_many_elements_a_thread_spill():
    made = assembly.compiled(vector_add_kernel, BLOCK=16384, **VECTORS)
    assert made.registers == 255 and made.spilled > 0


def test_a_missing_argument_is_named():
    with pytest.raises(ValueError, match="also needs n, BLOCK"):
        assembly.compiled(vector_add_kernel, out_ptr="*fp32", x_ptr="*fp32", y_ptr="*fp32")
