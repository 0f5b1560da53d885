"""What nbgrader does between a submitted notebook and a grade: read, repair, book the verdict.

No learner's code runs here, and neither torch nor the exercises are imported: a report that is
there already is booked in a fraction of a second.
"""

from __future__ import annotations

import html
import json
import math
import os
import subprocess
import sys
from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbformat import from_dict
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Integer, Unicode

from autograder import submission
from autograder.course import ROOT
from autograder.shown import keep_outputs
from autograder.steps import REPORT


class NotGraded(Exception):
    """A submission that could not be graded through no fault of the learner's."""


def right_name(assignment, student, notebooks) -> None:
    """nbgrader's pre_convert_hook: grade a folder whose notebook has another name, or is none.

    nbgrader passes over files that it does not know by name.  So it is told the right name, and
    `Reader` looks for what is really there.
    """
    wanted = os.path.join(os.path.dirname(notebooks[0]), f"{assignment}.ipynb")
    if wanted not in notebooks:
        notebooks[:] = [wanted]


class Reader(NotebookExporter):
    """Reads what nbformat cannot, and repairs it; for a hopeless file comes the release instead.

    nbgrader reads twice: the submission, then what it wrote of it.  The second time nothing is
    left to repair.
    """

    def from_filename(self, filename, resources=None, **kw):
        path, released = Path(filename), _released(self, resources)
        try:
            handed_in = submission.read(submission.find(path.parent, path.stem, released))
        except submission.Unreadable as error:
            notebook, remarks = released, [str(error)]
            notebook["cells"].insert(0, {
                "cell_type": "markdown", "id": "not-readable", "metadata": {}, "source":
                f"**This submission could not be graded.** {html.escape(str(error))}\n\n"
                "*Below is the notebook as it was released.*"})
        else:
            notebook, remarks = submission.restore(handed_in, released)
        for remark in remarks:
            self.log.info("%s: %s", resources["nbgrader"]["student"], remark)
        keep_outputs(notebook)
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return self.from_notebook_node(from_dict(notebook), resources=resources, **kw)


class Verdict(NbGraderPreprocessor):
    """Puts the examiner's verdict in place of what the graded cells printed."""

    reports = Unicode("autograder/reports", help="Folder of the reports, in the course's root."
                      ).tag(config=True)
    timeout = Integer(1800, help="Seconds for the examination of one submission.").tag(config=True)
    require_sandbox = Bool(False, help="Refuse to examine without a sandbox.").tag(config=True)

    def preprocess(self, nb, resources):
        report = self.report(resources)
        cells = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in nb.cells
                 if cell.metadata.get("nbgrader", {}).get("grade_id")}
        remarks = report["remarks"]
        for name, points in self.graded_cells(resources["nbgrader"]).items():
            exercise = name.removesuffix("-check")
            if exercise not in report["exercises"]:
                raise NotGraded(f"the report says nothing about {exercise}, which the gradebook "
                                "has: build and release again, then examine again")
            if name not in cells:
                raise NotGraded(f"the released notebook has no cell {name}, but the gradebook has: "
                                "build and release again")
            cells[name].outputs = _outputs(report["exercises"][exercise], points, remarks)
            remarks = []
        if report["status"] == "graded":        # else `Reader` has put the reason on top
            nb.cells.insert(0, _overview(report))
        nb.metadata[submission.BOOKED] = {key: report[key] for key in ("sha256", "finished")}
        return nb, resources

    def graded_cells(self, where: dict) -> dict[str, float]:
        """Points of each automatically graded cell: the gradebook's list, not the submission's."""
        with Gradebook(where["db_url"]) as gradebook:
            notebook = gradebook.find_notebook(where["notebook"], where["assignment"])
            manual = {cell.name for cell in notebook.solution_cells}
            return {cell.name: cell.max_score for cell in notebook.grade_cells
                    if cell.name not in manual}

    def report(self, resources) -> dict:
        """The report on exactly these bytes: from the batch, or made now."""
        where, course = resources["nbgrader"], self.parent.parent.coursedir
        assignment, student = where["assignment"], where["student"]
        path = Path(course.root, self.reports, assignment, f"{student}.json")
        folder = Path(course.format_path(course.submitted_directory, student, assignment))
        try:
            notebook = submission.find(folder, assignment, _released(self.parent, resources))
        except submission.Unreadable:
            notebook, digest = folder / f"{assignment}.ipynb", None
        else:
            digest = submission.sha256(notebook)
        report = _current(path, assignment, student, digest)
        if report is None or report["status"] == "incomplete":
            path.parent.mkdir(parents=True, exist_ok=True)
            self.examine(notebook, assignment, student, path)
            report = _current(path, assignment, student, digest)
        if report is None:
            raise NotGraded(f"the examiner left no report on this submission at {path}")
        if report["status"] == "incomplete":
            faults = [f"{name}: {verdict['fault']}" for name, verdict in
                      report["exercises"].items() if verdict.get("fault")]
            raise NotGraded("the examination is incomplete:\n" + "\n".join(faults))
        return report

    def examine(self, notebook: Path, assignment: str, student: str, path: Path) -> None:
        command = [sys.executable, "-m", "autograder", "examine", str(notebook),
                   f"--assignment={assignment}", f"--student={student}",
                   f"--report={path}", f"--course={self.parent.parent.coursedir.root}"]
        if self.require_sandbox:
            command.append("--require-sandbox")
        try:
            run = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 errors="replace", timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise NotGraded(f"the examiner took more than {self.timeout} s") from None
        if run.returncode:
            last = "\n".join(run.stderr.strip().splitlines()[-15:])
            raise NotGraded(f"the examiner failed with exit code {run.returncode}:\n{last}")


