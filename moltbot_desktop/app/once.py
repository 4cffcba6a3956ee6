"""A value that is made when it is first asked for, whichever thread asks first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Calls `make` once, or again after it has raised.

    Not `functools.cache`: two threads that ask at the same moment would each make one.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: tuple[T, ...] = ()

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made = (self._make(),)
            return self._made[0]
