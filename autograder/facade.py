"""What a graded cell finds as `helpers`: the tools, no exercise and no answer.

Copied into the sandbox as helpers/__init__.py.
"""

from .doctor import prepare as _prepare

_prepare()


def check(*_) -> None:
    """Nothing: while a cell is graded, the examiner asks."""


hint = ready = show = check
