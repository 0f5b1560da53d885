"""What torch.compile makes of a function: which kernels it launches, and what they compute."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .grading.quiet import quiet

# A launch in the code that Inductor writes: a generated Triton or C++ kernel, or a library call.
_LAUNCH = re.compile(r"(triton_\w+)\.run\(|(cpp_fused\w*)\(|extern_kernels\.(\w+)\("
                     r"|torch\.ops\.aten\.(\w+)\.\w+\(")


@dataclass(frozen=True)
class Compiled:
    """A compiled function, or the reason why there is none."""

    function: Callable | None = field(repr=False)
    kernels: tuple[str, ...]
    source: str = field(repr=False)
    problem: str | None = None

    @property
    def arithmetic(self) -> str:
        """The lines of the generated kernels that load, compute and store; nothing around them."""
        lines = (line.strip() for line in self.source.split("def call(")[0].splitlines())
        return "\n".join(line for line in lines if re.search(r"\btmp\d+\b", line))


def torch_compile(function: Callable, *arguments) -> Compiled:
    """Compile `function` for these arguments and read the code that Inductor wrote.

    Never raises: where torch.compile cannot work (no C++ compiler, an unsupported Python or
    GPU), `problem` says why.
    """
    try:
        import torch
        from torch._inductor.utils import run_and_get_code

        with quiet():
            torch._dynamo.reset()
            compiled = torch.compile(function)
            _, sources = run_and_get_code(compiled, *arguments)
    except Exception as error:      # Inductor wraps whatever its compilers say
        return Compiled(None, (), "", f"{type(error).__name__}: {_reason(error)}")
    source = "\n".join(sources)
    body = source.split("def call(", 1)[-1]
    launches = (next(filter(None, found.groups())) for found in _LAUNCH.finditer(body))
    return Compiled(compiled, tuple(launches), source)


def _reason(error: Exception) -> str:
    """The innermost cause in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:160] if lines else "no further reason given"
