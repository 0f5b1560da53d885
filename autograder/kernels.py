"""The solution text of an exercise: helpers/kernels/<name>.py, cut to what a cell holds."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from autograder.course import BuildError

BEGIN, END, STUB = "### BEGIN SOLUTION", "### END SOLUTION", "..."


def kernel_text(folder: Path, name: str, body: str) -> str:
    """Text of the exercise cell whose source in the text source is `body`, an import."""
    text = cell_text(folder, name)
    check_import(name, body, text)
    check_regions(name, text)
    return text


def cell_text(folder: Path, name: str) -> str:
    """The kernel's file without its docstring and imports, the marks of the solution included."""
    path = folder / f"{name}.py"
    if not path.exists():
        raise BuildError(f"helpers/kernels/{name}.py is missing: the solution text belongs there")
    source = path.read_text(encoding="utf-8")
    compiles(name, source, "does not compile")
    return "\n".join(source.splitlines()[_head(source)[1] :]).strip("\n")


def imported_names(path: Path) -> set[str]:
    """Names that the file's imports bind; the notebook must have bound them before."""
    imports = _head(path.read_text(encoding="utf-8"))[0]
    return {a.asname or a.name.split(".")[0] for node in imports for a in node.names}


def _head(source: str) -> tuple[list, int]:
    """Imports at the top of a file, and how many lines docstring and imports take."""
    imports, end = [], 0
    for node in ast.parse(source).body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.append(node)
        elif not docstring:
            break
        end = node.end_lineno
    return imports, end


def check_import(name: str, body: str, text: str) -> None:
    """The exercise cell is one import from the kernel's file, of names that the file defines."""
    wanted = f"from helpers.kernels.{name} import {name}, ..."
    try:
        tree = ast.parse(body).body
    except SyntaxError:
        tree = []
    only = len(tree) == 1 and isinstance(tree[0], ast.ImportFrom) and "#" not in body
    if not only or tree[0].module != f"helpers.kernels.{name}":
        raise BuildError(f"the body of an exercise cell is one line: {wanted}")
    names = [alias.name for alias in tree[0].names]
    if name not in names:
        raise BuildError(f"the import must bring {name}: {wanted}")
    defined = {node.name for node in ast.parse(text).body if hasattr(node, "name")}
    lost = [n for n in names if n not in defined]
    if lost:
        raise BuildError(f"helpers/kernels/{name}.py defines no {', '.join(lost)}")


def check_regions(name: str, text: str) -> None:
    """At least one well-formed solution region, and what is left still compiles."""
    where = f"helpers/kernels/{name}.py"
    inside = False
    for line in text.splitlines():
        mark = line.strip()
        if re.search(r"(BEGIN|END) SOLUTION", line) and mark not in (BEGIN, END):
            raise BuildError(f"{where}: write the marks as {BEGIN} and {END}, alone on a line")
        if mark in (BEGIN, END) and inside == (mark == BEGIN):
            raise BuildError(f"{where}: {mark} without its partner")
        inside = mark == BEGIN if mark in (BEGIN, END) else inside
    if inside or BEGIN not in text:
        raise BuildError(f"{where}: no {END if inside else BEGIN}")
    compiles(name, without_solution(text), "does not compile without its solution")


def compiles(name: str, text: str, otherwise: str) -> None:
    try:
        compile(text, f"{name}.py", "exec")
    except SyntaxError as error:
        raise BuildError(f"helpers/kernels/{name}.py {otherwise}: {error}") from None


def without_solution(text: str) -> str:
    """What the learner gets: each region replaced by one `...`, as nbgrader will do it."""
    return re.sub(rf"(?ms)^([ \t]*){BEGIN}.*?{END}[ \t]*$", rf"\1{STUB}", text)


def solution_regions(text: str) -> list[str]:
    """What the learner has to write, region by region."""
    return re.findall(rf"(?ms)^[ \t]*{BEGIN}\n(.*?)^[ \t]*{END}[ \t]*$", text)
