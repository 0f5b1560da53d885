"""The build: deterministic, complete, without solution text, and careful with learners' work."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import build, verify
from autograder.course import ROOT, BuildError, Course, this_course
from autograder.kernels import solution_regions, without_solution

NAME = "01_tiny"
POINTS = {"double": 7, "half": 1.5}


@pytest.fixture
def tiny(tmp_path):
    """A course of one small notebook, in a folder of its own."""
    shutil.copytree(Path(__file__).parent / "fixtures" / "course", tmp_path, dirs_exist_ok=True)
    return Course(tmp_path, POINTS, {NAME: ["double", "half"]})


@pytest.fixture(scope="module")
def course():
    return this_course()


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def student(course, name=NAME):
    return json.loads(course.student(name).read_text())


def source_of(nb, cell_id):
    return next("".join(c["source"]) for c in nb["cells"] if c["id"] == cell_id)


def is_subsequence(few, many):
    rest = iter(many)
    return all(line in rest for line in few)


# --- what is built ---------------------------------------------------------------------------


def test_two_builds_are_byte_identical(tiny, tmp_path):
    build.build(tiny, [NAME])
    first = tiny.student(NAME).read_bytes(), (tiny.source / NAME / f"{NAME}.ipynb").read_bytes()
    shutil.rmtree(tiny.release)
    shutil.rmtree(tiny.source)
    build.build(tiny, [NAME])
    second = tiny.student(NAME).read_bytes(), (tiny.source / NAME / f"{NAME}.ipynb").read_bytes()
    assert first == second


def test_cells_points_and_topics(tiny):
    build.build(tiny, [NAME])
    nb = student(tiny)
    graded = {cell["id"]: cell["metadata"]["nbgrader"]
              for cell in nb["cells"] if "nbgrader" in cell["metadata"]}
    assert list(graded) == ["setup", "rules", "double", "double-check", "half", "half-check", "why"]
    assert graded["double-check"]["points"] == 7 and graded["half-check"]["points"] == 1.5
    assert all(meta["grade_id"] == cell_id for cell_id, meta in graded.items())
    assert nb["cells"][0]["metadata"] == {"topics": "1 2"}
    ids = [c["id"] for c in nb["cells"]]
    assert len(set(ids)) == len(ids), "two equal cells must have two ids"
    assert set(nb["metadata"]) == {"kernelspec", "language_info"}
    assert nb["metadata"]["language_info"] == {"name": "python"}


def test_a_new_cell_changes_no_other_id(tiny):
    build.build(tiny, [NAME])
    before = [c["id"] for c in student(tiny)["cells"]]
    edit(tiny.text(NAME), "# %% locked", "# %% [markdown]\n# A new paragraph.\n\n# %% locked")
    build.build(tiny, [NAME])
    after = [c["id"] for c in student(tiny)["cells"]]
    assert len(after) == len(before) + 1 and set(before) < set(after)


def test_metadata_satisfy_nbgrader(tiny):
    from nbformat import read
    from nbgrader.nbgraderformat import MetadataValidator

    build.build(tiny, [NAME])
    for path in (tiny.student(NAME), tiny.source / NAME / f"{NAME}.ipynb"):
        MetadataValidator().validate_nb(read(path, as_version=4))


def test_a_failed_build_leaves_everything_as_it_was(tiny):
    build.build(tiny, [NAME])
    before = tiny.student(NAME).read_bytes()
    edit(tiny.kernels / "double.py", "    ### END SOLUTION\n", "")
    with pytest.raises(BuildError, match="END SOLUTION"):
        build.build(tiny, [NAME])
    assert tiny.student(NAME).read_bytes() == before
    assert not list((tiny.root / "autograder").glob(".scratch*"))


# --- what is refused, and in which words -----------------------------------------------------

REFUSED = [
    ('exercise="half"', 'exersize="half"', "unknown cell option 'exersize'; known: exercise"),
    ('exercise="half"', 'exercise="halve"', "no exercise 'halve' in helpers/exercises"),
    ('check="half"', 'check="double"', r"must be check\(double\)"),
    ("check(half)", "check(half, 3)", r"must be check\(half\)"),
    ('# %% check="half"\ncheck(half)\n', "", "exercise 'half' has no check cell"),
    ('# %% exercise="half"\nfrom helpers.kernels.half import half\n', "", "comes before its ex"),
    ('locked="rules"', 'locked="half"', "'half' is used by 2 cells"),
    ('locked="rules"', 'locked="the rules"', "use 1 to 58 letters, digits"),
    ('locked="rules"', 'locked="rules" check="half"', "is one of check or locked, not both"),
    ("kernels.half import half", "kernels.half import halve", "must bring half"),
    ("kernels.half import half", "kernels.half import half, third", "defines no third"),
    ("kernels.half import half", "kernels.double import double", "is one line: from helpers"),
    ("import half\n", "import half\nprint(1)\n", "is one line: from helpers.kernels.half import"),
    ("import half\n", "import half  # or not\n", "is one line: from helpers.kernels.half import"),
    ("import triton\n", "", "helpers/kernels/double.py needs triton, which no earlier cell"),
    ('topics="1 2"', 'topics="0"', "numbers from 1 to 138"),
    ('topics="1 2"', 'topics="139"', "numbers from 1 to 138"),
    ('topics="1 2"', 'topics="1,2"', "numbers from 1 to 138"),
    ('check="half"', 'check="half" points=3', "points stand on written cells only"),
    (' points=2', "", "points stand on written cells only"),
    ("points=2", 'points="two"', "'two' is not a number"),
    ("print(torch", "### BEGIN SOLUTION\nprint(torch", "solution text belongs in helpers/kernels"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_refused_text_source(tiny, old, new, message):
    edit(tiny.text(NAME), old, new)
    with pytest.raises(BuildError, match=message) as caught:
        build.build(tiny, [NAME])
    assert f"solutions/{NAME}.py" in str(caught.value)
    assert not tiny.release.exists()


REFUSED_KERNELS = [
    ("    ### END SOLUTION\n", "", "no ### END SOLUTION"),
    ("    ### BEGIN SOLUTION\n", "", "### END SOLUTION without its partner"),
    ("### BEGIN SOLUTION", "# BEGIN SOLUTION", "write the marks as"),
    ("    doubled =", "    ### BEGIN SOLUTION\n    doubled =", "without its partner"),
    ("    inside = offsets", "    inside == = offsets", "does not compile: invalid syntax"),
    ("import triton.language as tl", "import triton.language as tl\nimport math", "needs math"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED_KERNELS)
def test_refused_kernel_file(tiny, old, new, message):
    edit(tiny.kernels / "double.py", old, new)
    with pytest.raises(BuildError, match=message):
        build.build(tiny, [NAME])


def test_missing_files_and_wrong_order(tiny):
    with pytest.raises(BuildError, match="no notebook 02_other; there are 01_tiny"):
        tiny.choose(["notebooks/02_other/02_other.ipynb"])
    other = Course(tiny.root, POINTS, {NAME: ["half", "double"]})
    with pytest.raises(BuildError, match="the registry says"):
        build.build(other, [NAME])
    (tiny.kernels / "half.py").unlink()
    with pytest.raises(BuildError, match="helpers/kernels/half.py is missing"):
        build.build(tiny, [NAME])
    tiny.text(NAME).unlink()
    with pytest.raises(BuildError, match="solutions/01_tiny.py is missing"):
        build.build(tiny, [NAME])


# --- learners' work --------------------------------------------------------------------------


def change_cell(course, index, **values):
    nb = student(course)
    nb["cells"][index].update(values)
    course.student(NAME).write_text(json.dumps(nb))


@pytest.mark.parametrize(
    ("index", "values", "why"),
    [
        (1, {"outputs": [{"output_type": "stream", "name": "stdout", "text": "1"}]}, "outputs"),
        (1, {"execution_count": 3}, "outputs of a run"),
        (4, {"source": "def double(out, x): ..."}, "cell 5 was edited: 'def double"),
        (3, {"source": "print(2)"}, "cell 4 was edited: 'print"),
        (0, {"source": "# My notes"}, "cell 1 was edited"),
        (3, {"id": "fresh-cell"}, "cell 4 was edited"),
    ],
)
def test_work_is_not_overwritten(tiny, index, values, why):
    build.build(tiny, [NAME])
    change_cell(tiny, index, **values)
    work = tiny.student(NAME).read_bytes()
    with pytest.raises(BuildError, match=why) as caught:
        build.build(tiny, [NAME])
    assert "--force" in str(caught.value) and tiny.student(NAME).read_bytes() == work
    assert build.build(tiny, [NAME], force=True) == [NAME]


def test_an_untouched_older_build_is_replaced(tiny):
    build.build(tiny, [NAME])
    edit(tiny.text(NAME), "# Done.", "# Done, and more.")
    assert build.build(tiny, [NAME]) == [NAME]
    assert build.build(tiny, [NAME]) == []


def test_an_unreadable_notebook_is_not_overwritten(tiny):
    build.build(tiny, [NAME])
    tiny.student(NAME).write_text("<<<<<<< a merge conflict")
    with pytest.raises(BuildError, match="cannot be read"):
        build.build(tiny, [NAME])


# --- make check ------------------------------------------------------------------------------


def test_check_accepts_what_was_just_built(tiny, capsys):
    build.build(tiny, [NAME])
    assert build.check(tiny, [NAME]) == []
    assert "topics: 3 of 138 taught, open: 3-137" in capsys.readouterr().out
    assert build.check(tiny, [NAME], all_topics=True) == ["no notebook teaches topics 3-137"]


def test_check_finds_a_changed_notebook(tiny):
    build.build(tiny, [NAME])
    change_cell(tiny, 0, source=["# Tinier"])
    problems = "\n".join(build.check(tiny, [NAME]))
    assert "-# Tinier" in problems and "+# Tiny" in problems
    assert f"edit solutions/{NAME}.py, then make build" in problems
    shutil.rmtree(tiny.release / NAME)
    assert build.check(tiny, [NAME]) == [f"notebooks/{NAME}/{NAME}.ipynb is missing: make build"]


def test_check_finds_strays(tiny):
    build.build(tiny, [NAME])
    (tiny.release / NAME / "solution.txt").write_text("")
    (tiny.release / "02_old").mkdir()
    (tiny.solutions / "03_draft.py").write_text("")
    problems = "\n".join(build.check(tiny, [NAME]))
    for stray in (f"notebooks/{NAME}/solution.txt", "notebooks/02_old", "solutions/03_draft.py"):
        assert stray in problems


def test_check_compares_executed_solutions(tiny):
    build.build(tiny, [NAME])
    nb = json.loads((tiny.source / NAME / f"{NAME}.ipynb").read_text())
    tiny.executed(NAME).write_text(json.dumps(nb))
    assert "not executed to its end" in build.check(tiny, [NAME])[0]
    for cell in nb["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = 1
    tiny.executed(NAME).write_text(json.dumps(nb))
    assert build.check(tiny, [NAME]) == []
    nb["cells"][3]["source"] = ["print(3)"]
    tiny.executed(NAME).write_text(json.dumps(nb))
    assert "executed from another text" in build.check(tiny, [NAME])[0]


def test_ranges():
    assert verify.ranges([3, 1, 2, 7, 9, 10]) == "1-3 7 9-10"


# --- the real course -------------------------------------------------------------------------


def test_what_is_committed_is_up_to_date(course):
    assert build.check(course, list(course.notebooks)) == []


def test_no_solution_text_and_solving_only_adds_lines(course):
    for name, exercises in course.notebooks.items():
        nb = student(course, name)
        everything = "\n".join("".join(cell["source"]) for cell in nb["cells"])
        assert "BEGIN SOLUTION" not in everything and "END SOLUTION" not in everything
        source = json.loads((course.student(name)).read_text())
        for exercise in exercises:
            kernel = (course.kernels / f"{exercise}.py").read_text()
            given = source_of(source, exercise)
            assert without_solution(kernel).rstrip("\n").endswith(given)
            lines = [line for line in given.splitlines() if line.strip() != "..."]
            assert is_subsequence(lines, kernel.splitlines()), f"{exercise}: a given line changed"
            for region in solution_regions(kernel):
                packed = re.sub(r"\s+", "", region)
                assert packed and packed not in re.sub(r"\s+", "", everything), exercise


def test_plain_nbgrader_builds_the_same_bytes(course, tmp_path):
    """`nbgrader generate_assignment` from the root, as an instructor would call it."""
    name = next(iter(course.notebooks))
    source = tmp_path / "source" / name
    source.mkdir(parents=True)
    with build.released(course, [name]) as built:
        shutil.copy(built.source / name / f"{name}.ipynb", source)
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", name, "--no-db",
         f"--CourseDirectory.source_directory={tmp_path / 'source'}",
         f"--CourseDirectory.release_directory={tmp_path / 'release'}"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )
    assert run.returncode == 0, run.stderr
    made = (tmp_path / "release" / name / f"{name}.ipynb").read_bytes()
    assert made.rstrip(b"\n") == course.student(name).read_bytes().rstrip(b"\n")


# --- versions --------------------------------------------------------------------------------


def pinned():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_constraints_pin_each_package_once():
    lines = [x for x in (ROOT / "constraints.txt").read_text().splitlines() if x and x[0] != "#"]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines), "no +cpu, no ranges"
    assert len({line.split("==")[0].lower() for line in lines}) == len(lines)


def test_environment_names_the_versions_of_the_constraints():
    text = (ROOT / "environment.yml").read_text()
    assert "-c constraints.txt" in text and "-e .[lab,teach]" in text
    versions = pinned()
    for package, version in re.findall(r"^\s*- ([\w-]+)={1,2}([\d.]+)$", text, re.M):
        assert package == "python" or versions[package] == version


def test_every_requirement_is_pinned_within_its_range():
    import tomllib

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    versions = {canonicalize_name(name): version for name, version in pinned().items()}
    for requirement in map(Requirement, wanted):
        if requirement.name != project["name"]:
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier


def test_feedback_tables_have_room_and_no_script():
    from autograder.sanitize import clean_html

    html = clean_html("<table><tr><th>a</th><td style='text-align:right'>1</td></tr></table>"
                      "<script>x</script>")
    assert html.count("padding: 0.2em 1em 0.2em 0") == 2 and "<script" not in html


def test_prose_is_refreshed_only_where_the_code_is_the_same(tiny):
    import nbformat

    from autograder.execute import refresh_text
    from autograder.text import build_notebook

    nb = build_notebook(tiny, NAME)
    code = next(cell for cell in nb.cells if cell.cell_type == "code")
    code.outputs = [nbformat.v4.new_output("stream", text="ran")]
    tiny.executed(NAME).write_text(nbformat.writes(nb))
    markdown = next(cell for cell in nb.cells if cell.cell_type == "markdown")
    edit(tiny.text(NAME), markdown.source.splitlines()[0], "# Other words")
    refresh_text(tiny, NAME)
    fresh = tiny.executed(NAME).read_text()
    assert "Other words" in fresh and "ran" in fresh
    edit(tiny.text(NAME), "print(torch.ones(1))", "print(torch.ones(2))")
    with pytest.raises(BuildError, match="Run it again"):
        refresh_text(tiny, NAME)
