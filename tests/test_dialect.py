"""What a graded kernel may say, and what becomes of a plan that somebody made up."""

import copy
import random

import pytest
import torch
import triton
import triton.language as tl

from helpers.grading import dialect
from helpers.grading.dialect import Refused
from helpers.grading.interpreter import watching
from helpers.grading.replay import Plan

AROUND = {"tl": tl, "triton": triton, "SIZE": tl.constexpr(4), "f": tl.exp}


def kernel(body: str, parameters: str = "a, n") -> str:
    return f"def k({parameters}):\n    {body}\n"


ACCEPTED = {
    "store": "tl.store(a, 1.0)",
    "members": "x = a.dtype.element_ty\n    y = tl.float32.primitive_bitwidth",
    "modules": "x = tl.math.exp(1.0) + triton.language.sin(1.0) + triton.cdiv(n, 4)",
    "loop": "for i in tl.static_range(SIZE):\n        tl.store(a + i, f(1.0), mask=i < n)",
    "while": "while n > 0:\n        n -= 1",
    "branches": "if n and not n == 3:\n        x = 1\n    else:\n        x = min(n, 2) if n else 3",
    "slices": "x = tl.arange(0, 4)[:, None] + tl.zeros((1, 4), tl.int32)[...]",
    "tuple": "x, y = (1, [2, 3])\n    x: tl.constexpr = 4",
    "assert": "assert n == 3, f'{n} is odd'\n    tl.static_assert(SIZE == 4)",
    "print": "print('n', n)\n    tl.device_print('n', n)",
    "text": "'''A text.\n\n    An undefined thing: def is a word here.\n    '''\n    return",
    "starred": "tl.store(*(a, 1.0))",
}
ACCEPTED_PARAMETERS = [
    "a, n: int",
    "a, n: 'a hint'",
    "a: torch.Tensor, n",
    "a, n, SIZE=SIZE",
    "a, n, T: tl.constexpr = tl.float32",
    "a, n, eps=-1e-6",
    "a, n, *, last=None",
]
REFUSED = {
    "np": "the name np",
    "np.save('x', 1)": "the member save",
    "interpreter_builder": "the name interpreter_builder",
    "__builtins__": "the name __builtins__",
    "__import__('os')": "the name __import__",
    "getattr(tl, 'load')": "the name getattr",
    "eval('1')": "the name eval",
    "a.__class__": "the member __class__",
    "().__class__": "the member __class__",
    "tl.load.__globals__": "not part",
    "a.handle": "the member handle",
    "a.numpy()": "the member numpy",
    "'{0.__class__}'.format(a)": "the member format",
    "f'{a.__class__}'": "such a text",
    "f'{print}'": "the name print",
    "isinstance(n, tl.constexpr)": "the name isinstance",
    "tl.tensor(a, tl.int32)": "not part",
    "tl.tuple([a], 1)": "not part",
    "a.to(tl.pointer_type(tl.int8))": "not part",
    "tl.load": "a function by itself",
    "print": "the name print",
    "k[(1,)](a, n)": "calling this",
    "a[n](n)": "calling this",
    "(lambda: 1)()": "lambda",
    "(y := 1)": "namedexpr",
    "[i for i in range(3)]": "listcomp",
    "{1: 2}": "dict",
    "{1}": "set",
    "(yield 1)": "yield",
    "tl.inline_asm_elementwise('')": "inline_asm",
    "tl.core.inline_asm_elementwise('')": "inline_asm",
    "tl.core.extern_elementwise('')": "extern_elementwise",
    "tl.core": "not part",
    "tl": "a module by itself",
    "tl.core.warnings.sys": "cannot be used",
    "triton.jit(a)": "not part",
    "triton.runtime.driver": "not part",
    "triton.knobs": "not part",
    "tl.load(a, member=print)": "the argument member",
    "tl.load(a, _semantic=1)": "argument _semantic",
    "tl.load(a, **n)": "the argument",
    "tl.dtype.SINT_TYPES": "not part",
    "a.dtype.FP_TYPES": "the member FP_TYPES",
    "a.dtype.to_ir(n)": "the member to_ir",
    "b'bytes'": "this constant",
    "1j": "this constant",
    "k.__code__": "the member __code__",
}
REFUSED_STATEMENTS = {
    "try:\n        x = 1\n    except AssertionError:\n        x = 2": "try",
    "with a:\n        x = 1": "with",
    "global n\n    n = 1": "global",
    "nonlocal n": "nonlocal|read",
    "del a": "delete",
    "import os": "import",
    "from os import path": "import",
    "def g(): pass": "a function in a function",
    "class C: pass": "class",
    "raise n": "raise",
    "match n:\n        case 1: pass": "match",
    "tl.float32.primitive_bitwidth = 8": "assigning to a member",
    "tl.exp = f": "assigning to a member",
    "tl.exp += 1": "assigning to a member",
    "a.shape[0] = 1": "assigning to an element",
    "for tl.exp in range(1):\n        x = 1": "assigning to a member",
    "x, tl.exp = 1, 2": "assigning to a member",
    "x: tl.exp() = os": "such a type hint",
    "__builtins__ = 1": "the name __builtins__",
}
REFUSED_PARAMETERS = {
    "a, memo=[]": "such a default",
    "a, b=f()": "such a default",
    "a, np, b=np": "the name np",
    "a, *more": r"\*",
    "a, **more": r"\*",
    "a, _semantic": "a parameter",
    "__builtins__": "parameter",
    "a: f(1)": "type hint",
    "np, a: np.load('constexpr')": "type hint",
    "a: [x for x in f]": "type hint",
}
REFUSED_TEXTS = {
    "": "line breaks",
    "x = 1": "one function",
    "class k: pass": "one function",
    "async def k(): pass": "one function",
    "@f\ndef k(): pass": "one function",
    "def k(): pass\ndef g(): pass": "one function",
    "def k(:": "cannot be read",
    "def k():\n  x = '\0'": "cannot be read",
    "def k():\n    pass\n" + "#" * 50_000: "more than",
    "def k():\n    pass #\u2028def k(): evil()": "line breaks",
    "def k():\n    pass #\x0cdef k(): evil()": "line breaks",
    'def k():\n    x = """\ndef k():\n    evil()\n    y = 1 #"""': "another kernel",
    "def\tk():\n    x = '''\nevil() #'''": "one function|another kernel",
    "def k():\n    x = " + "-" * 20_000 + "1": "cannot be read",
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(body):
    assert dialect.build(kernel(body), AROUND).arg_names == ["a", "n"]


@pytest.mark.parametrize("parameters", ACCEPTED_PARAMETERS)
def test_accepted_parameters(parameters):
    source = dialect.without_hints(kernel("tl.store(a, 1.0)", parameters))
    assert dialect.build(source, AROUND).arg_names[0] == "a"
    assert "torch" not in source


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *((kernel(f"x = {text}"), says) for text, says in REFUSED.items()),
        *((kernel(text), says) for text, says in REFUSED_STATEMENTS.items()),
        *((kernel("tl.store(a, 1.0)", text), says) for text, says in REFUSED_PARAMETERS.items()),
        *REFUSED_TEXTS.items(),
    ],
)
def test_refused(text, says):
    with pytest.raises(Refused, match=says):
        dialect.build(text, AROUND)


