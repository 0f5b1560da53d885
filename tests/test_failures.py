"""Submissions that break graders: each gets the grade it earned, or 0 with a reason; all go on.

One batch of nbgrader's over all of them.  The examiner is a stand-in here: it gives full points
for an exercise whose cells, as `code_for` chooses them, hold the learner's mark.
"""

import copy
import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from autograder import demo, preprocessors, steps, submission
from autograder.course import ROOT
from autograder.release import api, nbgrader_config
from helpers.grading import report as grading_report

NAME = "01_first_kernel"
WORTH = {"vector_add": 10.0, "occupancy": 5.0, "host_copy": 3.0}
FULL = sum(WORTH.values())
MARK = "# worked on by its learner"


# --- the stand-in examiner ----------------------------------------------------------------------


def fake_report(path: Path, student: str, released: dict) -> dict:
    """What the examiner writes, with full points wherever the learner's mark would run."""
    try:
        found = submission.find(path.parent, NAME, released)
        digest, status = submission.sha256(found), "graded"
        notebook, remarks = submission.restore(submission.read(found), released)
        remarks += submission.renamed(found, NAME)
        points = {name: worth * any(MARK in cell.source and cell.needed for cell in
                                    submission.code_for(notebook, released, name))
                  for name, worth in WORTH.items()}
        why = "looked at"
    except submission.Unreadable as error:
        digest = submission.sha256(path) if path.is_file() and not path.is_symlink() else None
        status, remarks, points, why = "unreadable", [str(error)], dict.fromkeys(WORTH, 0), error
    return {"format": 1, "assignment": NAME, "student": student, "sha256": digest,
            "status": status, "remarks": remarks, "finished": "2026-01-05T10:00:00", "exercises": {
                name: {"points": points[name], "max": worth, "html": f"<div>{name}: {why}</div>",
                       "text": f"{name}: {why}", "data": {"exercise": name, "criteria": []},
                       "notes": ["TO-THE-INSTRUCTOR"]} for name, worth in WORTH.items()}}


def fake_examine(self, notebook, assignment, student, path):
    released = submission.released_notebook(
        Path(self.parent.parent.coursedir.root, "notebooks", NAME, f"{NAME}.ipynb"))
    path.write_text(json.dumps(fake_report(notebook, student, released)), encoding="utf-8")


# --- what learners hand in ----------------------------------------------------------------------


def cell_of(nb, name):
    return next(c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def solved(released):
    nb = copy.deepcopy(released)
    for name in WORTH:
        cell_of(nb, name)["source"] += f"\n{MARK}"
    return nb


def code(source, **more):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [],
            "execution_count": None, "id": f"c{abs(hash(source)) % 10**9}", **more}


def split(nb):
    at = nb["cells"].index(cell_of(nb, "vector_add"))
    first, second = nb["cells"][at], copy.deepcopy(nb["cells"][at])
    head, _, tail = first["source"].rpartition("def vector_add(")
    first["source"], second["source"], second["id"] = head, f"def vector_add({tail}", "fresh"
    nb["cells"].insert(at + 1, second)


def copied(nb):
    at = nb["cells"].index(cell_of(nb, "vector_add"))
    nb["cells"].insert(at + 2, {**copy.deepcopy(nb["cells"][at]), "id": "fresh"})


def delete_checks(nb):
    nb["cells"] = [c for c in nb["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")]


def retype(nb):
    for name in ("vector_add", "occupancy-check"):
        cell = cell_of(nb, name)
        cell["cell_type"] = "markdown"
        del cell["outputs"], cell["execution_count"]


def claim_points(nb):
    cell_of(nb, "vector_add-check")["metadata"]["nbgrader"]["points"] = 999
    cell_of(nb, "host_copy")["source"] = "..."


def flip_flags(nb):
    cell_of(nb, "vector_add-check")["metadata"]["nbgrader"].update(solution=True, grade=False)


def junk(nb):
    nb["cells"].append(code("1", metadata={"nbgrader": {
        "grade": True, "solution": False, "locked": True, "grade_id": "foreign", "points": 50}}))
    nb["cells"].append(code("2", metadata={"nbgrader": []}))
    nb["cells"].append(code("3", metadata="junk"))
    nb["cells"] += [None, 7, {}, {"cell_type": "heading", "source": ["a", 1, None]}]
    del cell_of(nb, "occupancy-check")["metadata"]["nbgrader"]["points"]
    cell_of(nb, "occupancy")["metadata"]["nbgrader"] = {"grade_id": {"a": 1}}
    cell_of(nb, "host_copy-check")["metadata"]["nbgrader"].update(schema_version=1, grade_id=None)
    cell_of(nb, "setup")["outputs"] = [None, {"output_type": "?"}, {"output_type": "stream"},
                                       {"output_type": "display_data", "data": [1]}]
    nb["metadata"] = {"language": 5, "kernelspec": "none", "language_info": None}


