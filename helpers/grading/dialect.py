"""The language of graded kernels: Triton's, and nothing of Python beyond it.

A kernel that comes from a learner is run by the interpreter, as Python, in the process that
judges it.  So its text is read first: every name must be a parameter, a variable, a number, another
kernel or a member of triton.language, every attribute one that Triton's own values have, every
statement one that Triton compiles.  What passes can load, store and compute, and cannot reach
anything else: no module, no file, no memory but through tl.load and tl.store, where it is watched.
"""

from __future__ import annotations

import ast
import enum
import inspect
import linecache
import textwrap
import types
from collections.abc import Mapping
from typing import Any

import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

ConstexprFunction = type(triton.next_power_of_2)    # the class has moved between versions

LONGEST = 50_000        # characters of one kernel

_STATEMENTS = (
    ast.FunctionDef, ast.arguments, ast.arg, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign,
    ast.If, ast.For, ast.While, ast.Return, ast.Pass, ast.Assert,
)
_EXPRESSIONS = (
    ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Starred, ast.Subscript, ast.Slice,
    ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare,
    ast.IfExp, ast.JoinedStr, ast.FormattedValue,
    ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)
_HINTS = (ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.BinOp, ast.BitOr,
          ast.expr_context)
# What Triton itself takes from Python, less getattr and hasattr (a name made of strings is unread)
# and isinstance (a kernel could tell the interpreter from the compiler).
_PYTHON = {"len": len, "range": range, "float": float, "int": int, "min": min, "max": max,
           "list": list, "tuple": tuple, "bool": bool, "abs": abs,
           "print": lambda *_, **__: None, "AssertionError": AssertionError}
# Types of Triton's that a kernel may make values of; with any other it could forge pointers.
_MAKERS = (tl.constexpr, tl.range, tl.static_range)
# These reach beyond the kernel's own arguments, or are text of another language.
_FORBIDDEN = {"inline_asm_elementwise", "extern_elementwise", "dispatch", "call", "handle"}
_CLASSES = (tl.tensor, tl.dtype, tl.pointer_type, tl.block_type, tl.constexpr, tl.tensor_descriptor)
# Lists that all kernels share, and ways into the compiler.
_FORBIDDEN |= {name for name in dir(tl.dtype) if name.endswith("_TYPES")} | {
    "to_ir", "mangle", "codegen_name", "cache_key_part"}
# Members of Triton's own values: x.to, x.sum, ptr.dtype.element_ty, BLOCK.value, ...
_MEMBERS = ({name for owner in _CLASSES for name in dir(owner) if not name.startswith("_")} | {
    "element_ty", "scalar", "shape", "type", "dtype", "value", "T", "block_shape", "strides",
    "primitive_bitwidth", "int_bitwidth", "fp_mantissa_width", "name", "numel",
}) - _FORBIDDEN


class Refused(Exception):
    """Something that a graded kernel may not hold; the text says what, in the learner's terms."""


def member(path: str) -> Any:
    """The member of triton.language called `path`, as in "math.exp"; raises Refused."""
    return _resolve(tl, "tl", path.split("."))


def _resolve(value, name: str, attributes: list[str]):
    for attribute in attributes:
        if value is tl.PropagateNan and attribute in ("ALL", "NONE"):
            return getattr(value, attribute)
        module = getattr(value, "__name__", "") if isinstance(value, types.ModuleType) else ""
        if not (module == "triton" or module.startswith("triton.language")):
            raise Refused(f"{name}.{attribute} is not part of Triton's language")
        if attribute.startswith("_") or attribute in _FORBIDDEN or not hasattr(value, attribute):
            raise Refused(f"{name}.{attribute} cannot be used in a graded kernel")
        value, name = getattr(value, attribute), f"{name}.{attribute}"
    if not _belongs(value):
        raise Refused(f"{name} is not part of Triton's language")
    return value


def _belongs(value) -> bool:
    """A function, type or constant that Triton offers to kernels."""
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, (JITFunction, ConstexprFunction)):
        return home == "triton" or home.startswith("triton.")
    if isinstance(value, type):
        return value in _MAKERS
    if home == "triton.language.extra.libdevice":       # the compiler finds the GPU's own
        return isinstance(value, types.FunctionType)
    return (getattr(value, "__triton_builtin__", False) or isinstance(value, tl.dtype)
            or isinstance(value, (int, float, enum.Enum, tl.constexpr)))


def _is_function(value) -> bool:
    return callable(value) and not isinstance(value, (tl.dtype, tl.constexpr))


def is_constant(value) -> bool:
    """A number, text, None, or a tuple of such: what a kernel may take from around it."""
    if isinstance(value, tuple):
        return all(is_constant(one) for one in value)
    return value is None or type(value) in (int, float, bool, str)


