"""The grading pipeline on sample submissions: right scores pass, a wrong expectation is found."""

import json

import pytest

from autograder import demo, samples, steps
from autograder.course import BuildError, this_course


def test_every_sample_has_an_answer_to_every_exercise():
    course = this_course()
    for name in samples.NAMES:
        for exercise in course.points:
            text = samples.answer(course, name, exercise)
            assert (text is None) == (name == "untouched")
            assert text is None or "SOLUTION" not in text


def test_expected_names_every_criterion_once():
    course = this_course()
    for sample, notebooks in samples.expected().items():
        assert sample in samples.NAMES
        assert {n: list(e) for n, e in notebooks.items()} == dict(course.notebooks)
        for exercises in notebooks.values():
            for exercise, points in exercises.items():
                assert sum(points.values()) <= course.points[exercise]


def test_an_edit_that_no_longer_fits_is_an_error(monkeypatch):
    from autograder.samples import wrong_tail

    monkeypatch.setitem(wrong_tail.EDITS, "vector_add", {"no such text": ""})
    with pytest.raises(BuildError, match=r"wrong_tail.py: vector_add no longer contains"):
        samples.answer(this_course(), "wrong_tail", "vector_add")


@pytest.mark.timeout(400)
def test_demo_passes_and_notices_a_wrong_score(tmp_path, monkeypatch, capsys):
    name, students = "01_first_kernel", ["solved", "wrong_tail"]
    assert demo.run(tmp_path, [name], students) == 0
    printed = capsys.readouterr().out
    assert "0 differ; 2 totals in nbgrader's CSV, 0 disagree" in printed
    assert len(list((tmp_path / "autograder" / "feedback").glob("*/*/*.html"))) == 2

    expected = json.loads(json.dumps(samples.expected()))
    expected["solved"][name]["vector_add"]["numerics"] += 1
    rows = list(demo.compare(this_course().at(tmp_path), [name], students, expected))
    assert demo.print_table(rows) == 1
    assert capsys.readouterr().out.count("DIFFERS") == 1

    totals = {(student, name): 0.0 for student in students}
    assert "the criteria add up to" in demo.wrong_totals(rows, totals)[0]
    assert steps.reports(this_course().at(tmp_path), name, "solved")["vector_add"]
