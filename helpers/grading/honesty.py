"""Did the learner's own kernels do the work?

Two questions, asked while the candidate runs on the CPU.  *Which PyTorch operations ran?*
Allocating, viewing and filling are fine; arithmetic and copies are work done elsewhere, and their
traffic would go uncounted.  *What is left when kernels do nothing?*  In a ghost run every launch
is replaced by nothing: an honest output is then still poison everywhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from torch.utils._python_dispatch import TorchDispatchMode

from . import interpreter
from .record import Recorder

# Operations that allocate, view, initialise, compare or look at a tensor's shape: no arithmetic.
_HARMLESS = frozenset("""
    empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like new_zeros ones
    ones_like new_ones full full_like new_full fill_ zero_ arange scalar_tensor lift_fresh
    view _unsafe_view as_strided reshape _reshape_alias t transpose permute expand unsqueeze
    squeeze select slice narrow unbind split split_with_sizes chunk unfold diagonal alias detach
    view_as flatten unflatten movedim swapaxes _local_scalar_dense is_same_size set_ resize_
    isnan isinf isfinite any all eq ne lt gt le ge isclose logical_not logical_and logical_or
    record_stream is_pinned size stride numel storage_offset sym_size sym_stride sym_numel
""".split())


class _Watcher(TorchDispatchMode):
    def __init__(self, recorder: Recorder | None):
        super().__init__()
        self.work: list[str] = []
        self.recorder = recorder

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False    # else PyTorch imports its compiler to shield this from it: two seconds

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        # The interpreter itself moves tensors about while it runs a launch, and so does the
        # autotuner while it tries.
        if interpreter.is_running() or (self.recorder and self.recorder.paused):
            return result
        name = function.overloadpacket.__name__
        if name not in _HARMLESS and name not in self.work:
            self.work.append(name)
        elif self.recorder:
            self.recorder.saw(name, args, result)
        return result


@contextlib.contextmanager
def watching_torch(recorder: Recorder | None = None) -> Iterator[list[str]]:
    """The names of PyTorch operations that did work in the block, kernels' own excepted.

    recorder    is told of the harmless ones: it keeps what fills memory
    """
    with _Watcher(recorder) as watcher:
        yield watcher.work
