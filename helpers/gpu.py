"""What this machine's GPU can do, and what it is doing right now."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass

import torch

OLDEST = (7, 0)     # Triton 3.6 to 3.9 compile for compute capability 7.0 (V100) and later


@functools.lru_cache(maxsize=1)
def device() -> torch.device | None:
    """The GPU that kernels run on, or None.  AMD GPUs are not supported by the examiner."""
    return None if problem() else torch.device("cuda", torch.cuda.current_device())


@functools.lru_cache(maxsize=1)
def problem() -> str | None:
    """Why no GPU can be used, in one sentence; None when one can."""
    if torch.version.hip:
        return "This PyTorch is built for AMD GPUs; the course measures NVIDIA GPUs only."
    if not torch.version.cuda:
        return "This PyTorch has no CUDA support, so no GPU is used."
    try:
        if not torch.cuda.is_available():
            return "No NVIDIA GPU was found, or its driver is too old for this PyTorch."
        capability = torch.cuda.get_device_capability()
    except RuntimeError as error:       # a driver without a device, a broken driver
        return f"The GPU cannot be used: {str(error).splitlines()[0]}"
    if capability < OLDEST:
        return (f"{torch.cuda.get_device_name()} has compute capability "
                f"{capability[0]}.{capability[1]}; Triton needs {OLDEST[0]}.{OLDEST[1]} or later.")
    return None


def name() -> str:
    """The GPU's name, or "CPU (Triton's interpreter)"."""
    return torch.cuda.get_device_name() if device() else "CPU (Triton's interpreter)"


def l2_bytes() -> int:
    """Size of the L2 cache in bytes."""
    return torch.cuda.get_device_properties(device()).L2_cache_size


def has_bfloat16() -> bool:
    """bfloat16 arithmetic in hardware: compute capability 8.0 and later."""
    return device() is not None and torch.cuda.get_device_capability() >= (8, 0)


@dataclass(frozen=True)
class Clocks:
    """One reading of the driver: clocks in MHz, whether it is slowing the GPU down, and who else
    computes on it.  None where the driver does not say."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    throttled: bool | None = None
    other_processes: int | None = None


def clocks() -> Clocks:
    """Read clocks and throttle reasons through NVML; all None where it is not to be had."""
    handle = _nvml()
    if handle is None:
        return Clocks()
    import pynvml

    def ask(function, *arguments):
        with contextlib.suppress(pynvml.NVMLError):
            return function(handle, *arguments)
        return None

    reasons = ask(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons)
    slow = (pynvml.nvmlClocksThrottleReasonHwSlowdown
            | pynvml.nvmlClocksThrottleReasonSwThermalSlowdown)
    processes = ask(pynvml.nvmlDeviceGetComputeRunningProcesses)
    import os

    return Clocks(
        ask(pynvml.nvmlDeviceGetClockInfo, pynvml.NVML_CLOCK_SM),
        ask(pynvml.nvmlDeviceGetClockInfo, pynvml.NVML_CLOCK_MEM),
        None if reasons is None else bool(reasons & slow),
        None if processes is None else sum(p.pid != os.getpid() for p in processes),
    )


@functools.lru_cache(maxsize=1)
def _nvml():
    try:
        import pynvml

        pynvml.nvmlInit()
        uuid = str(torch.cuda.get_device_properties(device()).uuid)
        return pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}")
    except Exception:   # no library, no driver, a container without NVML: clocks stay unknown
        return None
