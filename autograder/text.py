"""From a text source (jupytext py:percent) to a notebook with nbgrader's metadata.

Needs jupytext and nbformat only: the GPU machine that executes solutions has no nbgrader.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter

from autograder.course import BuildError, Course
from autograder.kernels import imported_names, kernel_text

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
ROLES = ("exercise", "check", "locked", "written")
OPTIONS = (*ROLES, "points", "topics")
TOPICS = 138                                    # rows of the course's topic list
NAME = re.compile(r"[A-Za-z0-9_-]{1,58}")       # with "-check" a cell id stays within 64
MARKUP = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)|AUTOTEST")


def read_cells(course: Course, name: str) -> list:
    """Cells as jupytext sees them, without its own metadata."""
    import jupytext

    path = course.text(name)
    if not path.exists():
        raise BuildError(f"solutions/{name}.py is missing, but helpers/exercises registers {name}")
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent").cells
    for cell in cells:
        cell.metadata.pop("lines_to_next_cell", None)
    return cells


def build_notebook(course: Course, name: str):
    """The instructor's notebook of one text source: full solutions, no outputs."""
    import nbformat

    # The same text gives the same bytes, so ids come from us and no Python version is recorded.
    nb = nbformat.v4.new_notebook(
        metadata={"kernelspec": dict(KERNELSPEC), "language_info": {"name": "python"}}
    )
    nb.nbformat_minor = 5
    problems: list[str] = []
    for number, cell in enumerate(read_cells(course, name), start=1):
        try:
            nb.cells.append(expand(course, name, cell))
        except BuildError as error:
            first = (cell.source.splitlines() or [""])[0][:60]
            problems.append(f"solutions/{name}.py, cell {number} ({first!r}): {error}")
    problems += [f"solutions/{name}.py: {p}" for p in whole_problems(course, name, nb)]
    if problems:
        raise BuildError("\n".join(problems))
    number_plain_cells(nb.cells)
    nbformat.validate(nb)
    return nb


def expand(course: Course, name: str, cell):
    """One cell with our options turned into nbgrader's metadata, solution text put in."""
    import nbformat

    options = dict(cell.metadata)
    check_options(course, name, cell, options)
    new = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    made = new(cell.source)
    made.pop("id", None)
    if "topics" in options:
        made.metadata["topics"] = " ".join(map(str, topic_numbers(options["topics"])))
    role = next((role for role in ROLES if role in options), None)
    if role == "exercise":
        made.source = kernel_text(course.kernels, options[role], cell.source)
    elif MARKUP.search(cell.source):
        raise BuildError("solution text belongs in helpers/kernels/<exercise>.py, not here")
    if role is not None:
        points = options["points"] if role == "written" else course.points.get(options[role], 0)
        grade_id, made.metadata["nbgrader"] = nbgrader_metadata(role, options[role], points)
        made["id"] = grade_id
    return made


def check_options(course: Course, name: str, cell, options: dict) -> None:
    """Refuse what would be silently ignored or go wrong much later."""
    unknown = [key for key in options if key not in OPTIONS]
    if unknown:
        raise BuildError(f"unknown cell option {unknown[0]!r}; known: {', '.join(OPTIONS)}")
    roles = [role for role in ROLES if role in options]
    if len(roles) > 1:
        raise BuildError(f"a cell is one of {' or '.join(roles)}, not both")
    role = roles[0] if roles else None
    if role and not NAME.fullmatch(str(options[role])):
        raise BuildError(f'{role}="{options[role]}": use 1 to 58 letters, digits, _ or -')
    if cell.cell_type not in ("code", "markdown"):
        raise BuildError(f"{cell.cell_type} cells are not used in this course")
    if role in ("exercise", "check"):
        check_registered(course, name, options[role])
        if cell.cell_type != "code":
            raise BuildError(f"{role} cells hold code")
    if role == "check" and cell.source.strip() != f"check({options[role]})":
        raise BuildError(f"the body of this cell must be check({options[role]})")
    if role == "written" and cell.cell_type != "markdown":
        raise BuildError("written answers are Markdown cells")
    if ("points" in options) != (role == "written"):
        raise BuildError("points stand on written cells only; an exercise's are in its registry")
    if role == "written" and not isinstance(options["points"], int | float):
        raise BuildError(f"points={options['points']!r} is not a number")


