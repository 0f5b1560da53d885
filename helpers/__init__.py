"""What the notebooks import: `from helpers import check, hint, ready, show`.

Importing needs torch, triton and numpy; figures and widgets are imported where they are used.
"""

from __future__ import annotations

from .doctor import prepare as _prepare

_prepare()      # before triton is imported: its interpreter and its warnings are set up here

from .learner import check, hint, ready, show  # noqa: E402

__all__ = ["check", "hint", "ready", "show"]
