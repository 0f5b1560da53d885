"""Give a submitted notebook back what nbgrader needs: each released cell, exactly once.

Learners split, copy, delete, retype and reorder cells, and other editors drop metadata and ids.
Nothing that a learner wrote is lost by any of it.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

ALIKE = 0.6                             # of 1: texts that are taken for the same cell
WORD = re.compile(r"\w+|\S")
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
REMARKS = 20


def restore(submitted: dict, released: dict) -> tuple[dict, list[str]]:
    """The submission with the release's graded, locked and exercise cells, and what was repaired.

    Their metadata, ids and types are the release's, and so is the text of locked cells and checks.
    All other cells are the learner's own, without metadata.  Order is the submission's.
    """
    cells = copy.deepcopy(submitted["cells"])
    found = _match(cells, released["cells"])
    remarks: list[str] = []
    marks: Counter = Counter()
    placed: list[tuple[tuple, dict]] = []
    for r, original in enumerate(released["cells"]):
        if not is_target(original):
            continue
        if r in found:
            cell = cells[found[r]]
            if role(cell) != role(original):
                marks["changed" if role(cell) else "lost"] += 1
            if was := _own_text_of_locked(cell, original):
                placed.append(((found[r], 1, 0), _plain(was)))
            placed.append(((found[r], 0, 0), _as_released(cell, original, remarks)))
        else:
            remarks.append(f"{_called(original)} was missing: put back")
            placed.append((_place(r, released["cells"], found), _fresh(original)))
    plain = {found[r]: original for r, original in enumerate(released["cells"])
             if r in found and not is_target(original)}
    known = {grade_id(cell): cell for cell in released["cells"] if is_target(cell)}
    taken = set(found.values()) - set(plain)
    for i, cell in enumerate(cells):
        if i not in taken:
            _remark_on_copy(cell, known, remarks)
            placed.append(((i, 0, 0), _plain(cell, plain.get(i))))
    ordered = [cell for _, cell in sorted(placed, key=lambda one: one[0])]
    _number(ordered, {cell["id"] for cell in known.values()})
    remarks += [f"{n} of this notebook's cells had {how} their grading marks (some editors do "
                "that): put back" for how, n in marks.items()]
    if not any(is_exercise(released["cells"][r]) for r in found) and any(
            is_exercise(cell) for cell in released["cells"]):
        remarks.insert(0, "no exercise of this notebook was found in it: is it the right file?")
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": copy.deepcopy(released["metadata"]),
            "cells": ordered}, _few(remarks)


def _few(remarks: list[str]) -> list[str]:
    once = list(dict.fromkeys(remarks))
    more = [f"and {len(once) - REMARKS} more repairs"] if len(once) > REMARKS else []
    return once[:REMARKS] + more


# --- what a cell is -----------------------------------------------------------------------------


def role(cell: dict) -> dict:
    """nbgrader's metadata of a cell, {} if it has none or junk."""
    meta = cell["metadata"].get("nbgrader")
    return meta if isinstance(meta, dict) else {}


def grade_id(cell: dict) -> str | None:
    name = role(cell).get("grade_id")
    return name if isinstance(name, str) else None


def is_target(cell: dict) -> bool:
    """A cell that nbgrader knows (in a released or restored notebook)."""
    return grade_id(cell) is not None


def is_exercise(cell: dict) -> bool:
    return cell["cell_type"] == "code" and bool(role(cell).get("solution"))


def is_check(cell: dict) -> bool:
    return cell["cell_type"] == "code" and bool(role(cell).get("grade")) and not is_exercise(cell)


def is_fixed(cell: dict) -> bool:
    """Its text is the instructor's, whatever was submitted."""
    meta = role(cell)
    return bool(meta.get("locked") or meta.get("grade")) and not meta.get("solution")


def _called(cell: dict) -> str:
    name = grade_id(cell)
    if is_check(cell):
        return f"the check of {name.removesuffix('-check')}"
    return f"the exercise cell {name}" if is_exercise(cell) else f"the cell {name}"


# --- which cell is which ------------------------------------------------------------------------


def _match(cells: list[dict], originals: list[dict]) -> dict[int, int]:
    """Number of a submitted cell by number of the released cell that it was."""
    found: dict[int, int] = {}
    free = dict(enumerate(cells))
    targets = [(r, cell) for r, cell in enumerate(originals) if is_target(cell)]
    rounds: list[Callable[[dict, dict], bool]] = [
        lambda o, c: grade_id(c) == grade_id(o),
        lambda o, c: o["id"] in (c.get("id"), c["metadata"].get("id")),
        lambda o, c: c["source"].strip() == o["source"].strip(),
        _says_so,
    ]
    for same in rounds:
        for r, original in targets:
            if r not in found:
                _take([i for i, cell in free.items() if same(original, cell)],
                      r, original, free, found)
    _match_plain(free, originals, found)
    for r, original in targets:
        if r not in found and not is_check(original):
            _take(_most_alike(original, free), r, original, free, found)
    for r, original in targets:
        if r not in found and not is_fixed(original):
            _take(_in_its_place(r, original, free, found), r, original, free, found)
    return found


def _take(candidates: list[int], r: int, original: dict, free: dict, found: dict) -> None:
    """Of several candidates the one that was worked on, then the one with the right id."""
    def liking(i: int) -> tuple:
        edited = free[i]["source"].strip() != original["source"].strip()
        return edited != is_fixed(original), free[i].get("id") == original["id"], -i

    if candidates:
        found[r] = max(candidates, key=liking)
        del free[found[r]]