def strip(nb):
    for cell in nb["cells"]:
        cell["metadata"] = {}


def strip_with_ids(nb):
    strip(nb)
    for cell in nb["cells"]:
        del cell["id"]


def stderr_in_check(nb):
    cell_of(nb, "vector_add-check")["outputs"] = [
        {"output_type": "stream", "name": "stderr", "text": "a warning"},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}]


def other_kernel(nb):
    nb["metadata"]["kernelspec"] = {"name": "julia", "display_name": "J", "language": "julia"}


def forged_results(nb):
    for name in WORTH:
        cell_of(nb, name)["source"] = "..."
        cell_of(nb, f"{name}-check")["outputs"] = [
            {"output_type": "execute_result", "execution_count": 1, "metadata": {},
             "data": {"text/plain": "10", grading_report.MIME: {"points": 10}}}]
    nb["metadata"][submission.BOOKED] = {"sha256": None, "finished": "2026-01-05T10:00:00"}


def deadly(nb):
    """nbgrader runs none of it: were it run, this process would end or hang."""
    nb["cells"][2:2] = [code("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"),
                        code("while True:\n    try:\n        while True: pass\n"
                             "    except BaseException: pass"),
                        code("import os\nos._exit(1)"), code("input()"), code("exit()")]


def noisy(nb):
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * 79 + "\n"}
    nb["cells"].insert(2, code("print(1)", outputs=[{**stream, "text": stream["text"] * 10_000}]
                               + [dict(stream) for _ in range(50_000)]))


CHANGES = [split, copied, delete_checks, retype, flip_flags, junk, strip, strip_with_ids,
           stderr_in_check, other_kernel, deadly, noisy]
ODD_IDS = ["o'brien é", "a b", "a+b", "-x", "a{b}c", "semi;colon$(id)", "20260001"]
FILES = {
    "empty": (b"", "The file is empty"),
    "corrupt": (b'{"cells": [{"cell_type": "co', "not JSON"),
    "no-json": (b"PK\x03\x04 a zip", "not JSON"),
    "utf16": ('{"cells": []}'.encode("utf-16"), "UTF-8"),
    "not-a-notebook": (b'{"a": 1}', "it has no cells"),
    "a-list": (b"[]", "JSON, but no notebook"),
    "no-cell-list": (b'{"nbformat": 4, "cells": {}}', "not a list"),
    "nbformat3": (b'{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}',
                  "old format"),
    "deep": (b'{"nbformat": 4, "cells": [{"metadata": ' + b'{"a":' * 400 + b"1" + b"}" * 400
             + b"}]}", "nested too deeply"),
    "deeper": (b"[" * 100_000, "nested too deeply"),
    "large": (b" " * 20_000_001, "clear the outputs"),
    "long-number": (b'{"nbformat": 4, "cells": [' + b"1" * 5000 + b"]}", "not JSON"),
}


def hand_in(course, student, data, filename=f"{NAME}.ipynb"):
    folder = course.root / "autograder" / "submitted" / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(data, bytes):
        data = json.dumps(data).encode()
    (folder / filename).write_bytes(data)
    return folder


# --- one batch ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(course):
    return submission.read(course.student(NAME))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    made = demo.fresh_course(tmp_path_factory.mktemp("course"))
    steps.release(made, [NAME])
    return made


def fill(course, released):
    for change in CHANGES:
        nb = solved(released)
        change(nb)
        hand_in(course, change.__name__, nb)
    for student in ODD_IDS:
        hand_in(course, student, solved(released))
    for student, (data, _) in FILES.items():
        hand_in(course, student, data)
    for change in (claim_points, forged_results, hostile):
        nb = solved(released)
        change(nb)
        hand_in(course, change.__name__, nb)
    hand_in(course, "untouched", released)
    hand_in(course, "renamed", solved(released), "intro (1).ipynb")
    hand_in(course, "other-notebook", {**released, "cells": [code("1")]}, "homework.ipynb")
    hand_in(course, "only-text", b"my answer", "answer.txt")
    hand_in(course, "[x]", solved(released))
    link = hand_in(course, "link", b"", "a.txt") / f"{NAME}.ipynb"
    link.symlink_to(course.root / "autograder" / "submitted" / "split" / NAME / f"{NAME}.ipynb")
    (course.root / "autograder" / "submitted" / "nothing" / NAME).mkdir(parents=True)


