"""Trips to memory, counted: what a chain of operations costs eager, fused, and in sweeps.

A program is a few lines of text, one operation a line, as PyTorch would run them:

    m   = max(x)
    d   = x - m
    e   = exp(d)
    s   = sum(e)
    out = e / s

`max`, `sum` and `mean` reduce each row to one number; everything else works element by element.
A *pass* is one trip of a whole tensor, in or out.  The model has one rule: what is loaded or
stored crosses the belt, what stays inside a kernel does not, and time = bytes / bandwidth.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

REDUCTIONS = ("max", "sum", "mean")
FLOPS = {"softmax": 5, "gelu": 10}      # an element, roughly; every other operation counts as 1
OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}

SIN2_COS2 = """
s   = sin(x)
c   = cos(x)
s2  = s * s
c2  = c * c
out = s2 + c2
"""

SOFTMAX = """
m   = max(x)
d   = x - m
e   = exp(d)
s   = sum(e)
out = e / s
"""

UNSAFE_SOFTMAX = """
e   = exp(x)
s   = sum(e)
out = e / s
"""

RESIDUAL_RMS_NORM = """
h   = x + r
q   = h * h
ms  = mean(q)
s   = rsqrt(ms)
y   = h * s
out = y * weight
"""


def chain(k: int) -> str:
    """The program of `k` cheap steps, one after another: out = f(f(...f(x)))."""
    names = ["x", *(f"y{i}" for i in range(1, k)), "out"]
    return "\n".join(f"{to} = mul({of})" for of, to in zip(names, names[1:], strict=False))


# --- programs -----------------------------------------------------------------------------------

@dataclass(frozen=True)
class Step:
    """One line of a program: `out = op(inputs)`."""

    out: str
    op: str
    inputs: tuple[str, ...]


def steps(program: str) -> list[Step]:
    """The lines of a program.  Raises ValueError for a line with more than one operation."""
    parsed = []
    for line in ast.parse(program).body:
        text = ast.unparse(line)
        if not (isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)):
            raise ValueError(f"{text!r} is not of the form 'name = operation'.")
        match line.value:
            case ast.Call(func=ast.Name(id=op), args=operands):
                pass
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
                op, operands = OPERATORS[type(operator)], [left, right]
            case _:
                raise ValueError(f"{text!r} has no operation.")
        if not all(isinstance(operand, (ast.Name, ast.Constant)) for operand in operands):
            raise ValueError(f"{text!r} has more than one operation: give each its own line.")
        names = [operand.id for operand in operands if isinstance(operand, ast.Name)]
        parsed.append(Step(line.targets[0].id, op, tuple(dict.fromkeys(names))))
    return parsed


# --- plans --------------------------------------------------------------------------------------

class Kernel(NamedTuple):
    """One launch: the tensors it loads from global memory and those it stores there."""

    name: str
    loads: tuple[str, ...]
    stores: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """Kernels in order, and the bytes of each tensor that they load or store."""

    kernels: tuple[Kernel, ...]
    sizes: dict[str, int] = field(repr=False)
    flops: int = field(default=0, repr=False)   # a rough count: a sine is one
    noun: str = "kernel"

    @property
    def loads(self) -> list[str]:
        """Every tensor loaded, once for each load."""
        return [name for kernel in self.kernels for name in kernel.loads]

    @property
    def stores(self) -> list[str]:
        """Every tensor stored, once for each store."""
        return [name for kernel in self.kernels for name in kernel.stores]

    @property
    def reads(self) -> int:
        """Loads of a whole tensor (row statistics and weights are too small to count)."""
        return sum(self.whole(name) for name in self.loads)

    @property
    def writes(self) -> int:
        """Stores of a whole tensor."""
        return sum(self.whole(name) for name in self.stores)

    @property
    def passes(self) -> int:
        """Trips of a whole tensor, in either direction."""
        return self.reads + self.writes

    @property
    def bytes(self) -> int:
        """Everything that crosses the belt, the small tensors included."""
        return sum(self.sizes[name] for name in self.loads + self.stores)

    @property
    def pieces(self) -> list[tuple[str, str, float]]:
        """Every trip as (tensor, "read" or "write", bytes): what `plots.traffic` draws."""
        return [(name, way, self.sizes[name]) for kernel in self.kernels
                for names, way in ((kernel.loads, "read"), (kernel.stores, "write"))
                for name in names]

    def whole(self, name: str) -> bool:
        """Is `name` as large as the largest tensor of the plan?"""
        return self.sizes[name] == max(self.sizes.values())

    def milliseconds(self, bandwidth: float) -> float:
        """Predicted time at `bandwidth` bytes per second, if memory is the limit."""
        return self.bytes / bandwidth * 1e3

    def __str__(self) -> str:
        rows = [(self.noun, "loads", "stores")]
        rows += [(k.name, " ".join(k.loads), " ".join(k.stores)) for k in self.kernels]
        width = [max(len(row[column]) for row in rows) for column in range(2)]
        lines = [f"{a:{width[0]}}  {b:{width[1]}}  {c}".rstrip() for a, b, c in rows]
        return "\n".join([*lines, self.summary])

    @property
    def summary(self) -> str:
        """The counts in one line."""
        def count(number: int, noun: str) -> str:
            return f"{number} {noun}{'s' * (number != 1)}"

        return (f"{count(len(self.kernels), self.noun)}: {count(self.reads, 'read')} + "
                f"{count(self.writes, 'write')} = {self.passes} passes, {_size(self.bytes)}")


def _size(count: int) -> str:
    """A number of bytes in a unit that reads well."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} B"


