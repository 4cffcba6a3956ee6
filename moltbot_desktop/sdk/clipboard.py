"""The clipboard of the desktop, as a tool sees it: the port of `clipboard`.

copied = clipboard.read()            # Copied("a text")
clipboard.write("another")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Copied:
    """What somebody has copied.

    Attributes:
        picture: its width and height in pixels, where it is one; (0, 0) for none.
        files: the paths of files that were copied in a file manager.
    """

    text: str = ""
    picture: tuple[int, int] = (0, 0)
    files: tuple[str, ...] = ()


class Clipboard(Protocol):
    """For any thread but the window's own; blocks for a moment.

    Each method raises `ToolError` when the window does not answer, or may not use the clipboard.
    """

    def read(self) -> Copied: ...

    def write(self, text: str) -> None: ...