@contextmanager
def examining_with(examine):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preprocessors.Verdict, "examine", examine)
        yield


def autograde(course, student_id):
    """As `nbgrader autograde` without --force: what is graded already is passed over."""
    return api(nbgrader_config(course.root)).autograde(NAME, student_id, force=False)


def folders(course):
    return [course.root / "autograder" / name for name in ("submitted", "autograded", "reports")]


@pytest.fixture(scope="module")
def batch(course, released):
    fill(course, released)
    problems = submission.prepare(folders(course)[0], NAME)
    with examining_with(fake_examine):
        result = autograde(course, student_id="*")
    scores = steps.export(course, course.root / "grades.csv")
    return {"result": result, "problems": problems,
            "scores": {student: score for (student, _), score in scores.items()}}


def page(course, student):
    """All that the autograded notebook shows, as one text."""
    path = course.root / "autograder" / "autograded" / student / NAME / f"{NAME}.ipynb"
    return path.read_text(encoding="utf-8")


def test_the_batch_ends_well_and_grades_everybody(batch, course):
    assert batch["result"]["success"], batch["result"]["log"][-3000:]
    there = {path.parent.name for path in folders(course)[0].glob(f"*/{NAME}")}
    assert there - set(batch["scores"]) == {"[x]"}
    assert [line.split(" ")[0] for line in batch["problems"]] == ["[x]:", "link:"]


@pytest.mark.parametrize("student", [*(change.__name__ for change in CHANGES), *ODD_IDS, "renamed"])
def test_a_damaged_notebook_keeps_its_points(batch, student):
    assert batch["scores"][student] == FULL


@pytest.mark.parametrize("student", FILES)
def test_an_unreadable_file_is_zero_with_a_reason(batch, course, student):
    assert batch["scores"][student] == 0
    shown = json.loads(page(course, student))
    assert FILES[student][1] in "".join(shown["cells"][0]["source"])
    assert FILES[student][1] in str(cell_of(shown, "vector_add-check")["outputs"])


@pytest.mark.parametrize(("student", "says"), [
    ("nothing", "the folder is empty"), ("only-text", "there is only answer.txt"),
    ("other-notebook", "Found homework.ipynb"), ("link", "there is only a.txt")])
def test_a_missing_notebook_is_zero_with_a_reason(batch, course, student, says):
    assert batch["scores"][student] == 0
    assert says in page(course, student)


def test_claims_of_a_submission_count_for_nothing(batch):
    assert batch["scores"]["forged_results"] == 0
    assert batch["scores"]["claim_points"] == FULL - WORTH["host_copy"]
    assert batch["scores"]["untouched"] == 0


def test_repairs_are_said_to_the_learner_and_notes_are_not(batch, course):
    assert "second copy of the exercise cell vector_add" in page(course, "split")
    assert "the check of vector_add was missing: put back" in page(course, "delete_checks")
    assert "the file is called intro (1).ipynb" in page(course, "renamed")
    assert "About the file" not in page(course, "a b")
    assert "TO-THE-INSTRUCTOR" not in page(course, "a b")


def test_a_large_output_is_cut_and_the_rest_of_the_page_kept(batch, course):
    shown = page(course, "noisy")
    assert len(shown) < 400_000 and "... cut" in shown and "host_copy: looked at" in shown


def test_our_report_is_where_tools_look_for_it(batch, course):
    assert preprocessors.REPORT == grading_report.MIME
    assert set(steps.reports(course, NAME, "split")) == set(WORTH)


# --- pages --------------------------------------------------------------------------------------

LIVE = "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)></svg>"
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
         "rkJggg==")


def hostile(nb):
    def shows(data, kind="display_data", **metadata):
        return {"output_type": kind, "data": data, "metadata": metadata,
                **({"execution_count": 1} if kind == "execute_result" else {})}

    outputs = [
        shows({"text/html": LIVE}), shows({"text/html": ["<scr", "ipt>alert(1)</script>"]}),
        shows({"text/html": "<p>x</p>"}, **{"text/html": {"isolated": True}}),
        shows({"application/javascript": "alert(1)"}), shows({"image/svg+xml": LIVE}),
        shows({"text/markdown": LIVE}), shows({"text/latex": LIVE}),
        shows({"text/plain": LIVE}, kind="execute_result"),
        shows({"image/png": f'x">{LIVE}'}),
        shows({"image/png": PIXEL}, **{"image/png": {"width": "1 onload=alert(1)"}}),
        shows({"application/vnd.jupyter.widget-view+json": {"model_id": LIVE}}),
        {"output_type": "stream", "name": "stdout", "text": f"\x1b[31m{LIVE}\x1b[0m"},
        {"output_type": "error", "ename": LIVE, "evalue": LIVE, "traceback": [f"\x1b[1m{LIVE}"]},
    ]
    image = {"image/svg+xml": LIVE, "text/html": LIVE, "image/png": f'"><{LIVE}'}
    nb["cells"][1:1] = [
        code("1", outputs=outputs, metadata={"tags": [f'"><{LIVE}']}, id=f'"><{LIVE}'),
        {"cell_type": "markdown", "metadata": {}, "id": "md1", "attachments": {"a.png": image},
         "source": f"{LIVE} [x](javascript:alert(1)) ![x](attachment:a.png) `{LIVE}`"},
        {"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": LIVE,
         "id": "raw1"},
    ]
    cell_of(nb, "vector_add")["source"] += f"\n# {LIVE}"
    nb["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": LIVE}}
    nb["metadata"]["title"] = LIVE


