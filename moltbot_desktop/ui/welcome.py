"""The first thing a person sees: a greeting and five things to try, ready to be clicked."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from moltbot_desktop.ui.icons import Icons

translate = QCoreApplication.translate

_EXAMPLES = 5
_GAP_PX = 9
_AROUND_PX = 70
_LOGO_PX = 56


class Welcome(QWidget):
    """The empty conversation.

    Signals:
        example_chosen: a request to send as it is.
    """

    example_chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self._logo = QLabel(self)
        self._logo.setPixmap(icons.picture("moltbot").pixmap(_LOGO_PX, _LOGO_PX))
        self._title = QLabel(self)
        self._title.setObjectName("welcome_title")
        self._note = QLabel(self)
        self._note.setObjectName("welcome_note")
        self._note.setWordWrap(True)
        for label in (self._logo, self._title, self._note):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.examples = [QPushButton(self) for _ in range(_EXAMPLES)]
        for number, button in enumerate(self.examples):
            button.setObjectName("example")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(partial(self._on_example, number))
        self._lay_out()
        self.retranslate()

    def requests(self) -> tuple[str, ...]:
        """The five examples."""
        return self.requests_now()

    @staticmethod
    def requests_now() -> tuple[str, ...]:
        """The five examples in the language of the window; the starter model can do each."""
        return (
            translate("Welcome", "Remember that my dentist is Dr. Okafor, phone 555-0142"),
            translate("Welcome", "Who is my dentist?"),
            translate("Welcome", "Remind me in 10 minutes to call Anna"),
            translate("Welcome", "What reminders do I have?"),
            translate("Welcome", "What is 249 times 18?"),
        )

    def set_offline(self, offline: bool) -> None:
        """Whether to promise that what is said stays on this computer."""
        self._note.setHidden(not offline)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Hello. What can I keep in mind for you?"))
        self._note.setText(
            self.tr("I work on this computer alone. What you tell me stays here. Try one of these:")
        )
        font = self._title.font()
        font.setPointSizeF(self.font().pointSizeF() * 1.6)
        self._title.setFont(font)
        for button, request in zip(self.examples, self.requests(), strict=True):
            button.setText(request)
            button.setAccessibleName(self.tr("Example: {request}").replace("{request}", request))

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(_GAP_PX)
        column.addStretch(3)
        column.addWidget(self._logo)
        column.addSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self._note)
        column.addSpacing(14)
        column.addWidget(self._example_list(), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(4)

    def _example_list(self) -> QWidget:
        """All as wide as the widest."""
        box = QWidget(self)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP_PX)
        for button in self.examples:
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            column.addWidget(button)
        return box

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        """While a card takes the room, fewer examples are shown, never their empty frames."""
        heads = [one for one in (self._logo, self._title, self._note) if not one.isHidden()]
        head = sum(one.sizeHint().height() + _GAP_PX for one in heads) + _AROUND_PX
        for number, button in enumerate(self.examples, start=1):
            each = button.sizeHint().height() + _GAP_PX
            button.setVisible(head + number * each <= self.height())

    def _on_example(self, number: int, checked: bool = False) -> None:
        self.example_chosen.emit(self.requests()[number])
