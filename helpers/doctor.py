"""Can this machine run the course?  Each problem is one sentence and one command that fixes it."""

from __future__ import annotations

import os
import re
import sys
from importlib import metadata, util

TESTED_TRITON = ((3, 6), (3, 9))        # oldest and newest version that the tests run
# PyTorch and Triton come in pairs: the release of one names the other.
PAIRS = {(2, 11): "3.6.0", (2, 12): "3.7.0", (2, 13): "3.7.1", (2, 14): "3.8.0"}


class EnvironmentProblem(ImportError):
    """The course cannot run here; the message says why and what to do."""


def version(package: str) -> tuple[int, ...] | None:
    """Version of an installed package as numbers, or None when it is missing."""
    if util.find_spec(package) is None:
        return None
    try:
        return tuple(int(n) for n in re.findall(r"\d+", metadata.version(package))[:3])
    except metadata.PackageNotFoundError:
        return None


def matching_triton() -> str:
    """The Triton that belongs to the installed PyTorch, as pip writes it."""
    torch = version("torch")
    return f"triton=={PAIRS[torch[:2]]}" if torch and torch[:2] in PAIRS else "triton"


def problems() -> list[str]:
    """What keeps the course from running here, each with the command that mends it."""
    found = []
    if sys.version_info < (3, 11):
        found.append(f"Python {sys.version_info[0]}.{sys.version_info[1]} is too old, 3.11 is "
                     "needed: python3.11 -m venv .venv")
    if sys.platform != "linux":
        return [*found, f"Triton has no package for {sys.platform}: use Linux, for example on "
                        "Google Colab (on Windows: wsl --install)."]
    for package, command in (("torch", "pip install torch"), ("numpy", "pip install numpy")):
        if version(package) is None:
            found.append(f"{package} is missing: {command}")
    triton = version("triton")
    if triton is None:
        found.append(f"triton is missing: pip install {matching_triton()}")
    elif triton[:2] < TESTED_TRITON[0]:
        found.append(f"triton {_dotted(triton)} is too old, {_dotted(TESTED_TRITON[0])} or later "
                     f"is needed: pip install {matching_triton()}")
    numpy = version("numpy")
    if numpy is not None and numpy < (2, 0):
        found.append(f"numpy {_dotted(numpy)} is too old, 2.0 or later is needed: "
                     "pip install 'numpy>=2'")
    return found


def remarks() -> list[str]:
    """What is unusual but does not keep the course from running."""
    found = []
    torch, triton = version("torch"), version("triton")
    wanted = PAIRS.get(torch[:2]) if torch else None
    if triton and triton[:2] > TESTED_TRITON[1]:
        found.append(f"triton {_dotted(triton)} is newer than the course was tested with.")
    elif wanted and triton and _dotted(triton[:2]) != ".".join(wanted.split(".")[:2]):
        found.append(f"torch {_dotted(torch)} belongs with triton {wanted}, "
                     f"found {_dotted(triton)}: pip install triton=={wanted}")
    widgets = version("ipywidgets")
    if widgets is None:
        found.append("ipywidgets is missing, so sliders are plain pictures: "
                     "pip install ipywidgets")
    elif widgets < (7,):
        found.append(f"ipywidgets {_dotted(widgets)} is too old: pip install -U ipywidgets")
    if version("matplotlib") is None:
        found.append("matplotlib is missing, so there are no figures: pip install matplotlib")
    return found


def prepare() -> None:
    """Called once by `import helpers`: refuse with a clear sentence, or set Triton up.

    Raises EnvironmentProblem.
    """
    found = problems()
    if found:
        raise EnvironmentProblem("\n".join(found))
    # The course runs kernels in the interpreter where it needs to, whatever this variable says;
    # left set on a GPU box it would make every benchmark meaningless.
    if "triton" not in sys.modules:
        os.environ.pop("TRITON_INTERPRET", None)
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")      # Triton 3.9 warns when it is unset


def self_test() -> None:
    """Run a known kernel; raises RuntimeError with a clear sentence when its result is wrong."""
    import torch

    from helpers import gpu
    from helpers.kernels.vector_add import vector_add

    x = torch.arange(5, dtype=torch.float32, device=gpu.device() or "cpu")
    out = torch.full_like(x, -1.0)
    try:
        vector_add(out, x, x)
    except Exception as error:
        raise RuntimeError(
            f"Triton cannot run a known kernel here ({type(error).__name__}: {error}). "
            f"Reinstall it: pip install --force-reinstall {matching_triton()}") from error
    if not torch.equal(out, 2 * x):
        raise RuntimeError(
            f"Triton computes a known kernel wrongly here: {out.tolist()} instead of "
            f"{(2 * x).tolist()}. Reinstall it: pip install --force-reinstall {matching_triton()}")


def report() -> str:
    """One line of truth about this environment, then one line for each remark."""
    from helpers import gpu

    self_test()
    line = (f"Python {_dotted(sys.version_info[:2])}, torch {metadata.version('torch')}, "
            f"triton {metadata.version('triton')}. ")
    if gpu.device() is not None:
        import torch

        major, minor = torch.cuda.get_device_capability()
        line += f"GPU: {gpu.name()} (compute capability {major}.{minor}). "
    else:
        line += (f"{gpu.problem()} Kernels run in Triton's interpreter: "
                 "right or wrong shows, speed does not. ")
    return "\n".join([line + "A known kernel gives the right result.", *remarks()])


def _dotted(numbers) -> str:
    return ".".join(str(n) for n in numbers)
