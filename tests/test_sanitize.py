"""A learner's HTML cannot run in a grader's browser, and our reports still look like tables."""

from html.parser import HTMLParser

import nbformat
import pytest

from autograder.course import ROOT
from autograder.release import nbgrader_config
from autograder.sanitize import TAGS, clean_html, clean_markdown
from helpers.grading.report import FAILED, Criterion, Result

ATTACKS = [
    "<script>alert(1)</script>",
    '<img src="x" onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<p style="background: url(javascript:alert(1))">x</p>',
    "<iframe src='https://example.org'></iframe>",
    "<svg onload=alert(1)></svg>",
    "<svg><script xlink:href='data:,alert(1)'></script></svg>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src='data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+'>",
    "<a href=' java\tscript:alert(1)'>x</a>",
    "<form action='javascript:alert(1)'><button formaction='javascript:alert(1)'>x</button></form>",
    "<object data='javascript:alert(1)'></object><embed src='javascript:alert(1)'>",
    "<base href='javascript:/'><meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>@import 'javascript:alert(1)'</style>",
    "<td style='width: expression(alert(1))'>x</td>",
    "<td id='\" onclick=alert(1) x=\"'>x</td>",
]


class Page(HTMLParser):
    """What a browser would take for tags, and what they carry."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes


@pytest.mark.parametrize("markup", ATTACKS)
def test_attacks_become_text(markup):
    for cleaned in (clean_html(markup), clean_markdown(markup), clean_html(markup.encode())):
        page = Page(cleaned)
        assert page.tags <= TAGS, cleaned
        for name, value in page.attributes:
            assert not name.startswith("on"), cleaned
            assert not any(word in "".join((value or "").split()) for word in (
                "javascript:", "url(", "expression", "data:")), cleaned


def test_reports_survive():
    report = Result("f", [Criterion("numerics", 0, 5, FAILED, ["n=1 < 2", "wrong"])])
    cleaned = clean_html(report._repr_mimebundle_()["text/html"])
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
