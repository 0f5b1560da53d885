"""What went wrong, in the learner's terms."""

from __future__ import annotations

import inspect
import re
import traceback
from dataclasses import dataclass
from pathlib import Path

import torch
import triton

from helpers.exercises.contract import sizes

from .draw import POISONS
from .numerics import Mismatch
from .quiet import TookTooLong
from .trace import describe

_OURS = (str(Path(__file__).parent.parent), str(Path(triton.__file__).parent),
         str(Path(torch.__file__).parent))


# What Python or Triton say, and what to do about it.
_ADVICE = (
    ("outside of the scope of a kernel", "Launch a kernel with a grid: kernel[grid](...)."),
    ("'int' object is not iterable|not subscriptable", "A pointer is not indexed: "
     "write tl.load(x_ptr + offsets)."),
    ("must be Tensor, not tensor", "Inside a kernel use tl., not torch. or math."),
    (r"for \*\*|\*\* or pow", "Triton has no **: write s * s."),
    ("integer division or modulo by zero", "A divisor may be 0 in a corner case: "
     "which of your divisors?"),
    ("range's arguments must be|power of 2", "tl.arange needs a power of two: "
     "triton.next_power_of_2(n) gives one, and the mask does the rest."),
)

# Faults that show work done by something else than kernels.
_FOREIGN = ("changed outside", "changed behind", "reads unwritten")


@dataclass
class Failure:
    """Lines for the report, most important first, and the known mistake if it is one."""

    lines: list[str]
    mistake: str | None = None

    def name_right(self, attempts: list) -> None:
        """Say which cases are right: the learner sees what the wrong ones have in common."""
        wrong = self.lines[0].partition(" ")[0]
        shown = list(dict.fromkeys(sizes(attempt.dims) for attempt in attempts))
        if any(wrong in one.split() for one in shown):      # the same size in another dtype
            shown = list(dict.fromkeys(str(attempt) for attempt in attempts))
        if shown:
            self.lines.insert(1, f"Right: {'; '.join(shown)}.")


def explain_faults(trace, work: list[str], ghost: bool, attempt) -> Failure | None:
    """A failure from what the interpreter saw: memory faults, and work done outside kernels."""
    if work:
        names = ", ".join(work)
        return Failure([f"PyTorch does work here ({names}): it must be done by your Triton "
                        "kernel. Allocating, filling and viewing tensors is fine."])
    foreign = [fault for fault in trace.faults if fault.kind in _FOREIGN]
    if foreign:
        return Failure([f"{attempt}: {describe(foreign[0])}",
                        "The work must be done by your Triton kernel, with tl.load and tl.store."])
    if not trace.faults or ghost:
        return None
    lines = [f"{attempt}: {describe(trace.faults[0])}"]
    kinds = {fault.kind for fault in trace.faults}
    if any(kind.endswith("between") for kind in kinds):
        lines.append("Row m starts at m times the stride, which may be more than N; and lanes "
                     "beyond the last column must neither load nor store.")
    elif any(kind.endswith("outside") for kind in kinds):
        lines.append("Lanes beyond the last element must neither load nor store: give every "
                     "tl.load and tl.store a mask.")
    else:
        lines.append("Programs run in any order and at the same time: no program may depend on "
                     "what another one stores.")
    return Failure(lines)


def explain_poison(name: str, output: torch.Tensor, attempt) -> Failure | None:
    """A failure when (part of) the output was never stored to."""
    if attempt.poison != attempt.poison:
        return None if not bool(output.isnan().all()) else _untouched(name, output, attempt)
    poison = torch.tensor(POISONS[1], dtype=output.dtype, device=output.device)
    left = output == poison
    if bool(left.all()):
        return _untouched(name, output, attempt)
    if bool(left.any()):
        flat = left.flatten()
        return Failure([f"{attempt}: {int(flat.sum())} of {flat.numel()} elements of {name} were "
                        f"never stored, the first at {_index(left)}."])
    return None


def _untouched(name, output, attempt) -> Failure:
    return Failure([f"{attempt}: {name} still holds what it was filled with before the call, or "
                    "NaN everywhere.",
                    f"Does your kernel store to {name}, for all {output.numel()} elements?"])


