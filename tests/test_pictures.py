"""Figures and sliders: they show themselves, keep quiet in scripts, and stand still for graders."""

import sys

import pytest

from helpers import plots
from helpers.simulate import latency
from helpers.widgets.first_kernel import fit_blocks, hide_latency
from helpers.widgets.sliders import VIEW, Sliders

PNG = b"\x89PNG\r\n"
SM = {"max_threads": 2048, "warp_size": 32, "shared_memory": 228 << 10}


def drawn():
    """One small figure of every kind, the awkward values too."""
    sizes = [1, 1024, 1 << 20]
    yield plots.lines({"yours": (sizes, [1, 2, 3]), "copy": (sizes, [1, 2, 3.01])}, "curves", "n",
                      "speed [GB/s]", yours="yours", references=["copy"], roofs={"roof": 4},
                      marks={"L2": 2048})
    yield plots.lines({"all zero": ([1, 2], [0, 0])}, "nothing", "n", "t", log="")
    yield plots.lines({"long": (sizes, [1e-3, 1, 1e3])}, "logarithms", "n", "t [µs]", log="xy")
    yield plots.bars({"a": 1.0, "b": 20.0}, "bars", "GB/s", log=True)
    yield plots.shares({"yours": 0.97, "eager": 0.2}, "shares", "copy speed", yours="yours")
    yield plots.traffic({"fused": [("x", "read", 4e6), ("out", "write", 4e6)]}, "traffic")
    yield plots.timeline(latency.rows(latency.staying([[(1, 2)], [(3, 0)]])), "who", "cycles")
    yield plots.cells(["a", "b", "a"], 2, "cells", paints={"a": plots.INK, "b": plots.PALE},
                      texts=["0", "1", "100"], rows=["first", "second"])
    yield plots.guesses({"a": None, "b": 3.0}, {"a": 1.0, "b": 40.0}, "guesses", "ratio")


def test_every_picture_shows_itself():
    for picture in drawn():
        data, metadata = picture._repr_mimebundle_()
        assert data["image/png"].startswith(PNG)
        assert data["text/plain"] == f"<{picture.claim}>"
        assert 100 < metadata["image/png"]["width"] < 900
        assert picture.axes[0].get_title(loc="left")
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules[
        "matplotlib.pyplot"].get_fignums()      # no figure is left open behind the reader's back


def test_the_same_figure_is_the_same_bytes():
    one, other = (plots.bars({"a": 1.0}, "t", "x").png() for _ in range(2))
    assert one == other


@pytest.mark.parametrize("value, base, unit, text", [
    (65536, 2, "", "64 Ki"), (65500, 10, "", "65.5 k"), (512, 2, "B", "512 B"),
    (0.01, 10, "", "0.01"), (0, 10, "", "0"), (3 * 2**30, 2, "B", "3 GiB")])
def test_short_ticks(value, base, unit, text):
    assert plots.short(value, base, unit) == text


def test_only_the_learner_s_is_accented():
    assert plots.colour("yours", "yours") == plots.ACCENT
    assert plots.colour("a", ["a", "b"]) == plots.ACCENT
    assert plots.colour("copy", "yours", ["copy"]) == plots.GREY
    assert plots.colour("given", "yours") == plots.INK


# --- sliders ------------------------------------------------------------------------------------


def test_without_a_reader_sliders_are_a_picture(monkeypatch):
    assert set(hide_latency()._repr_mimebundle_()[0]) == {"image/png", "text/plain"}
    monkeypatch.setattr("helpers.widgets.sliders._someone_is_there", lambda: True)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert VIEW not in hide_latency()._repr_mimebundle_()[0]


def test_moving_a_slider_draws_anew(monkeypatch):
    pytest.importorskip("ipywidgets")
    monkeypatch.setattr("helpers.widgets.sliders._someone_is_there", lambda: True)
    sliders = Sliders(lambda a, b: plots.bars({"a": a, "b": b}, "t", "x"), a=(1, 9, 3, 1),
                      b=[5, 6])
    data, _ = sliders._repr_mimebundle_()
    assert data[VIEW]["model_id"] and data["image/png"] == sliders.picture.png()
    *controls, image = sliders._kept.children
    before = bytes(image.value)
    controls[0].value = 7
    assert bytes(image.value) != before
    controls[0].value = 3
    assert bytes(image.value) == before


@pytest.mark.parametrize("answer", [(3, 24), (0, 0), None, 7, (99, 999)])
def test_slots_are_drawn_for_any_answer(answer):
    assert fit_blocks(lambda *launch: answer, SM).picture.png().startswith(PNG)