class Live(HTMLParser):
    """What of a page a browser would run: scripts, frames, handlers, addresses that are code."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("script", "iframe", "svg", "object", "embed"):
            self.found.append(tag)
        self.found += [f"{name}={value}" for name, value in attributes if name.startswith("on") or (
            value or "").strip().lower().startswith(("javascript:", "data:text", "data:image/svg"))]


@pytest.mark.parametrize("template", ["feedback", "formgrade"])
def test_a_page_runs_nothing_of_a_learners(batch, course, template):
    pages = {student: rendered(course, student, template) for student in ("a b", "hostile")}
    assert "alert(1)" in pages["hostile"] and PIXEL in pages["hostile"]
    assert Live(LIVE).found == ["script", "onerror=alert(1)", "svg", "onload=alert(1)"]
    assert Live(pages["hostile"]).found == Live(pages["a b"]).found
    assert "vector_add: looked at" in pages["hostile"]


def rendered(course, student, template):
    """As nbgrader's feedback and formgrader draw it, with nbgrader's settings."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions import formgrader

    folder = formgrader.__path__[0]
    config = nbgrader_config(course.root)
    config.HTMLExporter.template_name = template
    config.HTMLExporter.extra_template_basedirs = [f"{folder}/templates"]
    config.HTMLExporter.extra_template_paths = [f"{folder}/static/node_modules/bootstrap/dist/css"]
    nb = nbformat.reads(page(course, student), as_version=4)
    for cell in nb.cells:
        if cell.metadata.get("nbgrader"):
            cell.metadata.nbgrader.update(score=0, points=1, comment=None)
    where = {"notebook": NAME, "score": 0, "max_score": 0, "late_penalty": 0}
    return HTMLExporter(config=config).from_notebook_node(nb, {
        "nbgrader": where, "unique_key": NAME, "submission_id": "1", "notebook_id": NAME,
        "assignment_id": NAME, "student": student, "base_url": "", "index": 0, "total": 1,
        "mathjax_url": "", "last_name": "", "first_name": ""})[0]


# --- the instructor's own troubles --------------------------------------------------------------


def test_an_examiner_that_fails_is_named_and_stops_nobody(batch, course, released):
    def fail(self, notebook, assignment, student, path):
        if student == "broken-machine":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(preprocessors, "ROOT", course.root)
                (course.root / "autograder" / "__main__.py").write_text(
                    "import sys; sys.exit('no sandbox on this machine')")
                (course.root / "autograder" / "__init__.py").touch()
                return examine(self, notebook, assignment, student, path)
        fake_examine(self, notebook, assignment, student, path)

    examine = preprocessors.Verdict.examine
    for student in ("broken-machine", "zoe"):
        hand_in(course, student, solved(released))
    with examining_with(fail):
        result = autograde(course, student_id="*")
    assert not result["success"]
    assert "the examiner failed with exit code 1:" in result["log"]
    assert "no sandbox on this machine" in result["log"]
    assert "for student 'broken-machine'" in result["log"]
    assert not (folders(course)[1] / "broken-machine" / NAME).exists()
    assert steps.export(course, course.root / "grades.csv")["zoe", NAME] == FULL


@pytest.mark.parametrize("bad", [{"points": float("nan")}, {"points": 11}, {"points": -1}])
def test_points_that_nbgrader_would_misread_are_refused(bad):
    verdict = {"points": 1.0, "max": 10.0, "html": "", "text": "", "data": {}, **bad}
    with pytest.raises(preprocessors.NotGraded):
        preprocessors._outputs(verdict, 10.0, [])


