"""What of a learner's notebook is safe to show: on feedback pages and in formgrader."""

from __future__ import annotations

import re

from autograder.submission import as_count, as_text

MAX_TEXT = 100_000      # characters of output that are kept a cell
MAX_IMAGES = 2_000_000  # characters of base64 that are kept a cell
# Markdown and HTML: a filter's time grows with the square of what a hostile page holds.
MAX_MARKUP = 20_000     # characters that are shown of one piece
MAX_PAGE = 500_000      # and of all pieces together

BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
IMAGES = ("image/png", "image/jpeg")


def keep_outputs(notebook: dict) -> None:
    """Leave what can only be looked at: text, errors, pictures, and HTML that is sanitized later.

    Outputs of graded cells go, because the verdict takes their place, and so does every output's
    metadata, which nbconvert writes into tags.
    """
    notebook.setdefault("metadata", {}).pop("widgets", None)
    page = _Page()
    for cell in notebook["cells"]:
        attachments = cell.pop("attachments", None)
        if cell["cell_type"] != "code":
            cell["source"] = page.take(cell["source"])
            if kept := _attachments(attachments):
                cell["attachments"] = kept
            continue
        cell["source"] = _cut(cell["source"], MAX_TEXT)
        room = _Room(page)
        graded = (cell["metadata"].get("nbgrader") or {}).get("grade")
        kept = [] if graded else [_output(output, room) for output in cell.get("outputs", [])]
        cell["outputs"] = [output for output in kept if output]


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + "\n... cut"


class _Page:
    """How much markup a page may still show."""

    def __init__(self):
        self.left = MAX_PAGE

    def holds(self, text: str) -> bool:
        if len(text) > min(self.left, MAX_MARKUP):
            return False
        self.left -= len(text)
        return True

    def take(self, text: str) -> str:
        kept = text[:min(self.left, MAX_MARKUP)]
        self.left -= len(kept)
        return _cut(text, len(kept))


class _Room:
    """What one cell may still show; says once that the rest was cut."""

    def __init__(self, page: _Page):
        self.page = page
        self.text, self.images, self.said = MAX_TEXT, MAX_IMAGES, False

    def take(self, text: str) -> str:
        kept = text[:self.text]
        self.text -= len(kept)
        if len(kept) == len(text) or self.said:
            return kept
        self.said = True
        return kept + "\n... cut"

    def holds(self, image: str) -> bool:
        if len(image) > self.images or not BASE64.fullmatch(image):
            return False
        self.images -= len(image)
        return True


def _output(output: dict, room: _Room) -> dict | None:
    kind = output.get("output_type")
    if kind == "stream":
        text = room.take(as_text(output.get("text")))
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": "stream", "name": name, "text": text} if text else None
    if kind == "error":
        lines = output.get("traceback")
        lines = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        text = room.take("\n".join(lines))
        return {"output_type": "error", "ename": room.take(as_text(output.get("ename"))),
                "evalue": room.take(as_text(output.get("evalue"))), "traceback": text.split("\n")}
    if kind not in ("display_data", "execute_result"):
        return None
    data = _data(output.get("data"), room)
    if not data:
        return None
    kept = {"output_type": kind, "data": data, "metadata": {}}
    if kind == "execute_result":
        kept["execution_count"] = as_count(output.get("execution_count"))
    return kept


def _data(data, room: _Room) -> dict[str, str]:
    """The forms of one output that are kept; half a page of HTML is not, but its text is."""
    if not isinstance(data, dict):
        return {}
    kept = {}
    for mime in IMAGES:
        image = as_text(data.get(mime))
        if image and room.holds(image):
            kept[mime] = image
        elif image:
            kept["text/plain"] = room.take("(a picture that is too large or broken) ... cut")
    html = as_text(data.get("text/html"))
    if html and room.page.holds(html):
        kept["text/html"] = html
    text = as_text(data.get("text/plain"))
    if html and "text/html" not in kept:
        text += "\n... cut"
    if text := room.take(text):
        kept["text/plain"] = text
    return kept


def _attachments(attachments) -> dict:
    """Pictures that were pasted into a text cell; 2 MB a cell like all others."""
    room, kept = _Room(_Page()), {}
    for name, forms in (attachments or {}).items():
        forms = forms if isinstance(forms, dict) else {}
        images = {mime: as_text(forms.get(mime)) for mime in IMAGES}
        images = {mime: image for mime, image in images.items() if image and room.holds(image)}
        if images:
            kept[name] = images
    return kept