def _index(mask: torch.Tensor) -> list[int]:
    return mask.nonzero()[0].tolist()


def explain_mismatch(mismatch: Mismatch, attempt) -> Failure:
    """A failure that says where the numbers are wrong, and what the wrong places share."""
    wrong, name = mismatch.wrong, mismatch.output
    if wrong.ndim == 2:
        rows, columns = wrong.any(1), wrong.any(0)
        where = f"in {int(rows.sum())} of {rows.numel()} rows"
        if int(columns.sum()) < columns.numel():
            first, last = columns.nonzero()[[0, -1], 0].tolist()
            where += f", columns {first} to {last}" if first != last else f", column {first}"
    else:
        flat = wrong.flatten()
        first, last = flat.nonzero()[[0, -1], 0].tolist()
        where = f"in {int(flat.sum())} of {flat.numel()} elements, from {first} to {last}"
    index = list(mismatch.index)
    lines = [f"{attempt}: {name} is wrong {where}."]
    if mismatch.yours != mismatch.yours:
        lines.append(f"  NaN at {index}, expected {mismatch.truth:.6g}")
    else:
        lines.append(f"  largest error {mismatch.error:.2g} at {index}; "
                     f"allowed {mismatch.allowed:.1g} (from PyTorch's own error)")
        lines.append(f"  yours {mismatch.yours:.6g}, expected {mismatch.truth:.6g}")
    return Failure(lines)


def explain_crash(error: BaseException, attempt, trace) -> Failure:
    """A failure from an exception: the learner's line first, then the reason in one sentence."""
    chain = [error]
    while chain[-1].__cause__ is not None:
        chain.append(chain[-1].__cause__)
    deepest = chain[-1]
    if isinstance(deepest, TookTooLong):
        return Failure([f"{attempt}: {deepest}."])
    lines = []
    for link in reversed(chain):
        line = _compile_line(link) or _learner_line(link)
        if line:
            lines.append(line)
            break
    try:
        reason = getattr(deepest, "error_message", None) or str(deepest)
    except Exception:       # an exception that cannot even say what it is
        reason = ""
    text = reason.strip().splitlines()
    # Triton's message ends with the sentence; what comes before repeats the source.
    reason = text[-1].strip()[:300] if text else "(it gives no reason)"
    if "illegal memory access" in reason or "CUDA error" in reason:
        reason = ("the kernel broke the GPU's context (an access outside its tensors). "
                  "Restart the notebook's kernel before you go on.")
    name = type(deepest).__name__
    for pattern, advice in _ADVICE:
        if re.search(pattern, reason):
            lines.append(advice)
    lines.insert(0, f"{attempt}: {name}: {reason}")
    if trace is not None and trace.faults:
        lines.append(describe(trace.faults[0]))
    return Failure(lines)


def explain_signature(name: str, wanted: list[str], function) -> Failure | None:
    """A failure when `function` cannot be called with the arguments `wanted`."""
    try:
        inspect.signature(function).bind(*wanted)
    except TypeError as error:
        lines = [f"{name} is called as {name}({', '.join(wanted)}), and yours does not take that: "
                 f"{error}."]
        if wanted[0] == "out":
            lines.append("The result goes into out, which exists already and comes first; nothing "
                         "is returned.")
        return Failure(lines)
    except ValueError:
        return None         # no signature to be had: the call itself will tell
    return None


def _compile_line(error) -> str | None:
    node, source = getattr(error, "node", None), getattr(error, "src", None)
    if node is None or source is None or not hasattr(node, "lineno"):
        return None
    text = source.splitlines()
    if not 0 < node.lineno <= len(text):
        return None
    return f"  your line: {text[node.lineno - 1].strip()}"


def _learner_line(error) -> str | None:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        inside = frame.filename.startswith(_OURS) or re.search(
            r"site-packages|/lib/python3", frame.filename)
        if frame.line and (not inside or "kernels" in Path(frame.filename).parts):
            return f"  your line {frame.lineno}: {frame.line.strip()}"
    return None
