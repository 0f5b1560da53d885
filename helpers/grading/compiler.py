"""Would the kernels compile for a GPU?  Asked on any machine: Triton compiles without one."""

from __future__ import annotations

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import mangle_type

from helpers import gpu

from .failures import Failure, explain_crash
from .trace import Launch

TARGET = (8, 0)     # where no GPU says otherwise: the oldest with every feature the course uses


def compile_launches(launches: list[Launch], capability: tuple[int, int] = TARGET) -> (
        Failure | None):
    """The first compile error among these launches, or None.

    The interpreter accepts any Python in a kernel, also what no GPU could run; the compiler does
    not.  Needless where a GPU is present: running there compiles too.
    """
    if gpu.device() is not None:
        return None
    seen = set()
    for launch in reversed(launches):       # the last launches are the largest
        if id(launch.function) in seen:
            continue
        seen.add(id(launch.function))
        try:
            compiled = compile_launch(launch, capability)
        except Exception as error:      # any failure to compile is the learner's to see
            failure = explain_crash(error, "compiling for a GPU", None)
            failure.lines.append("The interpreter runs it, but it does not compile for a GPU.")
            return failure
        if compiled is not None and "tt.store" not in compiled.asm["ttir"] and not any(
                word in compiled.asm["ttir"] for word in ("tt.atomic", "tt.descriptor_store")):
            return Failure([f"{launch.function.__name__} stores nothing once it is compiled."])
    return None


def compile_launch(launch: Launch, capability: tuple[int, int]):
    """Compile one launch for compute capability `capability`; None where arguments forbid it."""
    signature, constants = {}, {}
    for parameter in launch.function.params:
        value = launch.arguments[parameter.name]
        if parameter.is_constexpr or value is None:
            signature[parameter.name], constants[parameter.name] = "constexpr", value
        elif type(value).__name__ == "TensorDescriptor":
            return None     # its type depends on the target; the GPU run covers it
        else:
            kind = signature[parameter.name] = mangle_type(value)
            if isinstance(value, tuple):        # a 1 in a tuple is a constant
                place = launch.function.arg_names.index(parameter.name)
                constants |= {(place, i): value[i] for i, one in enumerate(kind)
                              if one == "constexpr"}
    return triton.compile(ASTSource(launch.function, signature=signature, constexprs=constants),
                          target=GPUTarget("cuda", capability[0] * 10 + capability[1], 32),
                          options=launch.options)
