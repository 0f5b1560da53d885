"""Run All reaches the end: of what learners get, and of the solutions.  Without a GPU."""

import json

import nbformat
import pytest

from autograder.course import this_course
from autograder.execute import run_cells, stderr_of
from autograder.text import build_notebook

COURSE = this_course()


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def points_of(nb):
    """What each check cell shows as its result."""
    outputs = {cell.id.removesuffix("-check"): cell.outputs for cell in nb.cells
               if cell.id.endswith("-check")}
    return {name: [float(o.data["text/plain"]) for o in out if o.output_type == "execute_result"]
            for name, out in outputs.items()}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", COURSE.notebooks)
def test_untouched_notebook_runs_to_the_end(name):
    nb = nbformat.reads(COURSE.student(name).read_text(), as_version=4)
    run_cells(nb, COURSE.root, timeout=120)
    assert stderr_of(nb) == []
    assert points_of(nb) == {exercise: [0] for exercise in COURSE.notebooks[name]}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", COURSE.notebooks)
def test_solutions_run_to_the_end(name):
    from helpers.exercises import EXERCISES

    nb = build_notebook(COURSE, name)
    run_cells(nb, COURSE.root, timeout=120)
    assert stderr_of(nb) == []
    points = points_of(nb)
    for exercise in COURSE.notebooks[name]:
        worth = EXERCISES[exercise].points
        assert points[exercise] == [worth.total - worth.speed], exercise


@pytest.mark.parametrize("name", COURSE.notebooks)
def test_committed_notebook_is_small_and_plain(name):
    text = COURSE.student(name).read_text()
    assert len(text) < 200_000 and "base64" not in text
    nbformat.validate(nbformat.from_dict(json.loads(text)))
