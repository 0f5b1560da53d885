"""Is a learner's cell the reference solution but for names?  Something to look at, never a verdict.

A short exercise has few good answers, so equal texts prove nothing: the note says what was found,
to the instructor alone.
"""

from __future__ import annotations

import ast

from autograder.course import Course
from autograder.kernels import cell_text


class _Namer(ast.NodeTransformer):
    """Every name becomes a number, in order of appearance; docstrings go."""

    def __init__(self):
        self.numbers: dict[str, str] = {}

    def _number(self, name: str) -> str:
        return self.numbers.setdefault(name, f"n{len(self.numbers)}")

    def visit_FunctionDef(self, node):
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        node.name = self._number(node.name)
        return self.generic_visit(node)

    def visit_arg(self, node):
        node.arg = self._number(node.arg)
        return self.generic_visit(node)

    def visit_Name(self, node):
        node.id = self._number(node.id)
        return node

    def visit_keyword(self, node):
        if node.arg:
            node.arg = self.numbers.get(node.arg, node.arg)
        return self.generic_visit(node)


def shape(source: str) -> str | None:
    """The program behind a text: without comments, layout and names; None if it is no Python."""
    try:
        return ast.dump(_Namer().visit(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return None


def note(course: Course, exercise: str, source: str) -> str | None:
    """A sentence when the text of an exercise's cell is the reference's, names apart."""
    reference = cell_text(course.kernels, exercise)
    if shape(source) == shape(reference) is not None:
        return f"The cell of {exercise} is the reference solution but for names and comments."
    return None
