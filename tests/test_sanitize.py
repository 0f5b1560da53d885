"""A learner's HTML cannot run in a grader's browser, and our reports still look like tables."""

import nbformat
import pytest

from autograder.course import ROOT
from autograder.release import nbgrader_config
from autograder.sanitize import clean_html, clean_markdown
from helpers.grading.report import FAILED, Criterion, Result

ATTACKS = [
    "<script>alert(1)</script>",
    '<img src="x" onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<p style="background: url(javascript:alert(1))">x</p>',
    "<iframe src='https://example.org'></iframe>",
    "<svg onload=alert(1)></svg>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_become_text(attack):
    for cleaned in (clean_html(attack), clean_markdown(attack), clean_html(attack.encode())):
        assert not any(live in cleaned for live in (
            "<script", "<iframe", "<svg", 'href="java', "url(", "onerror=")), cleaned


def test_reports_survive():
    report = Result("f", [Criterion("numerics", 0, 5, FAILED, ["n=1 < 2", "wrong"])])._html()
    cleaned = clean_html(report)
    assert "&lt;t" not in cleaned and "&lt;br" not in cleaned and cleaned.count("<td") == 4


def test_nbgrader_pages_use_these_filters():
    """nbgrader shows Markdown cells unfiltered unless its settings say otherwise."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions import formgrader

    folder = formgrader.__path__[0]
    config = nbgrader_config(ROOT)
    config.HTMLExporter.template_name = "feedback"
    config.HTMLExporter.extra_template_basedirs = [f"{folder}/templates"]
    config.HTMLExporter.extra_template_paths = [f"{folder}/static/node_modules/bootstrap/dist/css"]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(ATTACKS[0])])
    resources = {"nbgrader": {"notebook": "x", "score": 0, "max_score": 0, "late_penalty": 0}}
    page, _ = HTMLExporter(config=config).from_notebook_node(nb, resources)
    assert "&lt;script&gt;alert(1)" in page and "<script>alert(1)" not in page
