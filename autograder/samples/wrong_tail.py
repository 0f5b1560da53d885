"""Right in whole blocks, wrong where a vector or a row ends inside one."""

EDITS = {
    # Stores beyond the last element.
    "vector_add": {"x + y, mask=mask": "x + y"},
    "sin2_cos2": {"cos * cos, mask=mask": "cos * cos"},
    # The padding takes part: exp(0) in the sum, and all columns of the block in the mean.
    "row_softmax": {'other=-float("inf")': "other=0.0"},
    "residual_rms_norm": {"/ N + eps": "/ BLOCK_N + eps"},
}
