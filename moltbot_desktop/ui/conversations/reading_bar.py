"""Stands in place of the input while a conversation is only shown: why, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.origins import OriginKind, origin_of
from moltbot_desktop.ui.conversations.listing import source_of
from moltbot_desktop.ui.kit.texts import button, plain


class ReadingBar(QFrame):
    """Signals:
    back_requested: the person wants to go back to the conversation that answers.
    """

    back_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("reading_bar")
        self.label = plain()
        self.back = button("", "secondary")
        self.back.clicked.connect(self.back_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.addWidget(self.label, 1)
        row.addWidget(self.back)
        self.hide()

    def tell(self, key: SessionKey) -> None:
        """Say why nobody answers in the conversation of `key`."""
        if origin_of(key).kind is OriginKind.MAIN:
            text = self.tr("An answer is still being written in the other conversation.")
        else:
            told = self.tr(
                "You are only reading this ({source}). Nothing can be said in it from here."
            )
            text = told.replace("{source}", source_of(key))
        self.label.setText(text)
        self.setAccessibleName(text)
        self.retranslate()
        self.show()

    def retranslate(self) -> None:
        self.back.setText(self.tr("Back to my conversation"))
        self.back.setAccessibleName(self.back.text())
