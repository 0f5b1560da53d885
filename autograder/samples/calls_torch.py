"""The right numbers, from PyTorch: no kernel of the learner's does the work."""

CELLS = {
    "vector_add": """
def vector_add(out, x, y):
    torch.add(x, y, out=out)
""",
    "sin2_cos2": """
def sin2_cos2(out, x):
    out.copy_(torch.sin(x) ** 2 + torch.cos(x) ** 2)
""",
    "row_softmax": """
def row_softmax(out, x):
    out.copy_(torch.softmax(x.float(), dim=-1))
""",
    "residual_rms_norm": """
def residual_rms_norm(out, hidden, x, residual, weight, eps):
    hidden.copy_(x + residual)
    wide = hidden.float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight)
""",
}
