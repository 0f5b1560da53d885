"""Measurements of the notebooks: on a GPU they measure, elsewhere they recall an H200's."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib import resources

from helpers import gpu


def experiment(function: Callable) -> Callable:
    """A measurement that returns numbers by name.

    With a GPU it runs.  Without one it returns what the same function returned on an NVIDIA H200
    (`helpers/measured/<notebook>.json`).  The entry "where" says which, for the figure's title.
    """
    notebook = function.__module__.rpartition(".")[2]

    @functools.wraps(function)
    def run(*arguments, **options):
        if gpu.device() is None:
            data = recalled(notebook)
            return data["results"][function.__name__] | {"where": f"measured on an {data['gpu']}"}
        return function(*arguments, **options) | {"where": f"measured on this {gpu.name()}"}

    run.measures = True
    return run


@functools.lru_cache
def recalled(notebook: str) -> dict:
    """The stored measurements of a notebook: gpu, date, versions and results by experiment."""
    return json.loads((resources.files("helpers") / "measured" / f"{notebook}.json").read_text())


def store(module) -> str:
    """Run every experiment of `module` on this GPU; JSON text for `helpers/measured/`."""
    import datetime
    from importlib import metadata

    results = {}
    for name, function in vars(module).items():
        if getattr(function, "measures", False):
            results[name] = {k: v for k, v in function().items() if k != "where"}
    return json.dumps({
        "gpu": gpu.name(), "date": datetime.date.today().isoformat(),
        "versions": {package: metadata.version(package) for package in ("torch", "triton")},
        "results": results}, indent=1, allow_nan=False)