def _shapes(parsed: Sequence[Step], shapes: dict) -> dict[str, tuple[int, ...]]:
    """Shape of every name: a reduction leaves one number a row, the rest keep the largest."""
    known = {name: tuple(shape) for name, shape in shapes.items()}
    for step in parsed:
        missing = [name for name in step.inputs if name not in known]
        if missing:
            raise ValueError(f"{step.out} needs {missing[0]}: give its shape, {missing[0]}=(M, N).")
        largest = max((known[name] for name in step.inputs), key=math.prod)
        known[step.out] = largest[:-1] if step.op in REDUCTIONS else largest
    return known


def _plan(kernels: Sequence[Kernel], shapes: dict, itemsize: int, work: Sequence[Step],
          noun: str = "kernel") -> Plan:
    used = {name for kernel in kernels for name in kernel.loads + kernel.stores}
    sizes = {name: itemsize * math.prod(shapes[name]) for name in shapes if name in used}
    flops = sum(FLOPS.get(step.op, 1) * max(math.prod(shapes[name]) for name in step.inputs)
                for step in work)
    return Plan(tuple(kernels), sizes, flops, noun)


def eager(program: str, itemsize: int = 4, **shapes: Sequence[int]) -> Plan:
    """One kernel a line: each loads its inputs and stores its result."""
    parsed = steps(program)
    kernels = [Kernel(step.op, step.inputs, (step.out,)) for step in parsed]
    return _plan(kernels, _shapes(parsed, shapes), itemsize, parsed)


def fused(program: str, keep: Sequence[str] = ("out",), itemsize: int = 4,
          **shapes: Sequence[int]) -> Plan:
    """One kernel that holds its part of every tensor on chip: inputs in once, `keep` out once."""
    parsed = steps(program)
    known = _shapes(parsed, shapes)
    made = {step.out for step in parsed}
    inputs = tuple(dict.fromkeys(n for step in parsed for n in step.inputs if n not in made))
    return _plan([Kernel("fused", inputs, tuple(keep))], known, itemsize, parsed)


