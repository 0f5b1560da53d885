"""Fills a view whose elements overlap, a million times a million of them. Kind: exhaustion."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"outside its tensor|cannot be read|filled"
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
                {"fill": {**out, "shape": [1 << 20, 1 << 20], "stride": [0, 0]}, "value": 1.0},
                {"fill": {**out, "shape": [1 << 13] * 4, "stride": [1] * 4}, "value": 1.0},
            ],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