def _says_so(original: dict, cell: dict) -> bool:
    """Does the text name the exercise, as its definition or its check would?"""
    name = re.escape(grade_id(original).removesuffix("-check"))
    if is_exercise(original):
        return re.search(rf"^def {name}\(", cell["source"], re.MULTILINE) is not None
    return is_check(original) and re.match(rf"\s*check\(\s*{name}\b", cell["source"]) is not None


def _match_plain(free: dict[int, dict], originals: list[dict], found: dict[int, int]) -> None:
    """Released cells without a role, by text: they show where missing cells belong."""
    by_text: dict[tuple, list[int]] = {}
    for i, cell in free.items():
        by_text.setdefault((cell["cell_type"], cell["source"].strip()), []).append(i)
    for r, original in enumerate(originals):
        same = by_text.get((original["cell_type"], original["source"].strip()))
        if not is_target(original) and same:
            found[r] = same.pop(0)
            del free[found[r]]


def _most_alike(original: dict, free: dict[int, dict]) -> list[int]:
    """By words, and only where it can matter: a hostile notebook must not cost minutes here."""
    matcher = SequenceMatcher(None, (), WORD.findall(original["source"]), autojunk=False)
    hopeful = []
    for i, cell in free.items():
        if len(cell["source"]) < 5 * len(original["source"]):
            matcher.set_seq1(WORD.findall(cell["source"]))
            hopeful.append((matcher.quick_ratio(), -i))
    ratios = []
    for bound, i in sorted(hopeful, reverse=True)[:20]:
        if bound >= ALIKE:
            matcher.set_seq1(WORD.findall(free[-i]["source"]))
            ratios.append((matcher.ratio(), i))
    ratio, i = max(ratios, default=(0, 0))
    return [-i] if ratio >= ALIKE else []


def _in_its_place(r: int, original: dict, free: dict, found: dict) -> list[int]:
    """The only cell of the same type between its neighbours (an answer resembles no question)."""
    before, after = found.get(r - 1), found.get(r + 1)
    if before is None or after is None:
        return []
    between = [i for i in range(before + 1, after)
               if i in free and free[i]["cell_type"] == original["cell_type"]]
    return between if len(between) == 1 else []


def _place(r: int, originals: list[dict], found: dict[int, int]) -> tuple:
    """Where a missing cell goes, as a key to sort by.

    A check goes in front of what follows it, so that all the learner's cells for its exercise stay
    before it; any other cell right behind what precedes it.
    """
    before = max((found[q] for q in found if q < r), default=-1)
    if is_check(originals[r]):
        after = [found[q] for q in found if q > r and found[q] > before]
        return (min(after) - 1 if after else 10**9, 3, r)
    previous = next((found[q] for q in range(r - 1, -1, -1) if q in found), -1)
    return (previous, 2, r)


# --- what becomes of a cell ---------------------------------------------------------------------


def _fresh(original: dict) -> dict:
    return copy.deepcopy(original)


def _own_text_of_locked(cell: dict, original: dict) -> dict | None:
    """A locked code cell that was edited anyway: an import in it may be what an exercise needs."""
    if is_fixed(original) and not is_check(original) and cell["cell_type"] == "code" \
            and original["cell_type"] == "code" \
            and cell["source"].strip() != original["source"].strip():
        return copy.deepcopy(cell)
    return None


def _as_released(cell: dict, original: dict, remarks: list[str]) -> dict:
    """The submitted cell with the release's metadata, id and type, and text if that is fixed."""
    made = _fresh(original)
    if cell["cell_type"] != original["cell_type"]:
        remarks.append(f"{_called(original)} had become a {cell['cell_type']} cell: turned back")
    if not is_fixed(original):
        made["source"] = cell["source"]
    elif cell["source"].strip() != original["source"].strip():
        kept = "" if is_check(original) or original["cell_type"] != "code" \
            else ", your text is kept below it"
        remarks.append(f"{_called(original)} had been edited: its own text is back{kept}")
    if original["cell_type"] == "code":
        made["outputs"] = cell.get("outputs", [])
        made["execution_count"] = cell.get("execution_count")
    elif "attachments" in cell:
        made["attachments"] = cell["attachments"]
    return made


def _plain(cell: dict, original: dict | None = None) -> dict:
    """A cell without a role: no metadata but that of the release, if it is a released cell."""
    made = {**cell, "metadata": copy.deepcopy(original["metadata"]) if original else {}}
    if original:
        made["id"] = original["id"]
    return made


def _remark_on_copy(cell: dict, known: dict[str, dict], remarks: list[str]) -> None:
    if "nbgrader" not in cell["metadata"]:
        return
    original = known.get(grade_id(cell))
    if original is not None:
        remarks.append(f"there was a second copy of {_called(original)}: it stays, as a cell of "
                       "your own")
    elif role(cell).get("grade") or role(cell).get("solution"):
        remarks.append(f"a cell had grading marks that this notebook does not know "
                       f"({str(grade_id(cell))[:60]!r}): removed")


def _number(cells: list[dict], reserved: set[str]) -> None:
    """Ids that are valid and unique; the release's belong to the release's cells."""
    seen: set[str] = set()
    fresh: Iterator[str] = (f"own-{n}" for n in range(1, 10**9))
    for cell in cells:
        old = cell.get("id")
        wrong = not isinstance(old, str) or not ID.fullmatch(old) or old in seen or (
            old in reserved and not is_target(cell))
        if wrong:
            taken = {other.get("id") for other in cells} | seen
            cell["id"] = next(name for name in fresh if name not in taken)
        seen.add(cell["id"])