def sweeps(program: str, keep: Sequence[str] = ("out",), itemsize: int = 4,
           **shapes: Sequence[int]) -> Plan:
    """One kernel that cannot hold a row: every reduction ends a sweep, the next reads anew.

    Row statistics stay on chip between sweeps; everything else is loaded again or computed again
    from what is loaded.  A kept tensor that an earlier sweep stored is loaded, not recomputed.
    """
    parsed = steps(program)
    known = _shapes(parsed, shapes)
    by_name = {step.out: step for step in parsed}
    whole = max(math.prod(shape) for shape in known.values())

    sweep_of = {name: 0 for name in shapes}     # the first sweep in which a name can be known
    for step in parsed:
        sweep_of[step.out] = max(
            sweep_of[n] + (n in by_name and by_name[n].op in REDUCTIONS) for n in step.inputs)

    kernels: list[Kernel] = []
    work: list[Step] = []
    stored: set[str] = set()
    for sweep in range(max(sweep_of.values()) + 1):
        loads: dict[str, None] = {}
        computed: set[str] = set()

        def visit(name: str, sweep=sweep, loads=loads, computed=computed) -> None:
            if name not in by_name or name in stored:
                loads[name] = None
            elif sweep_of[name] < sweep and math.prod(known[name]) < whole:
                pass                            # a row statistic, still on chip
            elif name not in computed:
                computed.add(name)
                work.append(by_name[name])
                for operand in by_name[name].inputs:
                    visit(operand)

        out = tuple(s.out for s in parsed if sweep_of[s.out] == sweep and s.out in keep)
        for step in parsed:
            if sweep_of[step.out] == sweep and (step.op in REDUCTIONS or step.out in keep):
                visit(step.out)
        if computed:
            kernels.append(Kernel(f"sweep {len(kernels) + 1}", tuple(loads), out))
            stored.update(out)
    return _plan(kernels, known, itemsize, work, "sweep")


# --- what PyTorch really does -------------------------------------------------------------------

class _Recorder(TorchDispatchMode):
    """Every operation that PyTorch dispatches and that is not a mere view of its input."""

    def __init__(self, names: dict[int, str]):
        super().__init__()
        self.names = names          # storage address -> name
        self.given = len(names)
        self.alive: list = []       # keeps intermediates, so that no address is used twice
        self.kernels: list[Kernel] = []
        self.sizes: dict[str, int] = {}

    def name(self, tensor: torch.Tensor) -> str:
        key = tensor.untyped_storage().data_ptr()
        name = self.names.setdefault(key, f"t{len(self.names) - self.given + 1}")
        size = tensor.numel() * tensor.element_size()
        self.sizes[name] = max(size, self.sizes.get(name, 0))
        return name

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        results = [t for t in tree_leaves(result) if torch.is_tensor(t)]
        self.alive += results
        alias = [returned.alias_info for returned in func._schema.returns]
        if not any(info is not None and not info.is_write for info in alias):
            inputs = [t for t in tree_leaves((args, kwargs))
                      if torch.is_tensor(t)]
            loads = tuple(dict.fromkeys(self.name(t) for t in inputs))
            stores = tuple(dict.fromkeys(self.name(t) for t in results))
            self.kernels.append(Kernel(func._schema.name.split("::")[-1], loads, stores))
        return result


def observe(function: Callable, **tensors: torch.Tensor) -> Plan:
    """Run `function(*tensors)` in eager PyTorch and write down what each operation moves.

    Counts what an operation's arguments and results weigh.  How often a library kernel reads its
    argument inside is not visible from here.
    """
    names = {t.untyped_storage().data_ptr(): name for name, t in tensors.items()}
    with _Recorder(names) as recorder:
        result = function(*tensors.values())
    results = [result] if torch.is_tensor(result) else list(result)
    rename = {recorder.name(t): "out" if len(results) == 1 else f"out{i}"
              for i, t in enumerate(results, 1)}
    kernels = tuple(Kernel(k.name, tuple(rename.get(n, n) for n in k.loads),
                           tuple(rename.get(n, n) for n in k.stores)) for k in recorder.kernels)
    sizes = {rename.get(name, name): size for name, size in recorder.sizes.items()}
    return Plan(kernels, sizes)
