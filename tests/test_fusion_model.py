"""The counting model of notebook 06: passes that are known, and PyTorch as the oracle."""

import pytest
import torch

from helpers.simulate import fusion

ROWS, COLUMNS = 64, 256
MATRIX = {"x": (ROWS, COLUMNS)}
NORM = {"x": (ROWS, COLUMNS), "r": (ROWS, COLUMNS), "weight": (COLUMNS,)}


def test_sin2_cos2_takes_eleven_passes_eager_and_two_fused():
    eager = fusion.eager(fusion.SIN2_COS2, x=(1000,))
    assert (len(eager.kernels), eager.reads, eager.writes) == (5, 6, 5)
    assert eager.bytes == 11 * 4000
    assert eager.flops == 5000
    fused = fusion.fused(fusion.SIN2_COS2, x=(1000,))
    assert (len(fused.kernels), fused.reads, fused.writes) == (1, 1, 1)
    assert fused.bytes == 2 * 4000
    assert fusion.sweeps(fusion.SIN2_COS2, x=(1000,)).passes == 2


def test_softmax_passes_are_those_of_the_literature():
    """Milakov & Gimelshein 2018, sections 2 and 3: 3 accesses unsafe, 4 safe; 2 on chip."""
    assert fusion.eager(fusion.SOFTMAX, **MATRIX).passes == 8
    safe = fusion.sweeps(fusion.SOFTMAX, **MATRIX)
    assert (len(safe.kernels), safe.reads, safe.writes) == (3, 3, 1)
    unsafe = fusion.sweeps(fusion.UNSAFE_SOFTMAX, **MATRIX)
    assert (len(unsafe.kernels), unsafe.reads, unsafe.writes) == (2, 2, 1)
    assert fusion.fused(fusion.SOFTMAX, **MATRIX).passes == 2


def test_small_tensors_count_as_bytes_but_not_as_passes():
    softmax = fusion.eager(fusion.SOFTMAX, **MATRIX)
    assert softmax.bytes == 4 * (8 * ROWS * COLUMNS + 4 * ROWS)


def test_residual_norm_keeps_two_outputs_and_reads_hidden_back_only_in_sweeps():
    keep = ("h", "out")
    assert fusion.eager(fusion.RESIDUAL_RMS_NORM, **NORM).passes == 10
    fused = fusion.fused(fusion.RESIDUAL_RMS_NORM, keep=keep, **NORM)
    assert (fused.reads, fused.writes) == (2, 2)
    assert fused.bytes == 4 * (4 * ROWS * COLUMNS + COLUMNS)
    swept = fusion.sweeps(fusion.RESIDUAL_RMS_NORM, keep=keep, **NORM)
    assert (swept.reads, swept.writes) == (3, 2)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_a_chain_costs_two_passes_a_link_eager_and_two_in_all_fused(k):
    assert fusion.eager(fusion.chain(k), x=(8,)).passes == 2 * k
    assert fusion.fused(fusion.chain(k), x=(8,)).passes == 2
    assert fusion.fused(fusion.chain(k), x=(8,)).flops == 8 * k


def test_time_is_bytes_over_bandwidth():
    plan = fusion.fused(fusion.chain(1), x=(500_000_000,))
    assert plan.milliseconds(4e12) == pytest.approx(1.0)


def test_halving_the_item_size_halves_the_bytes():
    wide, narrow = (fusion.eager(fusion.SOFTMAX, itemsize=size, **MATRIX) for size in (4, 2))
    assert wide.bytes == 2 * narrow.bytes


@pytest.mark.parametrize("line", ["out = sin(cos(x))", "out = x", "sin(x)", "out = x ** 2"])
def test_a_line_that_is_not_one_operation_is_refused(line):
    with pytest.raises(ValueError):
        fusion.eager(line, x=(4,))


def test_a_missing_shape_is_named():
    with pytest.raises(ValueError, match="h needs r"):
        fusion.eager(fusion.RESIDUAL_RMS_NORM, x=(4, 4), weight=(4,))


# --- PyTorch is the oracle ----------------------------------------------------------------------

def _counts(plan):
    return len(plan.kernels), plan.reads, plan.writes, plan.bytes


def test_the_model_agrees_with_what_pytorch_dispatches_for_sin2_cos2():
    def function(x):
        s, c = torch.sin(x), torch.cos(x)
        return s * s + c * c

    seen = fusion.observe(function, x=torch.randn(1000))
    assert _counts(seen) == _counts(fusion.eager(fusion.SIN2_COS2, x=(1000,)))
    assert [kernel.name for kernel in seen.kernels] == ["sin", "cos", "mul", "mul", "add"]
    assert seen.kernels[0].loads == ("x",)
    assert seen.kernels[-1].stores == ("out",)


def test_the_model_agrees_with_what_pytorch_dispatches_for_softmax():
    def function(x):
        e = torch.exp(x - x.amax(1, keepdim=True))
        return e / e.sum(1, keepdim=True)

    seen = fusion.observe(function, x=torch.randn(ROWS, COLUMNS))
    assert _counts(seen) == _counts(fusion.eager(fusion.SOFTMAX, **MATRIX))


def test_views_are_no_kernels_and_in_place_operations_are():
    def function(x):
        return x.view(-1).reshape(4, 8).transpose(0, 1).mul_(2.0)

    seen = fusion.observe(function, x=torch.randn(32))
    assert [kernel.name for kernel in seen.kernels] == ["mul_"]
    assert seen.passes == 2


def test_a_plan_prints_its_kernels_and_its_total():
    text = str(fusion.eager(fusion.SIN2_COS2, x=(1_000_000,)))
    assert text.splitlines()[1].split() == ["sin", "x", "s"]
    assert text.splitlines()[-1] == "5 kernels: 6 reads + 5 writes = 11 passes, 44 MB"
