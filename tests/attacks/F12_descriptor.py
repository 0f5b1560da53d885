"""A tensor descriptor over memory far beyond its tensor. Kind: forged memory."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"outside|Error|never|still holds"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel("def k(a):\n    a.store([1 << 20, 0], a.load([0, 0]) + 1.0)\n")],
            "steps": [
                launch(
                    {
                        "a": {
                            "descriptor": out,
                            "shape": [1 << 30, 1 << 30],
                            "strides": [1 << 30, 1],
                            "block": [64, 64],
                            "padding": "zero",
                        }
                    }
                )
            ],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
