"""The clipboard for the moment of one paste, and back.

    lent = LentClipboard(clipboard, "你好")
    ...                                  # another program pastes; `lent.reads` counts
    lent.give_back()

Text that no keyboard layout has is given to a program this way. What was there before is copied
first, in all its forms that are small enough, and put back; if the owner copies something in
between, that stays.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard

_LARGEST_KEPT = 32 * 1024 * 1024
_TEXT = "text/plain"


class LentClipboard:
    """On the main thread only."""

    def __init__(self, clipboard: QClipboard, text: str) -> None:
        self._clipboard = clipboard
        modes = [QClipboard.Mode.Clipboard]
        if clipboard.supportsSelection():
            modes.append(QClipboard.Mode.Selection)  # what Shift+Insert pastes in a terminal
        self._before = {mode: _copied(clipboard.mimeData(mode)) for mode in modes}
        self._lent = {mode: _Lent(text) for mode in modes}
        for mode, data in self._lent.items():
            clipboard.setMimeData(data, mode)

    @property
    def reads(self) -> int:
        """How often a program has fetched the text."""
        return sum(one.reads for one in self._lent.values())

    def give_back(self) -> None:
        for mode, data in self._before.items():
            if not self._owns(mode):
                continue
            if data.formats():
                self._clipboard.setMimeData(data, mode)
            else:
                self._clipboard.clear(mode)

    def _owns(self, mode: QClipboard.Mode) -> bool:
        """Whether what is there is still what was lent."""
        return self._clipboard.mimeData(mode) is self._lent[mode]


class _Lent(QMimeData):
    """Text that counts how often it is fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.reads = 0

    def formats(self) -> list[str]:
        return [_TEXT, f"{_TEXT};charset=utf-8"]

    def hasFormat(self, mimetype: str) -> bool:
        return mimetype in self.formats()

    def retrieveData(self, mimetype: str, preferred: object) -> object:
        self.reads += 1
        return self._text


def _copied(data: QMimeData | None) -> QMimeData:
    """A copy that lives on when the owner of `data` is gone."""
    copy = QMimeData()
    left = _LARGEST_KEPT
    for form in data.formats() if data is not None else ():
        content = data.data(form) if data is not None else None
        if content is not None and content.size() <= left:
            left -= content.size()
            copy.setData(form, content)
    return copy