def test_an_incomplete_report_is_no_grade(batch, course, released):
    """The examiner's own fault: its zeros must not reach the gradebook."""
    def incomplete(self, notebook, assignment, student, path):
        report = fake_report(notebook, student, released) | {"status": "incomplete"}
        report["exercises"]["occupancy"]["fault"] = "the referee was killed"
        path.write_text(json.dumps(report), encoding="utf-8")

    hand_in(course, "unlucky", solved(released))
    with examining_with(incomplete):
        result = autograde(course, student_id="unlucky")
    assert not result["success"] and "occupancy: the referee was killed" in result["log"]
    with examining_with(fake_examine):
        assert autograde(course, student_id="unlucky")["success"]


def test_points_are_scaled_to_the_gradebook():
    verdict = {"points": 5.0, "max": 10.0, "html": "", "text": "", "data": {}}
    shown, booked = preprocessors._outputs(verdict, 4.0, [])
    assert booked["data"]["text/plain"] == "2.0"
    assert "counts 4 points: 2 of them" in shown["data"]["text/html"]


def test_a_report_is_booked_once_and_again_when_it_or_the_file_changes(batch, course, released):
    student = "again"
    folder = hand_in(course, student, solved(released))
    with examining_with(fake_examine):
        assert autograde(course, student_id=student)["success"]
    assert student not in submission.reopen(*folders(course), NAME, released)

    def never(self, notebook, assignment, student, path):
        raise AssertionError("there is a current report")

    report = folders(course)[2] / NAME / f"{student}.json"
    better = json.loads(report.read_text(encoding="utf-8"))
    better["finished"] = "2026-01-06T10:00:00"
    better["exercises"]["occupancy"]["points"] = 2.5
    report.write_text(json.dumps(better), encoding="utf-8")
    assert student in submission.reopen(*folders(course), NAME, released)
    with examining_with(never):
        assert autograde(course, student_id=student)["success"]
    scores = steps.export(course, course.root / "grades.csv")
    assert scores[student, NAME] == FULL - 2.5

    hand_in(course, student, released)
    assert student in submission.reopen(*folders(course), NAME, released)
    with examining_with(fake_examine):
        assert autograde(course, student_id=student)["success"]
    assert steps.export(course, course.root / "grades.csv")[student, NAME] == 0
    assert (folder / f"{NAME}.ipynb").exists()


KILLED = """
import os, sys
from pathlib import Path
from autograder import preprocessors
from autograder.release import api, nbgrader_config
def kill(*_):
    print([m for m in ("torch", "triton", "helpers") if m in sys.modules], flush=True)
    os.kill(os.getpid(), 9)
preprocessors.Verdict.examine = kill
api(nbgrader_config(Path(sys.argv[1]))).autograde(sys.argv[2], student_id=sys.argv[3])
"""


def test_a_killed_run_leaves_nothing_that_looks_graded(batch, course, released):
    hand_in(course, "killed", solved(released))
    run = subprocess.run([sys.executable, "-c", KILLED, str(course.root), NAME, "killed"],
                         cwd=ROOT, capture_output=True, timeout=60)
    assert run.returncode == -9 and (folders(course)[1] / "killed" / NAME).exists()
    assert run.stdout == b"[]\n"        # booking is quick because it imports none of these
    with examining_with(fake_examine):
        autograde(course, student_id="killed")      # nbgrader skips it: this is the trap
        assert steps.export(course, course.root / "grades.csv")["killed", NAME] == 0
        assert "killed" in submission.reopen(*folders(course), NAME, released)
        assert autograde(course, student_id="killed")["success"]
    assert steps.export(course, course.root / "grades.csv")["killed", NAME] == FULL


def test_control_c_leaves_the_rest_for_later(batch, course, released):
    def interrupt(self, notebook, assignment, student, path):
        raise KeyboardInterrupt

    hand_in(course, "interrupted", solved(released))
    with examining_with(interrupt):
        assert "KeyboardInterrupt" in autograde(course, student_id="interrupted")["error"]
    assert not (folders(course)[1] / "interrupted" / NAME).exists()
    with examining_with(fake_examine):
        assert autograde(course, student_id="interrupted")["success"]
    assert steps.export(course, course.root / "grades.csv")["interrupted", NAME] == FULL


def test_a_locked_database_is_waited_for(batch, course, released):
    hand_in(course, "patient", solved(released))
    connection = sqlite3.connect(course.root / "autograder" / "gradebook.db",
                                 check_same_thread=False, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(6, lambda: connection.execute("ROLLBACK"))   # SQLite gives up after 5
    timer.start()
    with examining_with(fake_examine):
        assert autograde(course, student_id="patient")["success"]
    timer.join()
    connection.close()
    assert steps.export(course, course.root / "grades.csv")["patient", NAME] == FULL