def test_the_language_is_as_it_was():
    kinds = list(tl.dtype.SINT_TYPES), tl.float32.primitive_bitwidth, tl.exp
    for text in (*REFUSED, *REFUSED_STATEMENTS):
        with pytest.raises(Refused):
            dialect.build(kernel(text if text in REFUSED_STATEMENTS else f"x = {text}"), AROUND)
    assert kinds == (tl.dtype.SINT_TYPES, tl.float32.primitive_bitwidth, tl.exp)


# --- plans --------------------------------------------------------------------------------------

SOURCE = (
    "def k(out_ptr, x_ptr, n, BLOCK: tl.constexpr):\n"
    "    at = tl.arange(0, BLOCK)\n"
    "    tl.store(out_ptr + at, plus(tl.load(x_ptr + at, mask=at < n), ONE), mask=at < n)\n"
)
HELPER = "def plus(a, b):\n    return a + b\n"


def memory(name, **changed) -> dict:
    return {"memory": name, "offset": 0, "dtype": "float32", "shape": [8], "stride": [1], **changed}


def a_plan() -> dict:
    return {
        "kernels": [
            {
                "name": "k",
                "source": SOURCE,
                "line": 3,
                "constexpr": False,
                "options": {},
                "names": {"tl": {"language": "triton.language"}, "ONE": 1.0, "plus": {"kernel": 1}},
            },
            {
                "name": "plus",
                "source": HELPER,
                "line": 1,
                "constexpr": False,
                "options": {"noinline": False},
                "names": {},
            },
        ],
        "steps": [
            {"new": 0, "bytes": 32},
            {"fill": memory(0), "value": 2.0},
            {
                "launch": 0,
                "grid": [1],
                "options": {"num_warps": 2},
                "arguments": {"out_ptr": memory("out"), "x_ptr": memory(0), "n": 8, "BLOCK": 8},
            },
        ],
    }


def play(data) -> torch.Tensor:
    """What a plan leaves in out; anything but Refused and what a kernel raises is a defect."""
    out, x = torch.zeros(8), torch.ones(8)
    plan = Plan(data)
    with watching(out=out, x=x):
        plan.play({"out": out, "x": x})
    return out


def test_a_sound_plan_is_played():
    assert play(a_plan()).tolist() == [3.0] * 8


def step(**changed):
    return lambda plan: plan["steps"][2].update(changed)


def argument(name, value):
    return lambda plan: plan["steps"][2]["arguments"].update({name: value})


