"""A launch option that loads a compiled kernel from a file. Kind: forged options."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"ir_override is not known"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [launch({"a": out}, ir_override="/tmp/here.ptx")],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
