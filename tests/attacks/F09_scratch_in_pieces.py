"""Asks for a thousand times 60 MB of scratch memory. Kind: exhaustion."""

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
            "steps": [{"new": i, "bytes": 60 << 20} for i in range(1000)] + [launch({"a": out})],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
