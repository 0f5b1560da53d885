"""Run the solutions of a notebook and keep what they print and draw: solutions/NN_name.ipynb.

    python -m autograder.execute [--out FOLDER] NOTEBOOK ...
    python -m autograder.execute --text NOTEBOOK ...    only the prose has changed: no run

Meant for a GPU machine.  Needs nbclient, ipykernel and jupytext, and nothing of nbgrader.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.course import BuildError, Course, this_course
from autograder.text import build_notebook

ANSI = re.compile(r"\x1b\[[0-9;]*m")         # colours of a traceback
WIDGET = "application/vnd.jupyter.widget-view+json"


def say(line: str) -> None:
    print(line, flush=True)


def run_cells(nb, root: Path, timeout: int) -> None:
    """Execute in place; raises BuildError at the first cell that fails."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    client = NotebookClient(
        nb, timeout=timeout, kernel_name="python3", record_timing=False,
        resources={"metadata": {"path": str(root)}}, extra_arguments=["--log-level=ERROR"],
    )
    count = len(nb.cells)
    try:
        with client.setup_kernel():
            for index, cell in enumerate(nb.cells):
                if cell.cell_type == "code":
                    start = time.monotonic()
                    client.execute_cell(cell, index)
                    first = cell.source.strip().splitlines()[0][:60]
                    say(f"  {index + 1:3}/{count}  {time.monotonic() - start:6.1f} s  {first}")
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        text = ANSI.sub("", str(error)).strip()
        raise BuildError(f"cell {index + 1} of {count} failed:\n{text}") from None


def clean(nb, built) -> None:
    """Leave no trace of the run but outputs: no clock, no Python version, no widget state."""
    nb.metadata = built.metadata
    for cell, source in zip(nb.cells, built.cells, strict=True):
        cell.metadata = source.metadata
        if cell.cell_type == "code":
            # A widget is nothing without its kernel; the picture beside it stays.
            for output in cell.outputs:
                if WIDGET in output.get("data", {}):
                    del output["data"][WIDGET]
            cell.outputs = [o for o in cell.outputs if o.get("data") != {}]


def stderr_of(nb) -> list[str]:
    """Text that the notebook wrote to stderr: a reader would take it for a fault."""
    outputs = [o for cell in nb.cells if cell.cell_type == "code" for o in cell.outputs]
    return [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"]


def execute(course: Course, name: str, out: Path, timeout: int = 600) -> Path:
    """Build the instructor's notebook of `name`, run it and write it into `out`."""
    import nbformat

    nb = build_notebook(course, name)
    run_cells(nb, course.root, timeout)
    clean(nb, build_notebook(course, name))
    for text in stderr_of(nb):
        say(f"  warning, on stderr: {text.strip()[:200]}")
    nbformat.validate(nb)
    out.mkdir(parents=True, exist_ok=True)
    path, part = out / f"{name}.ipynb", out / f".{name}.ipynb.part"
    part.write_text(nbformat.writes(nb) + "\n", encoding="utf-8")
    part.replace(path)
    return path


def refresh_text(course: Course, name: str) -> Path:
    """Put today's prose into the executed notebook; its code, and so its outputs, must be today's.

    Raises BuildError when a code cell has changed: then only a run will do.
    """
    import nbformat

    path = course.solutions / f"{name}.ipynb"
    executed, built = nbformat.read(path, as_version=4), build_notebook(course, name)
    ran = [cell for cell in executed.cells if cell.cell_type == "code"]
    code = [cell for cell in built.cells if cell.cell_type == "code"]
    if [cell.source for cell in ran] != [cell.source for cell in code]:
        raise BuildError(f"{path.name}: its code differs from the text source. Run it again.")
    for old, new in zip(ran, code, strict=True):
        new.outputs, new.execution_count = old.outputs, old.execution_count
    path.write_text(nbformat.writes(built) + "\n", encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="autograder.execute", description="Execute solutions.")
    parser.add_argument("notebook", nargs="+", help="names or paths")
    parser.add_argument("--out", type=Path, help="folder for the result; default: solutions/")
    parser.add_argument("--timeout", type=int, default=600, help="seconds a cell; default: 600")
    parser.add_argument("--text", action="store_true", help="refresh the prose, run nothing")
    options = parser.parse_args(arguments)
    try:
        course = this_course()
        for name in course.choose(options.notebook):
            if options.text:
                say(f"{name}: prose of {refresh_text(course, name)} is today's")
                continue
            say(f"{name}: running its solutions")
            path = execute(course, name, options.out or course.solutions, options.timeout)
            say(f"{name}: written to {path}")
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
