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
SAID = {
    "exits": "ended its process", "kills": "signal 9", "segfaults": "signal 11",
    "hoards": "memory|never end", "forks": "processes|memory",
    "floods": "SystemExit: dry", "raises": "BaseException: no",
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


@pytest.mark.timeout(600)
def test_thirty_submissions_with_bad_ones_killed_twice(tmp_path):
    good = {f"good{i:02}": notebook("solved" if i % 2 else "wrong_tail") for i in range(20)}
    bad = {student: notebook(vector_add=cell) for student, cell in BAD.items()}
    lost = {"broken": "{", "empty": None, "ancient": '{"nbformat": 3, "worksheets": []}'}
    there = course(tmp_path, {**bad, **lost, **good})
    folder, seen = examine.reports(there, NAME), {}
    for wanted in (5, 14):
        run = subprocess.Popen(command(there, NAME, "--jobs=2"), cwd=ROOT, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(list(folder.glob("*.json"))) < wanted:
            assert run.poll() is None
            time.sleep(0.02)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        for path in folder.glob("*.json"):
            text = path.read_text()
            assert json.loads(text)["status"]                   # never half a report
            assert seen.setdefault(path.name, text) == text     # never a second one
    done = batch(there, "--jobs=2")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{30 - len(seen)} to examine, {len(seen)} examined before" in done.stdout
    assert len(list(folder.glob("*.json"))) == 30
    for name, text in seen.items():
        assert (folder / name).read_text() == text

    for i, student in enumerate(good):
        assert report(there, student)["points"] == (15 if i % 2 else 8)
    for student, cell in BAD.items():
        found = report(there, student)["exercises"]
        assert found["vector_add"]["points"] == 0, cell
        assert re.search(SAID[student], found["vector_add"]["text"])
        assert found["occupancy"]["points"] == 5 and found["host_copy"]["points"] == 3
    for student in lost:
        found = report(there, student)
        assert found["status"] == ("unreadable" if lost[student] else "no notebook")
        assert f"{student}: {found['status']}" in done.stdout or f"{student}.json" in seen
        assert set(found["exercises"]) == {"vector_add", "occupancy", "host_copy"}


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
def test_examined_again_after_an_interruption(tmp_path):
    there = course(tmp_path, {"ada": notebook(), "bob": notebook(), "eve": notebook()})
    assert batch(there, "--jobs=2").returncode == 0
    before = {s: report(there, s)["exercises"]["occupancy"]["seed"] for s in ("ada", "bob", "eve")}
    said = []
    with subprocess.Popen(command(there, NAME, "--exercise=occupancy", "--jobs=1"), cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        for line in run.stdout:
            said.append(line)
            if "1/3" in line:
                run.send_signal(signal.SIGINT)
    assert run.returncode == 130, said
    assert "stopped: " in said[-1] and "of 3 are done" in said[-1]
    assert batch(there).returncode == 0        # goes on with what was marked
    for student, seed in before.items():
        assert report(there, student)["exercises"]["occupancy"]["seed"] != seed
    assert "0 to examine, 3 examined before" in batch(there).stdout


def test_another_assignment_is_said_to_be_one(tmp_path):
    other = this_course().student("06_operator_fusion").read_text(encoding="utf-8")
    there = course(tmp_path, {"ada": other})
    shutil.copytree(ROOT / "notebooks/06_operator_fusion",
                    there.root / "notebooks/06_operator_fusion")
    done = batch(there)
    assert done.returncode == 1
    assert "ada: unreadable: This is 06_operator_fusion, not 01_first_kernel." in done.stdout


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["77_nothing"], "no notebook 77_nothing: notebooks/ has 01_first_kernel"),
    ([NAME, "--student=adda"], "adda handed in nothing"),
    ([NAME, "--exercise=softmax"], "01_first_kernel has no exercise softmax; it has vector_add"),
    (["nofile.ipynb"], "there is no file nofile.ipynb"),
])
def test_a_wrong_word_is_one_sentence(tmp_path, arguments, sentence):
    there = course(tmp_path, {"ada": "{"})
    done = subprocess.run(command(there, *arguments), cwd=ROOT, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 2 and done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1


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
        left, done = examine.tasks(there, NAME, [])
        assert len(left) == 1 and done == 0         # it will be examined again


def test_students_and_links_that_nbgrader_cannot_find(tmp_path):
    there = course(tmp_path, {"ada": "{", "[x]": "{"})
    left, _ = examine.tasks(there, NAME, [])
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
        assert len(examine.tasks(there, NAME, [])[0]) == 1
    assert submission.sha256(tmp_path / "autograder/submitted/ada" / NAME / f"{NAME}.ipynb")
