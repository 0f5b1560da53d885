"""The block is as long as the data: nothing but powers of two can be launched."""

EDITS = {
    "vector_add": {"BLOCK = 1024": "BLOCK = n"},
    "sin2_cos2": {"BLOCK = 1024": "BLOCK = n"},
    "row_softmax": {"triton.next_power_of_2(max(N, 1))": "N"},
    "residual_rms_norm": {"triton.next_power_of_2(max(N, 1))": "N"},
}
