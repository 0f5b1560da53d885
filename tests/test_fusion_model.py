"""The counting model of notebook 06: passes that are known, and PyTorch as the oracle."""

import pytest
import torch

from helpers import plots
from helpers.experiments import operator_fusion, recalled
from helpers.inductor import Compiled, torch_compile
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


# --- what torch.compile made --------------------------------------------------------------------

def test_a_function_that_does_not_compile_gives_the_reason():
    made = torch_compile(lambda x: x.no_such_method(), torch.randn(4))
    assert made.function is None
    assert "no_such_method" in made.problem


def test_only_the_arithmetic_of_generated_code_is_shown():
    source = "x0 = xindex\n    tmp0 = tl.load(in_ptr0 + (x0), None)\ndef call(args):\n    tmp9 = 1"
    assert Compiled(None, (), source).arithmetic == "tmp0 = tl.load(in_ptr0 + (x0), None)"


# --- the stored measurements bear out what notebook 06 says about them --------------------------

def _stored(name):
    return recalled("operator_fusion")["results"][name]


def test_every_experiment_is_stored():
    names = {name for name, f in vars(operator_fusion).items() if getattr(f, "measures", False)}
    assert names == set(recalled("operator_fusion")["results"])


def test_eager_sin2_cos2_takes_as_long_as_its_passes():
    ms = _stored("sin2_cos2_times")["ms"]
    assert ms["eager"] / ms["copy"] == pytest.approx(5.5, rel=0.1)
    assert ms["reference"] < 1.25 * ms["copy"]


def test_the_fused_chain_is_flat_and_then_bends():
    chain = _stored("chain_times")
    share = {k: ms / chain["copy_ms"] for k, ms in zip(chain["k"], chain["fused_ms"], strict=True)}
    assert all(share[k] < 1.05 for k in (1, 2, 4, 8, 16, 32))
    assert share[128] > 1.5
    for k, ms in zip(chain["k"], chain["eager_ms"], strict=True):
        assert ms == pytest.approx(k * chain["copy_ms"], rel=0.1)


def test_softmax_speeds_show_the_passes():
    speeds = _stored("softmax_speeds")
    share = {name: {N: speed / max(speeds["TB_s"]["copy"])
                    for N, speed in zip(speeds["N"], values, strict=True)}
             for name, values in speeds["TB_s"].items()}
    assert all(share["reference"][2**p] > 0.9 for p in range(10, 16))
    assert share["reference"][2**17] < 0.5 < share["in two sweeps"][2**17]
    assert all(0.6 < share["torch.compile"][2**p] < 0.9 for p in range(11, 18))
    assert share["torch"][2**13] < 0.55


def test_norms_take_as_long_as_their_passes():
    ms = _stored("norm_times")["ms"]
    passes = {name: 4 * time / ms["copy"] for name, time in ms.items()}
    assert passes["reference"] == pytest.approx(4, rel=0.1)
    assert passes["add, then rms_norm"] == pytest.approx(5, rel=0.1)
    assert passes["torch.compile"] == pytest.approx(4, rel=0.1)     # its second sweep: a cache
    assert passes["eager"] > 10


def test_a_sum_over_everything_and_attention_do_not_become_one_kernel():
    kernels = _stored("compiled_graphs")["kernels"]
    assert len(kernels["sin² + cos²"]) == len(kernels["residual + RMSNorm"]) == 1
    assert len(kernels["a / a.sum()"]) >= 2
    assert len(kernels["relu(a @ a)"]) == 2
    assert len(kernels["attention"]) >= 3


# --- the picture --------------------------------------------------------------------------------

def test_a_picture_has_an_arrow_for_every_trip():
    plans = {"eager": fusion.eager(fusion.SIN2_COS2, x=(8,)),
             "fused": fusion.fused(fusion.SIN2_COS2, x=(8,))}
    picture = plots.trips({name: plan.kernels for name, plan in plans.items()}, "trips")
    texts = [text.get_text() for text in picture.axes[0].texts]
    assert {"eager: 11 trips", "fused: 2 trips"} <= set(texts)
    assert texts.count("x") == 2 + 1
    assert picture.png().startswith(b"\x89PNG")
