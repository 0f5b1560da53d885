"""A kernel nested so deeply that reading it could exhaust the stack. Kind: size."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"cannot be read|cannot be used|wrong|Error"
ALONE = True
WITH = 'forge'
CELL = r'''
DEEP = ("-" * 20_000 + "1", "+".join(["1"] * 20_000), "(" * 150 + "1" + ")" * 150, "not " * 9_000)


def forged(function, request, seconds):
    text = DEEP[len(request["label"]) % len(DEEP)]
    return {"plan": {"kernels": [kernel(f"def k(a):\n    x = {text}\n    tl.store(a, x)\n")],
                     "steps": [launch({"a": view("out", request)})]}}


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
