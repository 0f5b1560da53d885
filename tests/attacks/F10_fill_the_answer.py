"""Fills out with what would be right on the decoys. Kind: answers in the plan."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"wrong"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [
                {"fill": out, "value": 0.5},
                launch({"a": {**out, "shape": [1], "stride": [1]}}),
            ],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
