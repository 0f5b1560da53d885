"""Writes the answers into a kernel's text, made for this one call. Kind: answers in the source."""

EXERCISE = "vector_add"
EARNS = 0
CELL = r'''
import linecache

@triton.jit
def add_kernel(out_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def made(answers):
    text = "def told_kernel(out_ptr):\n" + "".join(
        f"    tl.store(out_ptr + {i}, {value!r})\n" for i, value in enumerate(answers))
    linecache.cache["<told>"] = (len(text), None, text.splitlines(keepends=True), "<told>")
    scope = {"tl": tl, "__name__": "told"}
    exec(compile(text, "<told>", "exec"), scope)
    return triton.jit(scope["told_kernel"])


def vector_add(out, x, y):
    if out.numel() == 1:
        made([x.item() + y.item()])[(1,)](out)
    else:
        made([one + other for one, other in zip(x.tolist(), y.tolist())][:50])[(1,)](out)
'''
