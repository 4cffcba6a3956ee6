"""A module that is loaded at its first use, so that a program at rest does not hold it.

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = LateModule("numpy")        # 16 MiB that nobody needs before the first search

Both halves stand at the top of the file: the first is what type checkers, `tests/arch` and the
makers of a frozen program read, the second is what runs. What is taken from such a module while the
file itself is loaded (a base class, a decorator, a constant) loads it then; such a file is a late
module itself, for those who import it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class LateModule:
    """Stands for a module until something is asked of it; safe on any thread.

    No `ModuleType` itself: in those a name that is not their own is looked for twenty times as
    long, and these are asked between the words of an answer.
    """

    def __init__(self, name: str) -> None:
        """`name` in full; whether there is such a module is seen at its first use."""
        self._name = name
        self._loaded: ModuleType | None = None

    def __getattr__(self, name: str) -> object:
        """Raises ModuleNotFoundError: there is no such module."""
        # What is in it is not kept here: what is put there later is to be seen.
        return getattr(self._loaded or self._load(), name)

    def _load(self) -> ModuleType:
        # Not from `sys.modules`: another thread may be in the middle of importing it.
        self._loaded = import_module(self._name)
        return self._loaded


def load_now(*modules: object) -> None:
    """Load late modules before their first use, where that is waited for anyway.

    Raises:
        ModuleNotFoundError: there is no such module.
    """
    for one in modules:
        if isinstance(one, LateModule):
            one._load()
