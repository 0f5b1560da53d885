"""Asks for 4 TB of scratch memory. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"scratch memory"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [{"new": 0, "bytes": 1 << 42}, launch({"a": out})],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
