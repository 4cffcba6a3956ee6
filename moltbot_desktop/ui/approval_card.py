"""The card that asks the owner before something is done.

Three guards against an answer nobody meant: no button is the default and none has the focus, so
Enter typed for the message does not answer; and a press counts only from a person's device and not
in the first moment (`real_press`), which begins anew whenever what the buttons mean has changed.
Allowing is for this one call, unless the owner chooses one of the longer terms that the card
offers; each card begins with "once" again.

What one step of the model wants together is shown as one list first: all of it once, none of it, or
one after the other.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.tool_words import argument_word
from moltbot_desktop.ui.diff_colours import DiffColours
from moltbot_desktop.ui.entries import ToolState
from moltbot_desktop.ui.real_press import ActivationGuard, IsReal, from_window_system
from moltbot_desktop.ui.words import tool_title, window_language

_MAX_DETAIL_CHARACTERS = 20_000
_LEAST_PX, _USUAL_PX, _DIFF_PX = 48, 110, 240
_AROUND_PX = 24
_SENTENCE = re.compile(r"[a-z]+ ")


def details(arguments: Mapping[str, JsonValue]) -> str:
    """All that would be passed on, one argument a line, nothing hidden behind a summary."""
    language = window_language()
    lines = (
        f"{argument_word(name, language)}: "
        + (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in arguments.items()
    )
    return "\n".join(lines)[:_MAX_DETAIL_CHARACTERS]


def shown_details(request: ApprovalRequested) -> str:
    """What would change where that is known, else all arguments; both where the changes are not all
    there."""
    changes = request.offer.changes
    if not changes:
        return details(request.arguments)
    cut = changes.endswith("@@")
    return f"{changes}\n\n{details(request.arguments)}" if cut else changes


class ApprovalCard(QFrame):
    """Shows one request at a time, or those of one step together; the others wait behind.

    Signals:
        answered: the request's id, whether it is allowed, and the `Term` of a yes.
        waiting_changed: whether any request waits for the owner.
    """

    answered = Signal(str, bool, str)
    waiting_changed = Signal(bool)

    def __init__(
        self,
        clock: Clock,
        *,
        is_real: IsReal = from_window_system,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("approval")
        self._waiting: deque[ApprovalRequested] = deque()
        self._origins: dict[ApprovalId, str] = {}
        self._apart = ""
        self._origin = QLabel(self)
        self._origin.setObjectName("approval_reason")
        self._title = QLabel(self)
        self._title.setObjectName("approval_title")
        self._reason = QLabel(self)
        self._reason.setObjectName("approval_reason")
        self._details = QPlainTextEdit(self)
        self._details.setObjectName("approval_details")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._colours = DiffColours(self._details.document())
        self._about = QLabel(self)
        self._about.setObjectName("approval_reason")
        for label in (self._origin, self._title, self._reason, self._about):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._terms = QButtonGroup(self)
        self.terms = {term: self._term_button(number) for number, term in enumerate(Term)}
        self.terms[Term.ONCE].setChecked(True)
        self.allow = QPushButton(self)
        self.deny = QPushButton(self)
        self.one_by_one = QPushButton(self)
        self.one_by_one.setObjectName("secondary")
        self.one_by_one.setAutoDefault(False)
        self.one_by_one.clicked.connect(self._on_one_by_one)
        self._guards: list[ActivationGuard] = []
        for button, allowed in ((self.deny, False), (self.allow, True)):
            self._guard(button, allowed, clock, is_real)
        self._terms.idToggled.connect(self._on_term)
        self._lay_out()
        self.retranslate()
        self.hide()

    @property
    def waiting(self) -> bool:
        return bool(self._waiting)

    def ask(self, request: ApprovalRequested, origin: str = "") -> None:
        """Show `request`, now or when those before it are answered.

        Args:
            origin: what asks, in words, when it is not the conversation that is shown.
        """
        self._waiting.append(request)
        self._origins[request.approval_id] = origin
        if len(self._waiting) == 1 or request in self._together():
            self._show_first()
        self.waiting_changed.emit(True)

    def withdraw(self, approval_id: ApprovalId) -> None:
        """Answered elsewhere, expired, or its run has ended."""
        shown = {one.approval_id for one in self._together()}
        self._origins.pop(approval_id, None)
        self._waiting = deque(one for one in self._waiting if one.approval_id != approval_id)
        if approval_id in shown:
            self._show_first()
        self.waiting_changed.emit(self.waiting)

    def withdraw_run(self, run_id: str) -> None:
        for one in tuple(self._waiting):
            if one.run_id == run_id:
                self.withdraw(one.approval_id)

    def retranslate(self) -> None:
        self.deny.setText(self.tr("Don't allow"))
        self.one_by_one.setText(self.tr("One by one"))
        names = {
            Term.ONCE: self.tr("once"),
            Term.RUN: self.tr("for this task"),
            Term.HOUR: self.tr("for an hour"),
            Term.ALWAYS: self.tr("always"),
        }
        for term, button in self.terms.items():
            button.setText(names[term])
        self.setAccessibleName(self.tr("Permission asked"))
        self._details.setAccessibleName(self.tr("What exactly would be done"))
        self._name_allow()

    def _guard(self, button: QPushButton, allowed: bool, clock: Clock, is_real: IsReal) -> None:
        button.setObjectName("secondary")
        button.setAutoDefault(False)
        button.setDefault(False)
        guard = ActivationGuard(button, clock, is_real)
        guard.activated.connect(self._on_allow if allowed else self._on_deny)
        self._guards.append(guard)

    def _term_button(self, number: int) -> QRadioButton:
        button = QRadioButton(self)
        self._terms.addButton(button, number)
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        for widget in (self._origin, self._title, self._reason, self._details):
            column.addWidget(widget)
        terms = QHBoxLayout()
        terms.setSpacing(14)
        for button in self.terms.values():
            terms.addWidget(button)
        terms.addStretch(1)
        column.addLayout(terms)
        column.addWidget(self._about)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.deny)
        row.addWidget(self.one_by_one)
        row.addWidget(self.allow)
        column.addLayout(row)

    # ------------------------------------------------------------------ what is shown

    def _together(self) -> tuple[ApprovalRequested, ...]:
        """The requests that the card shows now."""
        if not self._waiting:
            return ()
        first = self._waiting[0]
        batch = first.offer.batch
        if not batch or batch == self._apart:
            return (first,)
        return tuple(one for one in self._waiting if one.offer.batch == batch)

    def _show_first(self) -> None:
        shown = self._together()
        if not shown:
            self.hide()
            return
        first, many = shown[0], len(shown) > 1
        origin = self._origins[first.approval_id]
        self._origin.setText(origin)
        self._origin.setVisible(bool(origin))
        self.terms[Term.ONCE].setChecked(True)
        if many:
            title = self.tr("In one step: %1 things")
            self._title.setText(title.replace("%1", str(len(shown))))
            self._details.setPlainText("\n\n".join(map(self._in_list, shown)))
        else:
            self._title.setText(_title(first))
            self._details.setPlainText(shown_details(first))
        self._reason.setText(first.reason)
        self._reason.setVisible(bool(first.reason))
        tall = many or bool(first.offer.changes)
        self._fit(_DIFF_PX if tall else _USUAL_PX)
        self._colours.set_on(any(one.offer.changes for one in shown))
        terms = () if many or len(first.offer.terms) < 2 else first.offer.terms
        for term, button in self.terms.items():
            button.setVisible(term in terms)
        self._about.setVisible(bool(terms))
        about = self.tr("Longer than once, this holds for: %1")
        self._about.setText(about.replace("%1", first.offer.about))
        self.one_by_one.setVisible(many)
        self._name_allow()
        self._restart()
        self.show()

    def _fit(self, most: int) -> None:
        """As high as what is in it, as far as there is room: a line more, where one is broken."""
        lines = self._details.blockCount() + 1
        wanted = lines * self._details.fontMetrics().lineSpacing() + _AROUND_PX
        self._details.setFixedHeight(max(_LEAST_PX, min(wanted, most)))

    def _in_list(self, request: ApprovalRequested) -> str:
        """A reason that all of them have stands above them."""
        shared = len({one.reason for one in self._together()}) == 1
        reason = "" if shared else request.reason
        lines = (f"• {_title(request)}", reason, shown_details(request))
        return "\n".join(filter(None, lines)).strip()

    def _name_allow(self) -> None:
        if len(self._together()) > 1:
            self.allow.setText(self.tr("Allow all of it once"))
            return
        names = {
            Term.ONCE: self.tr("Allow this once"),
            Term.RUN: self.tr("Allow for this task"),
            Term.HOUR: self.tr("Allow for an hour"),
            Term.ALWAYS: self.tr("Always allow"),
        }
        self.allow.setText(names[self._term()])

    def _term(self) -> Term:
        return tuple(Term)[self._terms.checkedId()]

    def _restart(self) -> None:
        for guard in self._guards:
            guard.restart()

    # ------------------------------------------------------------------ answers

    @Slot(int, bool)
    def _on_term(self, _number: int, checked: bool) -> None:
        """The button means something else now: nobody may be in the middle of pressing it."""
        if checked:
            self._name_allow()
            self._restart()

    @Slot()
    def _on_one_by_one(self) -> None:
        if self._waiting:
            self._apart = self._waiting[0].offer.batch
            self._show_first()

    @Slot()
    def _on_allow(self) -> None:
        self._answer(True)

    @Slot()
    def _on_deny(self) -> None:
        self._answer(False)

    def _answer(self, allowed: bool) -> None:
        """All that is shown is answered, and nothing that has come since it was shown."""
        shown = [one.approval_id for one in self._together()]
        term = self._term() if allowed and len(shown) == 1 else Term.ONCE
        for answered in shown:
            self._origins.pop(answered, None)
        self._waiting = deque(one for one in self._waiting if one.approval_id not in shown)
        self._show_first()
        self.waiting_changed.emit(self.waiting)
        for answered in shown:
            self.answered.emit(answered, allowed, term.value)


def _title(request: ApprovalRequested) -> str:
    """What would be done, as the beginning of a sentence; a tool's own name stays as it is."""
    title = request.title or tool_title(request.tool, ToolState.NOT_RUN)
    return title[:1].upper() + title[1:] if _SENTENCE.match(title) else title
