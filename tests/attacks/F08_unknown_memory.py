"""Memory that the call does not have. Kind: forged memory."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"does not have"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [launch({"a": {**out, "memory": "expected"}})],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