def free_names(tree: ast.FunctionDef) -> set[str]:
    """Names that a kernel takes from around it."""
    hints = {id(n) for n in _hints(tree)}
    bound = {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
    bound |= {n.id for n in ast.walk(tree)
              if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            and id(n) not in hints}
    # A default is worked out around the kernel, where a parameter's name means something else.
    defaults = {n.id for default in _defaults(tree.args) for n in ast.walk(default)
                if isinstance(n, ast.Name)}
    return (used - bound - {tree.name}) | defaults


def _hints(tree: ast.FunctionDef) -> list[ast.AST]:
    """Every node of the type hints of a kernel, which nobody works out; constexpr is none."""
    found = [a.annotation for a in ast.walk(tree.args) if isinstance(a, ast.arg)] + [tree.returns]
    return [node for hint in found if hint is not None and "constexpr" not in ast.unparse(hint)
            for node in ast.walk(hint)]


def without_hints(source: str) -> str:
    """A kernel's text without type hints other than constexpr, which may name anything."""
    lines = [line.encode() for line in source.split("\n")]
    for a in reversed([a for a in ast.walk(parse(source).args) if isinstance(a, ast.arg)]):
        if a.annotation and a.lineno == a.end_lineno and "constexpr" not in ast.unparse(a):
            line, end = lines[a.lineno - 1], a.col_offset + len(a.arg.encode())
            lines[a.lineno - 1] = line[:end] + line[a.end_col_offset:]
    return b"\n".join(lines).decode()


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return arguments.defaults + [one for one in arguments.kw_defaults if one is not None]


def parse(source: str) -> ast.FunctionDef:
    """The one function that `source` defines, read but not run; raises Refused."""
    if len(source) > LONGEST:
        raise Refused(f"a kernel has more than {LONGEST} characters")
    if source.rstrip("\n").splitlines() != source.rstrip("\n").split("\n"):
        raise Refused("a kernel's text has line breaks of an unusual kind")
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("a kernel's text cannot be read: "
                      f"{str(error)[:200] or type(error).__name__}") from None
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef) or body[0].decorator_list:
        raise Refused("a kernel must be one function")
    return body[0]


def check(tree: ast.FunctionDef, around: Mapping[str, Any]) -> None:
    """Raise Refused where the kernel leaves the language.

    around      what the names that it takes from outside stand for: triton, triton.language,
                members of these, kernels, constants
    """
    _Reader(tree, around).visit(tree)