BROKEN = {
    "no steps": lambda plan: plan.pop("steps"),
    "no kernels": lambda plan: plan.pop("kernels"),
    "kernels are text": lambda plan: plan.update(kernels="kernels"),
    "kernel is nothing": lambda plan: plan["kernels"].__setitem__(1, None),
    "step is nothing": lambda plan: plan["steps"].__setitem__(2, None),
    "step is empty": lambda plan: plan["steps"].__setitem__(2, {}),
    "too many steps": lambda plan: plan.update(steps=plan["steps"] * 1000),
    "too many kernels": lambda plan: plan.update(kernels=plan["kernels"] * 100),
    "calls itself": lambda plan: plan["kernels"][1]["names"].update(k={"kernel": 0}),
    "a name of Python's": lambda plan: plan["kernels"][1]["names"].update(__builtins__=1),
    "a name that is none": lambda plan: plan["kernels"][1]["names"].update({"a b": 1}),
    "another language": lambda plan: plan["kernels"][0]["names"].update(tl={"language": "os"}),
    "assembler": lambda plan: plan["kernels"][0]["names"].update(
        plus={"language": "triton.language.core.inline_asm_elementwise"}
    ),
    "memory in a name": lambda plan: plan["kernels"][0]["names"].update(ONE=memory("x")),
    "kernel of no number": lambda plan: plan["kernels"][0]["names"].update(plus={"kernel": 9}),
    "grid of text": step(grid=["x"]),
    "no grid": step(grid=None),
    "no such kernel": step(launch=7),
    "odd option": step(options={"ir_override": "x"}),
    "option of text": step(options={"num_warps": "4"}),
    "options in a list": step(options=[]),
    "arguments in a list": step(arguments=[]),
    "an argument too many": argument("more", 1),
    "an argument in a list": argument("n", [1]),
    "unknown memory": argument("x_ptr", memory("y")),
    "memory in a list": argument("x_ptr", memory([])),
    "before its memory": argument("x_ptr", memory(0, offset=-4)),
    "beyond its memory": argument("x_ptr", memory(0, shape=[9])),
    "backwards": argument("x_ptr", memory(0, stride=[-1])),
    "between elements": argument("x_ptr", memory(0, offset=2, shape=[1])),
    "no shape": argument("x_ptr", memory(0, shape=None)),
    "too few strides": argument("x_ptr", memory(0, stride=[])),
    "huge": argument("x_ptr", memory(0, offset=10**300, shape=[10**200])),
    "no dtype": argument("x_ptr", memory(0, dtype="float33")),
    "dtype in a list": argument("x_ptr", memory(0, dtype=[])),
    "nested": argument("n", {"tuple": [{"tuple": [{"kernel": 0.5, "x": []}, {}]}]}),
    "descriptor of nothing": argument("x_ptr", {"descriptor": None}),
    "much scratch": lambda plan: plan["steps"][0].update(bytes=1 << 40),
    "negative scratch": lambda plan: plan["steps"][0].update(bytes=-1),
    "filled with text": lambda plan: plan["steps"][1].update(value="x"),
    "fill of overlaps": lambda plan: plan["steps"][1].update(
        fill=memory(0, shape=[1 << 20, 8], stride=[0, 1])
    ),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_broken_plan_is_refused(change):
    data = a_plan()
    change(data)
    with pytest.raises(Refused):
        play(data)


ODD = [
    None,
    True,
    -1,
    0,
    3,
    10**30,
    0.5,
    float("nan"),
    "",
    "x",
    "tl",
    "__class__",
    [],
    {},
    [[]],
    {"memory": "x"},
    {"kernel": 0},
    {"language": "triton.language.load"},
    {"tuple": [1]},
]


def places(data, path=()):
    """Paths to everything in nested dicts and lists."""
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def mutate(data, random) -> None:
    """Change, drop, double or move one thing somewhere."""
    *path, last = random.choice(list(places(data)))
    owner = data
    for key in path:
        owner = owner[key]
    how = random.randrange(4)
    if how == 0:
        del owner[last]
    elif how == 1 and isinstance(owner, list):
        owner.insert(last, copy.deepcopy(owner[last]))
    elif how == 2:
        *other, name = random.choice(list(places(data)))
        there = data
        for key in other:
            there = there[key]
        owner[last] = copy.deepcopy(there[name])
    else:
        owner[last] = random.choice(ODD)


@pytest.mark.parametrize("seed", range(8))
def test_a_mutated_plan_is_refused_or_played(seed):
    dice, refused, played = random.Random(seed), 0, 0
    for _ in range(150):
        data = a_plan()
        for _ in range(dice.choice([1, 1, 1, 2, 4])):
            mutate(data, dice)
        try:
            plan = Plan(data)
        except Refused:
            refused += 1
            continue
        out, x = torch.zeros(8), torch.ones(8)
        with watching(out=out, x=x), pytest.MonkeyPatch.context() as patch:
            # What a kernel raises is the kernel's; the rest must be Refused.
            patch.setattr(triton.JITFunction, "run", lambda *_, **__: None)
            try:
                plan.play({"out": out, "x": x})
                played += 1
            except Refused:
                refused += 1
        assert x.tolist() == [1.0] * 8 or any("fill" in str(one) for one in data["steps"])
    assert refused > 20 and played > 5
