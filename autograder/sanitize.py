"""What of a learner's HTML may reach a grader's browser, in feedback and in formgrader.

nbconvert's own filter escapes the line breaks of our reports, and nbgrader's pages show Markdown
cells without any filter: a learner's <script> there would run as the grader.
"""

from __future__ import annotations

import re

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.filters import strip_files_prefix

TAGS = frozenset(bleach.ALLOWED_TAGS) | frozenset(
    "div span p br hr pre h1 h2 h3 h4 h5 h6 table thead tbody tr th td sub sup del img".split()
)
ATTRIBUTES = {**bleach.ALLOWED_ATTRIBUTES, "*": ["class", "id", "style"], "img": ["src", "alt"]}
STYLES = CSSSanitizer(
    allowed_css_properties=[
        "color", "margin", "padding", "text-align", "vertical-align", "white-space"]
)
BARE_CELL = re.compile(r"<(td|th)(?![^>]*padding)(?: style=\"([^\"]*)\")?>")


def clean_html(element) -> str:
    """Escape every tag, attribute and style that can do more than show text."""
    text = element.decode() if isinstance(element, bytes) else str(element)
    clean = bleach.clean(text, tags=TAGS, attributes=ATTRIBUTES, css_sanitizer=STYLES)
    return BARE_CELL.sub(_with_room, clean)


def _with_room(cell: re.Match) -> str:
    # nbgrader's pages draw tables without any space between their columns.
    style = f"{(cell[2] or '').rstrip(';')}; padding: 0.2em 1em 0.2em 0".lstrip("; ")
    return f'<{cell[1]} style="{style}">'


def clean_markdown(html) -> str:
    """Takes the place of nbconvert's last filter on Markdown cells."""
    return clean_html(strip_files_prefix(html))