class _Reader(ast.NodeVisitor):
    def __init__(self, tree: ast.FunctionDef, around: Mapping[str, Any]):
        self.kernel, self.around = tree, around
        self.free = free_names(tree)

    def refuse(self, node, what: str):
        raise Refused(f"{self.kernel.name}: {what} cannot be used in a graded kernel: "
                      f"{ast.unparse(node).splitlines()[0][:80]}")

    def generic_visit(self, node):
        """Whatever is not listed is refused."""
        if not isinstance(node, _STATEMENTS + _EXPRESSIONS):
            self.refuse(node, type(node).__name__.lower())
        super().generic_visit(node)

    def visit_FunctionDef(self, node):
        if node is not self.kernel or getattr(node, "type_params", None):
            self.refuse(node, "a function in a function")
        hints = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)]
        for hint in filter(None, [*hints, node.returns]):
            if not all(isinstance(part, _HINTS) for part in ast.walk(hint)):
                self.refuse(hint, "such a type hint")
        for part in (node.args, *node.body):
            self.visit(part)

    def visit_Call(self, node):
        """Only functions are called, and they are no values but for being handed on."""
        function, ours = node.func, True
        if isinstance(function, ast.Name) and function.id in _PYTHON and function.id in self.free \
                and function.id not in self.around:
            ours = False
        elif isinstance(function, ast.Name) and function.id not in self.free:
            if function.id != self.kernel.name and function.id not in {
                    a.arg for a in ast.walk(self.kernel) if isinstance(a, ast.arg)}:
                self.refuse(node, "calling a variable")
        elif self.function(function) is None:
            self.visit(function)        # a method, or a name that is refused
            if not isinstance(function, ast.Attribute):
                self.refuse(node, "calling this")
        for argument in node.args:
            if not (ours and self.function(argument) is not None):
                self.visit(argument)
        for keyword in node.keywords:
            self.check_keyword(keyword)
            if not (ours and self.function(keyword.value) is not None):
                self.visit(keyword.value)

    def function(self, node):
        """The function that a name or a member of Triton's stands for, else None."""
        if isinstance(node, ast.Name):
            value = self.around.get(node.id) if node.id in self.free else None
        elif (found := self.in_module(node)) is not None:
            value = _resolve(*found)
        else:
            return None
        return value if _is_function(value) else None

    def in_module(self, node):
        """Module, its name and the chain of members, where an attribute starts at a module."""
        chain = []
        while isinstance(node, ast.Attribute):
            chain.insert(0, node.attr)
            node = node.value
        if chain and isinstance(node, ast.Name) and node.id in self.free and isinstance(
                self.around.get(node.id), types.ModuleType):
            return self.around[node.id], node.id, chain
        return None

    def visit_Name(self, node):
        if node.id.startswith("__"):
            self.refuse(node, f"the name {node.id}")
        if node.id not in self.free:
            return
        if node.id not in self.around:
            self.refuse(node, f"the name {node.id}")
        # A module is no value: visit_Attribute takes its members.
        if isinstance(self.around[node.id], types.ModuleType):
            self.refuse(node, "a module by itself")
        if self.function(node) is not None:
            self.refuse(node, "a function by itself")

    def visit_Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.refuse(node, "assigning to an element")
        self.generic_visit(node)

    def check_keyword(self, node):
        # Triton passes _semantic and the like; its interpreter passes member.
        if node.arg is None or node.arg.startswith("_") or node.arg == "member":
            self.refuse(node.value, f"the argument {node.arg or '**'}")

    def visit_JoinedStr(self, node):
        for part in node.values:        # of numbers: a text of anything else tells addresses
            if isinstance(part, ast.FormattedValue) and not isinstance(
                    part.value, (ast.Name, ast.Constant)) or getattr(part, "format_spec", None):
                self.refuse(node, "such a text")
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load):      # Triton's own values are everybody's
            self.refuse(node, "assigning to a member")
        found = self.in_module(node)
        if found is not None:
            try:
                value = _resolve(*found)
            except Refused:
                # tl.float32.primitive_bitwidth: the last part may be a member of a value.
                if len(found[2]) < 2 or node.attr not in _MEMBERS:
                    raise
                self.visit_Attribute(node.value)
                return
            if _is_function(value):
                self.refuse(node, "a function by itself")
            return
        if node.attr not in _MEMBERS:
            self.refuse(node, f"the member {node.attr}")
        self.visit(node.value)

    def visit_Constant(self, node):
        if not is_constant(node.value) and node.value is not Ellipsis:
            self.refuse(node, "this constant")

    def visit_arguments(self, node):
        if node.vararg or node.kwarg:
            self.refuse(node, "* and ** in the parameters")
        for default in _defaults(node):
            # A list would be one list for all programs.
            if any(isinstance(one, (ast.List, ast.Call)) for one in ast.walk(default)):
                self.refuse(default, "such a default")
        super().generic_visit(node)

    def visit_arg(self, node):
        if node.arg.startswith("__") or node.arg in ("_semantic", "_builder", "_generator"):
            self.refuse(node, f"a parameter called {node.arg}")
        self.check_hint(node.annotation)

    def check_hint(self, hint):
        if hint is not None and "constexpr" in ast.unparse(hint) and not (
                isinstance(hint, ast.Constant) or self.function(hint) is tl.constexpr):
            self.refuse(hint, "such a type hint")

    def visit_AnnAssign(self, node):
        if not (isinstance(node.annotation, ast.Constant)
                or self.function(node.annotation) is tl.constexpr):
            self.refuse(node.annotation, "such a type hint")
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)


def build(source: str, around: Mapping[str, Any], line: int = 1, constexpr: bool = False,
          **options) -> JITFunction | ConstexprFunction:
    """A kernel from its text, with nothing in reach but `around`; raises Refused.

    line        where its `def` stands in the learner's cell, for messages
    constexpr   a @triton.constexpr_function instead of a kernel
    options     of triton.jit: do_not_specialize, noinline, ...
    """
    tree = parse(source)
    check(tree, around)
    text = "\n" * (line - 1) + source.rstrip() + "\n"
    file = f"<{tree.name} {abs(hash((text, tuple(around)))):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"__builtins__": dict(_PYTHON), "__name__": file, **around}
    exec(compile(text, file, "exec"), scope)
    function = scope[tree.name]
    if constexpr:
        return triton.constexpr_function(function)
    kernel = JITFunction(function, **options)
    _same_text(tree, kernel.src)
    _same_text(tree, _as_interpreted(function))
    return kernel


def _as_interpreted(function) -> str:
    """The text that Triton's interpreter will run: it looks for the last line with a `def`."""
    lines, _ = inspect.getsourcelines(function)
    first = max((i for i, line in enumerate(lines) if line.strip().startswith("def ")), default=-1)
    return textwrap.dedent("".join(lines[first:]))


def _same_text(tree: ast.FunctionDef, source: str) -> None:
    """Raise Refused where Triton would run another text than the one that was read."""
    if ast.dump(parse(source)) != ast.dump(tree):
        raise Refused(f"{tree.name}: a text inside the kernel looks like another kernel")

