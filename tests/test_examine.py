"""The examination as a whole: one notebook, a batch with bad ones, a batch that is killed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder import examine, samples, submission
from autograder.course import ROOT, Course, this_course

NAME = "01_first_kernel"
RELEASED = json.loads(this_course().student(NAME).read_text(encoding="utf-8"))

BAD = {     # exercise cells of vector_add that would end a process, a batch or a machine
    "exits": "import os\nos._exit(0)",
    "kills": "import os, signal\nos.kill(0, signal.SIGKILL)",
    "segfaults": "import ctypes\nctypes.string_at(0)",
    "hoards": "hoard = [bytearray(1 << 28) for _ in range(80)]",
    "forks": "import os\nwhile True:\n    os.fork()",
    "floods": "for _ in range(500):\n    print('x' * 1_000_000)\nraise SystemExit('dry')",
    "raises": "raise BaseException('no')",
}


def notebook(sample: str = "solved", **cells: str) -> dict:
    """A sample submission with some exercise cells replaced."""
    made = samples.submission(this_course(), sample, RELEASED)
    for cell in made["cells"]:
        if cell.get("id") in cells:
            cell["source"] = cells[cell["id"]]
    return made


def course(folder: Path, submissions: dict[str, dict | str | None]) -> Course:
    """A course folder with these submissions: a notebook, the text of a file, or none."""
    there = Course(folder, {}, {})
    for part in (f"notebooks/{NAME}", "helpers/kernels"):
        shutil.copytree(ROOT / part, folder / part)
    for student, made in submissions.items():
        place = folder / "autograder" / "submitted" / student / NAME
        place.mkdir(parents=True)
        if made is not None:
            text = made if isinstance(made, str) else json.dumps(made)
            (place / f"{NAME}.ipynb").write_text(text, encoding="utf-8")
    return there


def command(there: Course, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "autograder", "examine", *arguments, f"--course={there.root}"]


def batch(there: Course, *flags: str) -> subprocess.CompletedProcess:
    return subprocess.run(command(there, NAME, *flags), cwd=ROOT, capture_output=True, text=True,
                          timeout=280, check=False)


def report(there: Course, student: str) -> dict:
    return json.loads((examine.reports(there, NAME) / f"{student}.json").read_text())


@pytest.mark.timeout(280)
def test_bad_cells_cost_one_exercise_each(tmp_path):
    there = course(tmp_path, {
        **{student: notebook(vector_add=cell) for student, cell in BAD.items()},
        "broken": "{", "empty": None, "good": notebook()})
    done = batch(there, "--jobs=2")
    assert done.returncode == 1, done.stdout + done.stderr
    for student in BAD:
        found = report(there, student)["exercises"]
        assert found["vector_add"]["points"] == 0
        assert found["occupancy"]["points"] == 5 and found["host_copy"]["points"] == 3
        assert found["vector_add"]["text"].count("\n") >= 1, "it says what happened"
    assert report(there, "good")["points"] == 15
    assert report(there, "broken")["status"] == "unreadable"
    assert report(there, "empty")["status"] == "no notebook"
    for student in ("broken", "empty"):
        assert f"{student}: {report(there, student)['status']}" in done.stdout
        assert set(report(there, student)["exercises"]) == set(report(there, "good")["exercises"])
    assert "memory" in report(there, "hoards")["exercises"]["vector_add"]["text"]
    for student, said in {
            "exits": "ended its process", "kills": "signal 9", "segfaults": "signal 11",
            "forks": "processes|memory", "raises": "BaseException: no", "floods": "SystemExit: dry",
    }.items():
        assert re.search(said, report(there, student)["exercises"]["vector_add"]["text"])


@pytest.mark.timeout(280)
def test_a_batch_killed_twice_loses_nothing_and_grades_nothing_twice(tmp_path):
    students = [f"s{i:02}" for i in range(8)]
    there = course(tmp_path, {s: notebook("solved" if i % 2 else "wrong_tail")
                              for i, s in enumerate(students)})
    folder, seen = examine.reports(there, NAME), {}
    for wanted in (2, 5):
        run = subprocess.Popen(command(there, NAME, "--jobs=2"), cwd=ROOT, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(list(folder.glob("s*.json"))) < wanted:
            assert run.poll() is None
            time.sleep(0.02)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        for path in folder.glob("s*.json"):
            text = path.read_text()
            assert json.loads(text)["status"] == "graded"       # never half a report
            assert seen.setdefault(path.name, text) == text     # never a second one
    done = batch(there, "--jobs=2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(students) - len(seen)} to examine, {len(seen)} examined before" in done.stdout
    for i, student in enumerate(students):
        assert report(there, student)["points"] == (15 if i % 2 else 8)
        if f"{student}.json" in seen:
            assert (folder / f"{student}.json").read_text() == seen[f"{student}.json"]


@pytest.mark.timeout(200)
def test_one_exercise_again_leaves_the_others_alone(tmp_path):
    there = course(tmp_path, {"ada": notebook()})
    assert batch(there).returncode == 0
    first = report(there, "ada")
    assert batch(there, "--exercise", "occupancy").returncode == 0
    second = report(there, "ada")
    assert second["exercises"]["vector_add"] == first["exercises"]["vector_add"]
    assert second["exercises"]["occupancy"]["seed"] != first["exercises"]["occupancy"]["seed"]
    assert second["points"] == first["points"] == 15

    place = there.root / "autograder" / "submitted" / "ada" / NAME / f"{NAME}.ipynb"
    place.write_text(json.dumps(notebook("untouched")))     # handed in anew: all of it again
    assert batch(there, "--exercise", "occupancy").returncode == 0
    assert report(there, "ada")["points"] == 0
    assert batch(there, "--exercise", "no_such").returncode == 2


@pytest.mark.timeout(200)
def test_a_learner_gets_the_same_verdict(tmp_path):
    path = tmp_path / "my notebook.ipynb"
    path.write_text(json.dumps(notebook("wrong_tail")))
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "examine", str(path)],
        cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "Your result is what you get when the store is not masked." in done.stdout
    assert "8 of 18 points" in done.stdout and "sandbox:" in done.stdout


def test_an_unknown_assignment_is_one_sentence():
    done = subprocess.run([sys.executable, "-m", "autograder", "examine", "77_nothing"],
                          cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "no notebook 77_nothing: notebooks/ has 01_first_kernel, 06_operator_fusion")


class BrokenReferee(examine.Referee):
    """Ends before every verdict, as after a fault of ours or of the machine."""

    tries = 0

    def judge(self, request):
        self.tries += 1
        raise examine.Stopped("Segmentation fault", hung=self.hangs)


@pytest.mark.parametrize("hangs", [True, False])
def test_our_own_fault_is_no_verdict(tmp_path, hangs):
    there = course(tmp_path, {"ada": notebook()})
    referee = BrokenReferee()
    referee.hangs = hangs
    task = examine.Task(NAME, "ada", there.root / "autograder" / "submitted" / "ada" / NAME)
    found = examine.examine(there, task, referee)
    assert found["points"] == 0
    if hangs:       # a kernel that never ends is the learner's
        assert found["status"] == "graded" and referee.tries == 3
    else:
        assert found["status"] == "incomplete" and referee.tries == 6
        examine.save(examine.reports(there, NAME) / "ada.json", found)
        left, done = examine.tasks(there, NAME, [], [], False)
        assert len(left) == 1 and done == 0         # it will be examined again


def test_students_and_links_that_nbgrader_cannot_find(tmp_path):
    there = course(tmp_path, {"ada": "{", "[x]": "{"})
    left, _ = examine.tasks(there, NAME, [], [], False)
    assert [task.student for task in left] == ["ada"]
    (problem,) = submission.prepare(there.root / "autograder" / "submitted", NAME)
    assert "[x]" in problem and "rename" in problem


def test_provenance_sees_through_names():
    from autograder.provenance import note

    there = this_course()
    own = samples.solved_text(there, "vector_add")
    assert note(there, "vector_add", own)
    assert note(there, "vector_add", own.replace("offsets", "here").replace("mask", "ok"))
    assert not note(there, "vector_add", own.replace("x + y", "y + x"))
    assert not note(there, "vector_add", "def vector_add(:")


def test_a_report_that_is_no_report_is_made_again(tmp_path):
    there = course(tmp_path, {"ada": "{"})
    path = examine.reports(there, NAME) / "ada.json"
    for text in ("", "{", "[]", '{"format": 0}'):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert len(examine.tasks(there, NAME, [], [], False)[0]) == 1
    assert submission.sha256(tmp_path / "autograder/submitted/ada" / NAME / f"{NAME}.ipynb")
