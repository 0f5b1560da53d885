"""Figures measured elsewhere, for machines that cannot measure them: never typed, always named."""

from __future__ import annotations

import functools
import json
from importlib import resources

COPY_BYTES = 256 << 20


@functools.lru_cache(maxsize=1)
def stored() -> dict:
    """What `python -m benchmarks.run` measured on an NVIDIA H200; units are in the names."""
    return json.loads((resources.files("helpers") / "measured" / "h200.json").read_text())


def copies(device) -> tuple[dict[str, float], str]:
    """Milliseconds to copy 256 MiB to the device, to the host and on the device, and a sentence
    that says where they were measured."""
    if device is None:
        data = stored()
        return ({name: data["host_copy"][name] for name in (
            "to_device_ms", "to_host_ms", "on_device_ms")},
            f"Without a GPU here: compared with what was measured on an {data['gpu']}.")
    import torch

    from .gpu import name
    from .grading.clock import median_ms

    host = torch.empty(COPY_BYTES, dtype=torch.uint8, pin_memory=True)
    there = torch.empty(COPY_BYTES, dtype=torch.uint8, device=device)
    elsewhere = torch.empty_like(there)
    return ({
        "to_device_ms": median_ms(lambda: there.copy_(host, non_blocking=True), repeats=10)[0],
        "to_host_ms": median_ms(lambda: host.copy_(there, non_blocking=True), repeats=10)[0],
        "on_device_ms": median_ms(lambda: elsewhere.copy_(there), repeats=10)[0],
    }, f"Measured on this {name()}: 256 MiB from and to pinned host memory.")
