"""Numbers of warps, stages and clusters that no GPU has. Kind: forged options."""

EXERCISE = "vector_add"
EARNS = 0
SAYS = r"num_warps"
ALONE = True
WITH = 'forge'
CELL = r'''
SOURCE = "def k(a):\n    tl.store(a + tl.arange(0, 1), 1.0)\n"


def forged(function, request, seconds):
    out = view("out", request)
    return {
        "plan": {
            "kernels": [kernel(SOURCE)],
            "steps": [launch({"a": out}, num_warps=10**30, num_stages=-1, num_ctas=3)],
        }
    }


helpers.grading.rehearse.rehearse = forged


def vector_add(out, x, y):
    pass
'''
