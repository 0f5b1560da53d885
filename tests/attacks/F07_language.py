"""Asks for things outside of Triton's language by their path. Kind: malformed plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"not part of Triton's language"
ALONE = True
WITH = 'forge'
CELL = r'''
PATHS = ("os.system", "triton.language.core.warnings.sys", "triton.knobs",
         "triton.language.core.inline_asm_elementwise", "triton.language...os", "triton.runtime")


def forged(function, request, seconds):
    path = PATHS[len(request["label"]) % len(PATHS)]
    one = kernel("def k(a):\n    tl.store(a, f(a))\n", names={"f": {"language": path}})
    return {"plan": {"kernels": [one], "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
