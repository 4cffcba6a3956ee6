"""What ends an evaluation that runs, from any thread.

llama.cpp asks a callback between graph nodes whether to go on. A Python callback needs the
interpreter's lock each time: measured with one other busy Python thread, 116 ms a token instead
of 5. So the callback is C's `strlen` over the two bytes of a `StopFlag`: "" is 0, go on; "\\x01" is
1, stop. Setting the flag is a memory write and safe on any thread.
"""

from __future__ import annotations

import ctypes
import sys


class Interrupted(Exception):
    """A `StopFlag` ended an evaluation; the context holds what was evaluated before."""


class StopFlag:
    """Tells a running evaluation to stop; `raise_flag` and `lower` are safe on any thread.

    Attributes:
        function: of C, for the address in `pointer`: not 0 while the flag is raised.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        self.function = library.strlen
        self.pointer = ctypes.cast(self._bytes, ctypes.c_void_p)

    def raise_flag(self) -> None:
        self._bytes[0] = b"\x01"

    def lower(self) -> None:
        self._bytes[0] = b"\x00"

    @property
    def raised(self) -> bool:
        return self._bytes[0] != b"\x00"
