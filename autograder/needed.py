"""Which cells of a notebook one exercise needs, found without running any of them."""

from __future__ import annotations

import ast
import re
import symtable
from dataclasses import dataclass
from functools import lru_cache

from autograder.restore import grade_id, is_check, is_exercise, is_target

TOO_LONG = 50_000       # characters: a cell that is longer is data, and not looked into
QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|#.*")
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
ANYTHING = "*"          # what `from somewhere import *` defines


@dataclass(frozen=True)
class Cell:
    """A cell to run for an exercise.  An error in it matters only if it is `needed`."""

    source: str
    label: str
    needed: bool


@dataclass(frozen=True)
class Names:
    """What a cell's text defines at top level, and which names it takes from elsewhere."""

    defined: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def gives(self, name: str) -> bool:
        return name in self.defined or ANYTHING in self.defined


def code_for(notebook: dict, released: dict, exercise: str) -> list[Cell]:
    """The cells of a restored notebook to run for one exercise, in order.

    The setup cell and the exercise's own cell; the learner's other cells above the exercise or its
    check, needed or not; and of the released cells and other exercises only what these take names
    from.  Checks never run.
    """
    cells = notebook["cells"]
    own = _position(cells, exercise)
    end = max(own, _position(cells, f"{exercise}-check"))
    plain, unsolved = ({cell["source"].strip() for cell in released["cells"]
                        if is_target(cell) == target} for target in (False, True))
    names = {i: look(plain_python(cell["source"])) for i, cell in enumerate(cells)
             if cell["cell_type"] == "code" and not is_check(cell)}
    early = [i for i in _locked_before(released, exercise, cells) if i in names]
    # A copy that was never worked on would undo the learner's work: it does not run.
    usable = [i for i in names if i < end and i not in early and (
        is_target(cells[i]) or cells[i]["source"].strip() not in unsolved)]
    mine = [i for i in usable if not is_target(cells[i])
            and cells[i]["source"].strip() not in plain]
    wanted = {exercise} | names[own].defined | names[own].free
    needed = {own} | _sources(wanted, names, end, early, usable, mine)
    chosen = sorted(needed | set(mine))
    chosen = [i for i in early if i > own] + sorted({*chosen, *(i for i in early if i < own)})
    return [Cell(plain_python(cells[i]["source"]),
                 "exercise cell" if i == own else f"cell {i + 1}", i in needed or i in early)
            for i in chosen]


def _position(cells: list[dict], name: str) -> int:
    for i, cell in enumerate(cells):
        if grade_id(cell) == name:
            return i
    raise ValueError(f"the notebook has no cell {name}: restore() it first")


def _locked_before(released: dict, exercise: str, cells: list[dict]) -> list[int]:
    """Locked code cells that the release has above the exercise, wherever they are now."""
    before = released["cells"][:_position(released["cells"], exercise)]
    return [_position(cells, grade_id(cell)) for cell in before if cell["cell_type"] == "code"
            and is_target(cell) and not is_exercise(cell) and not is_check(cell)]


def _sources(wanted: set[str], names: dict[int, Names], end: int, early: list[int],
             usable: list[int], mine: list[int]) -> set[int]:
    """Where these names come from, transitively.

    From every one of the learner's own cells that defines one; else from the nearest definition
    above, unless a locked cell has it.
    """
    needed: set[int] = set()
    given = {name for i in early for name in names[i].defined}
    open_ = [(name, end) for name in wanted]
    seen = set(open_)
    while open_:
        name, before = open_.pop()
        above = [i for i in usable if i < before and name in names[i].defined]
        sources = {i for i in mine if i < before and names[i].gives(name)}
        if above and name not in given:
            sources.add(above[-1])
        for i in sources - needed:
            needed.add(i)
            more = {(other, end if i in mine else i) for other in names[i].free} - seen
            seen |= more
            open_ += more
    return needed


# --- what a text defines and takes --------------------------------------------------------------


@lru_cache(maxsize=4096)
def plain_python(source: str) -> str:
    """IPython's own lines as comments, so that the rest is Python with the same line numbers."""
    first = source.lstrip().split("\n", 1)[0]
    if first.startswith("%%") and not first.startswith(("%%time", "%%capture", "%%prun")):
        return "\n".join(f"# {line}" for line in source.split("\n"))    # another language
    if len(source) > TOO_LONG or _parses(source):
        return source
    lines, depth, goes_on = [], 0, False
    for line in source.split("\n"):
        bare = line.strip()
        # Inside brackets a line may well begin with % or end with ?.
        if depth <= 0 and not goes_on and (bare.startswith(("%", "!", "?")) or bare.endswith("?")):
            # "pass" keeps the block whole of which this was the only line.
            lines.append(f"{line[:len(line) - len(line.lstrip())]}pass  # {bare}")
            continue
        lines.append(line)
        outside = QUOTED.sub("", line)
        depth += sum(outside.count(c) for c in "([{") - sum(outside.count(c) for c in ")]}")
        goes_on = outside.endswith("\\")
    return "\n".join(lines)


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except NOT_PYTHON:
        return False
    return True


@lru_cache(maxsize=4096)
def look(source: str) -> Names:
    """Names that a cell defines and takes.  A text that is not Python does neither."""
    if len(source) > TOO_LONG:
        return Names()
    try:
        return _look(ast.parse(source))
    except NOT_PYTHON:
        return Names()


def _look(tree: ast.Module) -> Names:
    defined: set[str] = set()
    free: set[str] = set()
    later: set[str] = set()
    for statement in tree.body:
        table = symtable.symtable(ast.unparse(statement), "cell", "exec")
        now = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
        changed = _changed(statement)
        free |= (now | changed) - defined
        inner_defined, inner_free = _inner(table)
        later |= inner_free
        defined |= changed | inner_defined | {
            s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            defined.add(ANYTHING)
    return Names(frozenset(defined), frozenset(free | (later - defined)))


def _inner(table: symtable.SymbolTable) -> tuple[set[str], set[str]]:
    """Globals that functions and classes inside assign and use."""
    assigned: set[str] = set()
    used: set[str] = set()
    for child in table.get_children():
        for symbol in child.get_symbols():
            if symbol.is_global() and symbol.is_assigned():
                assigned.add(symbol.get_name())
            elif symbol.is_global() and symbol.is_referenced():
                used.add(symbol.get_name())
        deeper = _inner(child)
        assigned |= deeper[0]
        used |= deeper[1]
    return assigned, used


def _changed(statement: ast.stmt) -> set[str]:
    """Names whose object a statement changes: x += 1, x.a = 1, x["a"] = 1."""
    found = set()
    for node in ast.walk(statement):
        target = node.target if isinstance(node, ast.AugAssign) else node
        while isinstance(target, ast.Attribute | ast.Subscript) and (
                isinstance(node, ast.AugAssign) or isinstance(node.ctx, ast.Store)):
            target = target.value
        if target is not node and isinstance(target, ast.Name):
            found.add(target.id)
    return found
