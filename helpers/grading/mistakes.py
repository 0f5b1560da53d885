"""Known wrong versions of an exercise: edits of the reference's own source.

The same list names a learner's error and, in tests, proves that the examiner refuses it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import linecache
import sys
import types
from collections.abc import Callable

from helpers.exercises.contract import Exercise, Mistake


def reference(exercise: Exercise) -> Callable:
    """The reference solution, `helpers/kernels/<name>.py`."""
    return getattr(importlib.import_module(f"helpers.kernels.{exercise.name}"), exercise.name)


def source(exercise: Exercise) -> str:
    """The text of the reference solution's file."""
    return inspect.getsource(importlib.import_module(f"helpers.kernels.{exercise.name}"))


def load(name: str, text: str) -> Callable:
    """The function `name` defined by `text`, with a source that `inspect` (and Triton) can find."""
    file = f"<{name} {abs(hash(text)):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = sys.modules[file] = types.ModuleType(file)     # a dataclass looks for its module
    exec(compile(text, file, "exec"), module.__dict__)
    return module.__dict__[name]


@functools.lru_cache(maxsize=256)
def _variant(name: str, edits: tuple[tuple[str, str], ...], text: str) -> Callable:
    for old, new in edits:
        if old not in text:
            raise ValueError(f"{name}: the reference no longer contains {old!r}")
        text = text.replace(old, new)
    return load(name, text)


def variant(exercise: Exercise, mistake: Mistake) -> Callable:
    """The wrong version as a function.  Raises ValueError when an edit no longer applies."""
    return _variant(exercise.name, tuple(mistake.replace.items()), source(exercise))
