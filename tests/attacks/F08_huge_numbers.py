"""Numbers that no C integer can hold. Kind: malformed plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"outside|cannot be read"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [launch({"a": {**out, "offset": 10**300, "shape": [10**200], "stride": [0]}})],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
