"""What a kernel becomes: PTX, registers, spilled bytes.  Compiles for any GPU, without having one.

Triton's package carries NVIDIA's assembler and disassembler, so a laptop can ask what an H200
would run.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

HOPPER = (9, 0)


@dataclass(frozen=True)
class Assembly:
    """One kernel, compiled: what one thread runs and what it occupies."""

    ptx: str
    registers: int      # per thread, 32 bits each
    spilled: int        # bytes per thread that found no register and live in local memory
    shared: int         # bytes per block

    def instructions(self, *names: str) -> list[str]:
        """Lines of PTX whose instruction starts with one of `names`; all without names."""
        code = [line.strip() for line in self.ptx.splitlines()]
        wanted = [re.sub(r"^@!?%p\d+ ", "", line) for line in code]
        return [line for line, bare in zip(code, wanted, strict=True)
                if line.endswith(";") and bare.startswith(names or "") and not bare.startswith(".")]


def compiled(kernel: JITFunction, capability: tuple[int, int] = HOPPER, warps: int = 4,
             **arguments) -> Assembly:
    """Compile `kernel` for a compute capability.

    Arguments are types for what is passed at run time ("*fp32" for a pointer, "i32"), values for
    `tl.constexpr` parameters.  Pointers and sizes count as multiples of 16, as they usually are.
    """
    names = [parameter.name for parameter in kernel.params]
    missing = [name for name in names if name not in arguments]
    if missing:
        raise ValueError(f"{kernel.__name__} also needs {', '.join(missing)}.")
    constants = {p.name: arguments[p.name] for p in kernel.params if p.is_constexpr}
    signature = {name: "constexpr" if name in constants else arguments[name] for name in names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, name in enumerate(names)
               if name not in constants}
    result = triton.compile(
        ASTSource(kernel, signature=signature, constexprs=constants, attrs=aligned),
        target=GPUTarget("cuda", capability[0] * 10 + capability[1], 32),
        options={"num_warps": warps})
    usage = _resource_usage(result.asm["cubin"])
    return Assembly(result.asm["ptx"], usage["REG"], usage["STACK"] + usage["LOCAL"],
                    int(result.metadata.shared))


def _resource_usage(cubin: bytes) -> dict[str, int]:
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([tool, "-res-usage", file.name], check=True, capture_output=True,
                              text=True).stdout
    return {name: int(amount) for name, amount in re.findall(r"(REG|STACK|LOCAL):(\d+)", text)}
