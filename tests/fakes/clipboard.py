"""A clipboard without a window."""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.sdk.clipboard import Copied


@dataclass
class HeldClipboard:
    """Implements `sdk.clipboard.Clipboard`."""

    text: str = ""
    other: Copied | None = None

    def read(self) -> Copied:
        return self.other or Copied(self.text)

    def write(self, text: str) -> None:
        self.text, self.other = text, None