def _overview(report: dict):
    """The first thing that a learner reads: every exercise in one line."""
    rows = []
    for name, verdict in report["exercises"].items():
        missed = [criterion for criterion in verdict["data"].get("criteria", ())
                  if criterion["points"] < criterion["max"]]
        why = next((line for criterion in missed for line in criterion["lines"]), "")
        rows.append(f"<tr><td><a href='#{name}-check'>{name}</a></td>"
                    f"<td>{verdict['points']:g} of {verdict['max']:g}</td>"
                    f"<td>{html.escape(why)}</td></tr>")
    points, most = (sum(verdict[key] for verdict in report["exercises"].values())
                    for key in ("points", "max"))
    # HTML, not Markdown: a learner's text is in it.
    table = f"<table><tr><th>{points:g} of {most:g} points</th><th></th><th></th></tr>"
    return from_dict({"cell_type": "markdown", "id": "overview", "metadata": {},
                      "source": f"{table}{''.join(rows)}</table>"})


def _released(exporter, resources) -> dict:
    where, course = resources["nbgrader"], exporter.parent.coursedir
    folder = course.format_path(course.release_directory, ".", where["assignment"])
    return submission.released_notebook(Path(folder, f"{where['notebook']}.ipynb"))


def _current(path: Path, assignment: str, student: str, digest: str | None) -> dict | None:
    """The report at `path` if it is on these bytes of this learner, else None."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:                  # not ours, or of a crash: make it again
        return None
    wanted = {"format": 1, "assignment": assignment, "student": student, "sha256": digest}
    same = isinstance(report, dict) and all(report.get(k) == v for k, v in wanted.items())
    return report if same else None


def _outputs(verdict: dict, worth: float, remarks: list[str]) -> list:
    """Report and points as outputs that nbgrader shows and reads.

    nbgrader takes the first result that is a plain number; nan, text or more than the maximum it
    would turn into full points or an error.
    """
    points, out_of = float(verdict["points"]), float(verdict["max"])
    if not (math.isfinite(points) and 0 <= points <= out_of):
        raise NotGraded(f"the report gives {points:g} of {out_of:g} points")
    page, text = verdict["html"], verdict["text"]
    booked = points
    if worth != out_of:
        booked = points * worth / out_of if out_of else 0.0
        note = f"In the gradebook this exercise counts {worth:g} points: {booked:g} of them."
        page, text = f"{page}<p>{note}</p>", f"{text}\n{note}"
    if remarks:
        items = "".join(f"<li>{html.escape(remark)}</li>" for remark in remarks)
        page = f"<p>About the file:</p><ul>{items}</ul>{page}"
        text = "\n".join(["About the file:", *(f"- {r}" for r in remarks), text])
    data = {"text/html": page, "text/plain": text, REPORT: verdict["data"]}
    booked = repr(min(booked, float(worth)))
    return [from_dict(output) for output in (
        {"output_type": "display_data", "data": data, "metadata": {}},
        {"output_type": "execute_result", "data": {"text/plain": booked}, "metadata": {},
         "execution_count": None})]
