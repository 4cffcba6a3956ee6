"""What the widgets of a form share: how they ask for an edit, and text that waits for a pause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from moltbot_desktop.sdk.forms import FieldPlace, FormNode, FormState
from moltbot_desktop.ui.settings.texts import Words

PAUSE_MS = 250
"""After so long without a key the form is checked."""

Edit = Callable[[FormState], FormState]


@dataclass(frozen=True)
class Asking:
    """What a widget may ask of the window.

    Attributes:
        edit: carries an edit out; the widgets are told what came of it.
        unreadable: what was typed at a place is no value ("" when it is one again).
    """

    words: Words
    edit: Callable[[Edit], None]
    unreadable: Callable[[FieldPlace, str], None]


class Editor(QWidget):
    """A widget for one node. It never keeps a value of its own but what is being typed.

    Attributes:
        target: what in it gets the keyboard. No focus proxy: Qt keeps the proxy's owner in the Tab
            chain as well, so that each field would be passed twice.
    """

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__()
        self.node = node
        self.asking = asking
        self.words = asking.words
        self.target: QWidget = self

    def show_node(self, node: FormNode) -> None:
        """The same field in the form's new state."""
        self.node = node

    def settle(self) -> None:
        """Ask at once for what waits for a pause."""


class Typed:
    """Calls `take` when the typing pauses.

    typed = Typed(widget, self._take)
    line.textEdited.connect(typed.begin)      # and typed.now() when the field is left
    """

    def __init__(self, owner: QWidget, take: Callable[[], None]) -> None:
        self._take = take
        self._timer = QTimer(owner)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(take)

    @property
    def waiting(self) -> bool:
        return self._timer.isActive()

    def begin(self) -> None:
        self._timer.start()

    def now(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._take()