def check_registered(course: Course, name: str, exercise: str) -> None:
    if exercise not in course.points:
        raise BuildError(
            f"no exercise {exercise!r} in helpers/exercises; there are {', '.join(course.points)}"
        )
    if exercise not in course.notebooks.get(name, ()):
        raise BuildError(f"exercise {exercise!r} is registered for another notebook")


def topic_numbers(value) -> list[int]:
    """The numbers in topics="12 13", each a row of the topic list."""
    words = str(value).split()
    bad = [w for w in words if not w.isdecimal() or not 1 <= int(w) <= TOPICS]
    if bad or not words:
        raise BuildError(f'topics="{value}": numbers from 1 to {TOPICS}, separated by spaces')
    return [int(word) for word in words]


def nbgrader_metadata(role: str, name: str, points: float) -> tuple[str, dict]:
    """Cell id and nbgrader's own metadata (schema 3) of a cell with a role."""
    grade_id = f"{name}-check" if role == "check" else name
    meta = {
        "grade": role in ("check", "written"),
        "grade_id": grade_id,
        "locked": role in ("check", "locked"),
        "schema_version": 3,
        "solution": role in ("exercise", "written"),
        "task": False,
    }
    if meta["grade"]:
        meta["points"] = int(points) if points == int(points) else points
    return grade_id, meta


def whole_problems(course: Course, name: str, nb) -> list[str]:
    """What can only be seen across cells: duplicates, order, what is missing or comes too late."""
    problems, ids, exercises, known = [], Counter(), [], set()
    for cell in nb.cells:
        meta = cell.metadata.get("nbgrader")
        if meta:
            ids[meta["grade_id"]] += 1
            if meta["solution"] and cell.cell_type == "code":
                exercises.append(meta["grade_id"])
                late = imported_names(course.kernels / f"{meta['grade_id']}.py") - known
                if late:
                    problems.append(
                        f"helpers/kernels/{meta['grade_id']}.py needs {', '.join(sorted(late))}, "
                        "which no earlier cell imports"
                    )
            elif cell.source.startswith("check(") and meta["grade"]:
                if meta["grade_id"].removesuffix("-check") not in exercises:
                    problems.append(f"{cell.source.strip()} comes before its exercise cell")
        if cell.cell_type == "code":
            known |= imported_by(cell.source)
    problems += [f"{key!r} is used by {n} cells" for key, n in ids.items() if n > 1]
    registered = list(course.notebooks[name])
    problems += [f"exercise {e!r} has no exercise cell" for e in registered if e not in exercises]
    problems += [f"exercise {e!r} has no check cell" for e in exercises if not ids[f"{e}-check"]]
    if not problems and exercises != registered:
        problems.append(f"exercises come as {exercises}, the registry says {registered}")
    return problems


def imported_by(source: str) -> set[str]:
    """Names that a cell's import statements bind; a cell with IPython magic binds none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {a.asname or a.name.split(".")[0] for node in statements for a in node.names}


def plain_id(cell, seen: Counter) -> str:
    """Id of a cell without a role: from its content and how often that came before.

    Not from its position: one new cell would change the id of every later one.
    """
    text = f"{cell.cell_type}\n{cell.source}"
    seen[text] += 1
    return hashlib.sha256(f"{seen[text]}\n{text}".encode()).hexdigest()[:12]


def number_plain_cells(cells) -> None:
    seen: Counter = Counter()
    for cell in cells:
        if "nbgrader" not in cell.metadata:
            cell["id"] = plain_id(cell, seen)
