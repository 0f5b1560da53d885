"""Submissions are found, read, repaired and shown, whatever was done to them."""

import copy
import json
import os
import time

import pytest

from autograder import submission
from autograder.course import ROOT
from autograder.needed import look, plain_python
from autograder.shown import keep_outputs
from autograder.submission import Unreadable, code_for, find, prepare, read, restore

NAME = "06_operator_fusion"
EXERCISES = ["sin2_cos2", "row_softmax", "residual_rms_norm"]


@pytest.fixture(scope="module")
def released():
    return read(ROOT / "notebooks" / NAME / f"{NAME}.ipynb")


@pytest.fixture
def nb(released):
    """The released notebook with something of the learner's in each exercise."""
    made = copy.deepcopy(released)
    for name in EXERCISES:
        cell_of(made, name)["source"] += f"\n# {name} solved"
    return made


def cell_of(nb, name):
    return next(c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


def at(nb, name):
    return nb["cells"].index(cell_of(nb, name))


def code(source, cell_id="fresh"):
    return {"cell_type": "code", "metadata": {}, "source": source, "id": cell_id, "outputs": [],
            "execution_count": None}


def text(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source, "id": "fresh-text"}


def roles(nb):
    return [(c["id"], c["cell_type"], c["metadata"]["nbgrader"]) for c in nb["cells"]
            if "nbgrader" in c["metadata"]]


def strip(nb, ids=True):
    for number, cell in enumerate(nb["cells"]):
        cell["metadata"] = {}
        cell["id"] = cell["id"] if ids else f"x{number}"


# --- find ---------------------------------------------------------------------------------------


def folder_with(path, **files):
    for name, data in files.items():
        target = path / name.replace("__", "/")
        target.parent.mkdir(exist_ok=True)
        target.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_the_right_name_wins(tmp_path, nb):
    folder_with(tmp_path, **{f"{NAME}.ipynb": nb, f"{NAME}-Copy1.ipynb": nb})
    assert find(tmp_path, NAME).name == f"{NAME}.ipynb"
    assert submission.renamed(tmp_path / f"{NAME}.ipynb", NAME) == []


@pytest.mark.parametrize("name", [f"{NAME} (1).ipynb", f"ada_{NAME}.ipynb", f"x__{NAME}.ipynb",
                                  f"{NAME}.IPYNB"])
def test_a_name_around_the_right_one_is_enough(tmp_path, name):
    folder_with(tmp_path, **{name: "{}", "notes.ipynb": "{}"})
    assert find(tmp_path, NAME).stem.endswith(name.split("__")[-1].rpartition(".")[0])


def test_another_name_is_taken_for_its_cells(tmp_path, nb, released):
    strip(nb)
    other = {"cells": [{**code("1"), "metadata": {"nbgrader": {"grade_id": {}}}}]}
    folder_with(tmp_path, **{"intro (1).ipynb": nb, "other.ipynb": other})
    assert find(tmp_path, NAME, released).name == "intro (1).ipynb"
    assert "intro (1).ipynb" in submission.renamed(tmp_path / "intro (1).ipynb", NAME)[0]
    with pytest.raises(Unreadable, match=r"Found intro \(1\).ipynb, other.ipynb, and none"):
        find(tmp_path, NAME)


def test_of_two_that_could_be_meant_none_is_taken(tmp_path, nb, released):
    folder_with(tmp_path, **{f"{NAME} (1).ipynb": nb, f"{NAME} (2).ipynb": nb})
    with pytest.raises(Unreadable, match="several of them could be meant"):
        find(tmp_path, NAME, released)


def test_the_notebook_of_another_assignment_is_not_taken(tmp_path, released):
    other = read(ROOT / "notebooks" / "01_first_kernel" / "01_first_kernel.ipynb")
    folder_with(tmp_path, **{"homework.ipynb": other})
    with pytest.raises(Unreadable, match="none of it looks like"):
        find(tmp_path, NAME, released)


def test_links_and_pipes_are_not_followed(tmp_path, nb, released):
    theirs, mine = folder_with(tmp_path / "bob", **{f"{NAME}.ipynb": nb}), tmp_path / "ada"
    mine.mkdir()
    (mine / "inside").symlink_to(theirs)
    with pytest.raises(Unreadable, match="No notebook was handed in"):
        find(mine, NAME, released)
    os.mkfifo(mine / f"{NAME}.ipynb")
    with pytest.raises(Unreadable, match="not a plain file"):
        find(mine, NAME, released)


def test_prepare_marks_what_nbgrader_would_pass_over(tmp_path):
    for student in ("empty", "[x]", "full", "late"):
        (tmp_path / student / NAME).mkdir(parents=True)
    (tmp_path / "full" / NAME / f"{NAME}.ipynb").touch()
    (tmp_path / "full" / NAME / "secrets.txt").symlink_to("/etc/hostname")
    problems = prepare(tmp_path, NAME)
    assert [line.split(":")[0] for line in problems] == ["[x]", "full"]
    assert {p.parent.parent.name for p in tmp_path.rglob(submission.PLACEHOLDER)} \
        == {"empty", "late"}
    with pytest.raises(Unreadable, match="the folder is empty"):
        find(tmp_path / "empty" / NAME, NAME)
    (tmp_path / "late" / NAME / f"{NAME}.ipynb").touch()
    prepare(tmp_path, NAME)
    assert {p.parent.parent.name for p in tmp_path.rglob(submission.PLACEHOLDER)} == {"empty"}
    assert not (tmp_path / "full" / NAME / "secrets.txt").is_symlink()


# --- read ---------------------------------------------------------------------------------------


def read_text(tmp_path, data):
    path = tmp_path / "x.ipynb"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return read(path)


def test_junk_is_made_harmless(tmp_path):
    made = read_text(tmp_path, {"cells": [
        None, 5, {"cell_type": "heading", "source": ["a\n", 1, "b"], "id": 7, "metadata": []},
        {"cell_type": "code", "source": "x\r\ny", "outputs": {"a": 1}, "execution_count": "3"},
        {"cell_type": "code", "source": None, "outputs": [1, {"output_type": 5}]}]})
    assert [(c["cell_type"], c["source"]) for c in made["cells"]] == [
        ("markdown", "a\nb"), ("code", "x\ny"), ("code", "")]
    assert made["cells"][1]["outputs"] == [] and made["cells"][1]["execution_count"] is None
    assert all(isinstance(c["metadata"], dict) for c in made["cells"])
    restored, _ = restore(made, read(ROOT / "notebooks" / NAME / f"{NAME}.ipynb"))
    keep_outputs(restored)
    json.dumps(restored)


def test_what_no_file_can_hold_is_replaced(tmp_path):
    made = read_text(tmp_path, b'{"cells": [{"cell_type": "code", "source": "a\\ud800"}], "metadata'
                               b'": {"x": NaN}}')
    assert made["cells"][0]["source"] == "a?" and made["metadata"] == {"x": None}


@pytest.mark.parametrize(("data", "says"), [
    ({"nbformat": 5, "cells": []}, "format 5"), ({"nbformat": [], "cells": []}, "format"),
    ({"worksheets": []}, "old format"), ({"nbformat": 4, "cells": [{}] * 2001}, "2001 cells"),
    (b"\xff\xfe", "UTF-8"), (b" \n", "empty"), (b'{"cells": [', "not JSON")])
def test_what_cannot_be_read_says_why(tmp_path, data, says):
    with pytest.raises(Unreadable, match=says):
        read_text(tmp_path, data)


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    assert read_text(tmp_path, b'\xef\xbb\xbf{"cells": []}')["cells"] == []


# --- restore ------------------------------------------------------------------------------------


def test_an_undamaged_notebook_stays_as_it_is(nb, released):
    restored, remarks = restore(nb, released)
    assert restored == nb and remarks == []


def test_restoring_twice_changes_nothing(nb, released):
    del nb["cells"][at(nb, "row_softmax-check")]
    nb["cells"].insert(3, {**copy.deepcopy(cell_of(nb, "sin2_cos2")), "id": "fresh"})
    once, _ = restore(nb, released)
    assert restore(once, released) == (once, [])


@pytest.mark.parametrize("ids", [True, False])
def test_lost_metadata_comes_back(nb, released, ids):
    strip(nb, ids)
    restored, remarks = restore(nb, released)
    assert roles(restored) == roles(released)
    assert all("solved" in cell_of(restored, name)["source"] for name in EXERCISES)
    assert len(restored["cells"]) == len(released["cells"]) and len(remarks) == 1


def test_a_rewritten_exercise_is_known_by_its_function(nb, released):
    strip(nb, ids=False)
    place = next(i for i, c in enumerate(nb["cells"]) if "row_softmax solved" in c["source"])
    nb["cells"][place]["source"] = "def row_softmax(out, x):\n    pass  # from scratch"
    nb["cells"].insert(place, code("print(1)"))
    restored, _ = restore(nb, released)
    assert "from scratch" in cell_of(restored, "row_softmax")["source"]


def test_an_exercise_without_its_function_is_known_by_likeness(nb, released):
    strip(nb, ids=False)
    place = next(i for i, c in enumerate(nb["cells"]) if "row_softmax solved" in c["source"])
    nb["cells"][place]["source"] = nb["cells"][place]["source"].replace("row_softmax", "mine")
    nb["cells"].insert(place, code("print(1)"))
    restored, _ = restore(nb, released)
    assert "mine solved" in cell_of(restored, "row_softmax")["source"]


def test_a_written_answer_is_known_by_its_place(released):
    """It resembles the released text in nothing, and without metadata it would score 0 unseen."""
    question = text("Why?")
    answer = {**text("YOUR ANSWER HERE"), "id": "why", "metadata": {"nbgrader": {
        "grade": True, "solution": True, "locked": False, "grade_id": "why", "points": 2}}}
    small = {"metadata": {}, "cells": [question, answer, {**text("Next."), "id": "next"}]}
    handed_in = {"metadata": {}, "cells": [question, {**text("Because of bytes."), "id": "n"},
                                           {**text("Next."), "id": "next"}]}
    restored, _ = restore(handed_in, small)
    assert cell_of(restored, "why")["source"] == "Because of bytes."
    assert len(restored["cells"]) == 3


def test_of_two_copies_the_worked_on_one_is_the_exercise(nb, released):
    place = at(nb, "row_softmax")
    nb["cells"].insert(place, {**copy.deepcopy(nb["cells"][place]), "id": "fresh"})
    nb["cells"][place + 1]["source"] = cell_of(released, "row_softmax")["source"]
    restored, remarks = restore(nb, released)
    assert "row_softmax solved" in cell_of(restored, "row_softmax")["source"]
    assert remarks == ["there was a second copy of the exercise cell row_softmax: it stays, as a "
                       "cell of your own"]
    assert len({c["id"] for c in restored["cells"]}) == len(restored["cells"])


def test_missing_cells_come_back_in_their_place(nb, released):
    nb["cells"] = [c for c in nb["cells"] if not c["metadata"].get("nbgrader")]
    restored, remarks = restore(nb, released)
    assert [c["id"] for c in restored["cells"]] == [c["id"] for c in released["cells"]]
    assert "the check of row_softmax was missing: put back" in remarks
    assert "no exercise" in remarks[0]


def test_a_check_comes_back_below_the_learners_own_cells(nb, released):
    place = at(nb, "sin2_cos2-check")
    nb["cells"][place] = code("def helper(): pass")
    restored, _ = restore(nb, released)
    assert at(restored, "sin2_cos2-check") == place + 1


def test_types_texts_and_marks_are_put_right(nb, released):
    cell_of(nb, "sin2_cos2")["cell_type"] = "raw"
    cell_of(nb, "sin2_cos2-check")["source"] = "check(sin2_cos2); 1"
    cell_of(nb, "row_softmax-check")["metadata"]["nbgrader"] = {
        "grade_id": "row_softmax-check", "points": 999, "solution": True}
    nb["cells"].append({**code("1"), "metadata": {"nbgrader": {
        "grade_id": "foreign", "grade": True, "points": 5}}})
    restored, remarks = restore(nb, released)
    assert roles(restored) == roles(released)
    assert cell_of(restored, "sin2_cos2-check")["source"] == "check(sin2_cos2)"
    assert [r for r in remarks if "raw cell" in r] and [r for r in remarks if "'foreign'" in r]


def test_what_was_added_to_the_setup_cell_is_kept_below_it(nb, released):
    cell_of(nb, "setup")["source"] += "\nimport math"
    restored, _ = restore(nb, released)
    place = at(restored, "setup")
    assert restored["cells"][place] == cell_of(released, "setup")
    assert restored["cells"][place + 1]["source"].endswith("import math")


def test_an_id_of_the_release_belongs_to_its_cell(nb, released):
    nb["cells"].insert(0, code("1", "row_softmax"))
    restored, _ = restore(nb, released)
    assert roles(restored) == roles(released) and restored["cells"][0]["id"] == "own-1"


def test_remarks_are_few(nb, released):
    nb["cells"] += [{**code(str(n)), "metadata": {"nbgrader": {"grade": True, "grade_id": f"g{n}"}}}
                    for n in range(500)]
    _, remarks = restore(nb, released)
    assert len(remarks) == 21 and remarks[-1] == "and 480 more repairs"


@pytest.mark.timeout(60)
def test_a_hostile_notebook_costs_seconds_at_most(released):
    """Texts made to look alike, as many as are let in, and nested as deeply as they may be."""
    words = cell_of(released, "row_softmax")["source"].split()
    cells = [code(" ".join(words[i % 50:] + words[:i % 50][::-1]), f"c{i}") for i in range(1900)]
    cells += [code("-" * 40_000 + "1"), code("(" * 190 + "1" + ")" * 190), code("x\0y"),
              code("a." * 20_000 + "b = 1"), code("[" * 40_000), code("!x\n" * 15_000),
              code("x = " + "9" * 49_000)]
    start = time.monotonic()
    restored, _ = restore({"metadata": {}, "cells": cells}, released)
    for name in EXERCISES:
        code_for(restored, released, name)
    assert time.monotonic() - start < 20


# --- code_for -----------------------------------------------------------------------------------


def chosen(nb, released, exercise="row_softmax"):
    restored, _ = restore(nb, released)
    return code_for(restored, released, exercise)


def test_setup_and_exercise_are_enough_for_a_plain_answer(nb, released):
    for exercise in EXERCISES:
        cells = chosen(nb, released, exercise)
        assert [(c.label, c.needed) for c in cells] == [("cell 2", True), ("exercise cell", True)]
        assert f"{exercise} solved" in cells[-1].source


def sources(cells, needed=None):
    return [c.source for c in cells[1:] if c.label != "exercise cell" and needed in (
        None, c.needed)]


def test_own_cells_run_and_matter_if_something_comes_from_them(nb, released):
    cell_of(nb, "row_softmax")["source"] += "\n    helper(BLOCK_SIZE)"
    nb["cells"].insert(3, code("BLOCK_SIZE = 128", "a"))
    nb["cells"].insert(4, code("import math as m\ndef helper(n): return m.sqrt(deep(n))", "b"))
    nb["cells"].insert(5, code("def deep(n): return n", "c"))
    nb["cells"].insert(6, code("print(undefined)", "d"))
    nb["cells"].insert(at(nb, "row_softmax-check"), code("BLOCK_SIZE += 1", "e"))
    nb["cells"].append(code("BLOCK_SIZE = 'too late'", "f"))
    cells = chosen(nb, released)
    assert sources(cells, needed=False) == ["print(undefined)"]
    assert [s[:9] for s in sources(cells, needed=True)] == [
        "BLOCK_SIZ", "import ma", "def deep(", "BLOCK_SIZ"]


def test_released_cells_run_only_for_a_name(nb, released):
    cell_of(nb, "row_softmax")["source"] += "\nprint(rms_norm_kernel, inf)"
    texts = sources(chosen(nb, released))
    assert [t for t in texts if t.startswith("inf = ")] and len(texts) == 1   # the other is below
    cell_of(nb, "residual_rms_norm")["source"] += "\nrow_softmax, rms_norm_kernel"
    texts = sources(chosen(nb, released, "residual_rms_norm"), needed=True)
    assert any("row_softmax solved" in t for t in texts)
    assert any("import rms_norm_kernel" in t for t in texts)


def test_names_of_the_setup_cell_are_taken_from_there(nb, released):
    extra = code("torch = slow_experiment()", "plain")
    course, mine = copy.deepcopy(released), copy.deepcopy(nb)
    for notebook in (course, mine):
        notebook["cells"].insert(5, copy.deepcopy(extra))
    assert sources(chosen(mine, course)) == []


def test_what_a_star_brings_may_be_what_is_needed(nb, released):
    nb["cells"].insert(3, code("from math import *"))
    assert sources(chosen(nb, released), needed=True) == ["from math import *"]


def test_the_second_half_of_a_split_cell_runs(nb, released):
    place = at(nb, "row_softmax")
    whole = nb["cells"][place]["source"]
    head, _, tail = whole.rpartition("def row_softmax(")
    second = {**copy.deepcopy(nb["cells"][place]), "id": "fresh"}
    second["source"] = f"def row_softmax({tail}"
    nb["cells"][place]["source"] = head
    nb["cells"].insert(place + 1, second)
    cells = chosen(nb, released)
    assert [c.needed for c in cells] == [True, True, True]
    assert "".join(c.source for c in cells[1:]) == whole


def test_a_copy_that_was_never_worked_on_does_not_undo_the_answer(nb, released):
    nb["cells"].insert(at(nb, "row_softmax-check"),
                       code(cell_of(released, "row_softmax")["source"]))
    assert len(chosen(nb, released)) == 2


def test_setup_runs_first_wherever_it_was_moved(nb, released):
    nb["cells"].append(nb["cells"].pop(at(nb, "setup")))
    assert [c.source[:20] for c in chosen(nb, released)][0] == "from helpers import "


def test_an_exercise_that_is_no_python_is_still_returned(nb, released):
    cell_of(nb, "row_softmax")["source"] = "def row_softmax(:"
    assert chosen(nb, released)[-1].source == "def row_softmax(:"


@pytest.mark.parametrize(("source", "defined", "free"), [
    ("import a.b, c as d\nfrom e import f", "a d f", ""),
    ("for i in range(n):\n    with open(p) as f: pass", "i f", "range n open p"),
    ("def f(x=y):\n    z = x\n    return z + w", "f", "y w"),
    ("x = x + 1", "x", "x"), ("x += 1", "x", "x"), ("a.b[0].c = 1", "a", "a"),
    ("@d\nclass C(B):\n    k = 1\n    def m(self): return k2", "C", "d B k2"),
    ("if (n := 3): y = [i for i in z]", "n y", "z"),
    ("def f():\n    global g\n    g = 1", "f g", ""), ("f = lambda: h\nh = 1", "f h", ""),
    ("from m import *", "*", ""), ("def (", "", "")])
def test_names(source, defined, free):
    names = look(source)
    assert (names.defined, names.free) == (set(defined.split()), set(free.split()))


@pytest.mark.parametrize(("source", "becomes"), [
    ("x = (a\n% b)", "x = (a\n% b)"), ("%time\nx = 1", "pass  # %time\nx = 1"),
    ("if x:\n    !ls\ny?", "if x:\n    pass  # !ls\npass  # y?"),
    ("%time\nx = (a\n% b, '(')\n!ls", "pass  # %time\nx = (a\n% b, '(')\npass  # !ls"),
    ("%%time\nx = 1", "pass  # %%time\nx = 1"), ("%%bash\nls -l", "# %%bash\n# ls -l"),
    ("def (", "def (")])
def test_ipython_lines_become_comments(source, becomes):
    assert plain_python(source) == becomes


# --- keep_outputs -------------------------------------------------------------------------------


def shown(*outputs, **more):
    cell = {**code("1"), "outputs": list(outputs), **more}
    keep_outputs({"metadata": {"widgets": {}}, "cells": [cell]})
    return cell["outputs"]


def display(**data):
    return {"output_type": "display_data", "metadata": {"width": "1 onload=x"}, "data": {
        key.replace("__", "/").replace("_xml", "+xml"): value for key, value in data.items()}}


def test_only_what_can_be_looked_at_is_kept():
    kept = shown(display(text__plain="a", application__javascript="b", image__svg_xml="c",
                         text__latex="d", text__markdown="e", text__html="<p>f</p>"),
                 display(image__png="iVBO\nRw0=", image__jpeg='x" onerror="y'),
                 {"output_type": "update_display_data"}, display(application__javascript="b"))
    assert [o["data"] for o in kept] == [
        {"text/html": "<p>f</p>", "text/plain": "a"},
        {"image/png": "iVBO\nRw0=",
         "text/plain": "(a picture that is too large or broken) ... cut"}]
    assert all(o["metadata"] == {} for o in kept)


def test_graded_cells_show_nothing_of_the_learners():
    assert shown(display(text__plain="10"), metadata={"nbgrader": {"grade": True}}) == []


def test_outputs_are_cut_and_say_so():
    stream = {"output_type": "stream", "name": "x", "text": ["y" * 60_000]}
    kept = shown(stream, stream, stream, display(text__html="z" * 30_000, text__plain="w"))
    assert sum(len(o.get("text", "")) for o in kept) == 100_000 + len("\n... cut")
    assert kept[1]["text"].endswith("... cut") and len(kept) == 2
    assert shown(display(image__png="A" * 2_000_001))[0]["data"].keys() == {"text/plain"}
    assert shown(display(text__html="z" * 30_000, text__plain="w"))[0]["data"] == {
        "text/plain": "w\n... cut"}


def test_errors_keep_their_form_whatever_they_hold():
    kept = shown({"output_type": "error", "ename": ["A"], "evalue": 3, "traceback": ["x", 5]})
    assert kept == [{"output_type": "error", "ename": "A", "evalue": "", "traceback": ["x"]}]


def test_attachments_are_pictures_only():
    cell = {**text("x"), "attachments": {"a": {"image/png": "iVBO", "text/html": "<b>"},
                                         "b": {"image/svg+xml": "<svg>"}, "c": 5}}
    keep_outputs({"metadata": {}, "cells": [cell]})
    assert cell["attachments"] == {"a": {"image/png": "iVBO"}}


def test_long_text_cells_are_cut():
    nb = {"metadata": {}, "cells": [text("<div>" * 10_000) for _ in range(40)]}
    keep_outputs(nb)
    assert nb["cells"][0]["source"].endswith("... cut")
    assert sum(len(c["source"]) for c in nb["cells"]) < 510_000


@pytest.mark.parametrize("text", ["x = 1  # " + "a" * 49_000, "x = 1  # " + "\U0001f600" * 12_000])
def test_too_much_code_is_unreadable_and_what_is_allowed_fits_a_message(tmp_path, text):
    from autograder.channel import LONGEST

    path = tmp_path / "many.ipynb"
    cell = {"cell_type": "code", "source": text, "metadata": {}, "outputs": []}
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell] * 30}))
    with pytest.raises(submission.Unreadable, match="more than 1 MB of text"):
        submission.read(path)
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell] * 20}))
    assert len(json.dumps(submission.read(path))) < LONGEST
