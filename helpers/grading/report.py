"""The verdict on one exercise: points as a number, reasons as a short table."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, field

MIME = "application/vnd.gpu-course.report+json"

PASSED, PARTIAL, FAILED, NOT_MEASURED, NOT_TRIED = (
    "passed", "partial", "failed", "not measured", "not tried")
_CELL = "text-align:left;vertical-align:top;padding:0.2em 1em 0.2em 0"
_COLOURS = {PASSED: "#1a7f37", PARTIAL: "#9a6700", FAILED: "#cf222e"}


@dataclass
class Criterion:
    """One criterion's verdict; `lines` say why, in the learner's terms."""

    name: str
    points: float
    max: float
    status: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Result:
    """What `check` returns.  Its repr is the points as a bare number: nbgrader reads that."""

    exercise: str
    criteria: list[Criterion] = field(default_factory=list)
    mistake: str | None = None
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def points(self) -> float:
        """Points of all criteria together."""
        return sum(criterion.points for criterion in self.criteria)

    @property
    def max(self) -> float:
        """Points that a full answer earns."""
        return sum(criterion.max for criterion in self.criteria)

    def __repr__(self) -> str:
        return f"{self.points:g}"

    def __float__(self) -> float:
        return float(self.points)

    def text(self) -> str:
        """The report as plain text, for a terminal."""
        head = "    ".join(
            f"{c.name} {c.points:g}/{c.max:g}" + (f" ({c.status})" if c.status in (
                NOT_MEASURED, NOT_TRIED) else "") for c in self.criteria)
        lines = [f"{self.exercise}      {head}"]
        for criterion in self.criteria:
            lines += [f"  {line}" for line in criterion.lines]
        return "\n".join(lines)

    def data(self) -> dict:
        """The report as plain data, for tools."""
        return {**asdict(self), "points": self.points, "max": self.max}

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": repr(self), "text/html": self.html(), MIME: self.data()}

    def html(self) -> str:
        """The report as a table, for a notebook."""
        rows = []
        for c in self.criteria:
            colour = _COLOURS.get(c.status, "inherit")
            why = "<br>".join(html.escape(line).replace("  ", "&nbsp; ") for line in c.lines)
            rows.append(
                "<tr style='background:none'>"
                f"<td style='{_CELL}'>{html.escape(c.name)}</td>"
                f"<td style='{_CELL};white-space:nowrap'>{c.points:g} of {c.max:g}</td>"
                f"<td style='{_CELL};white-space:nowrap;color:{colour}'>"
                f"<b>{html.escape(c.status)}</b></td>"
                f"<td style='{_CELL}'>{why}</td></tr>")
        where = f" on {html.escape(self.device)}" if self.device else ""
        return (f"<div><b>{html.escape(self.exercise)}</b>: {self.points:g} of {self.max:g} "
                f"points{where}"
                f"<table style='margin:0.4em 0'>{''.join(rows)}</table></div>")
