"""The details of a run: its facts, a card for each step, the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.activity import RunDetail, RunStep
from moltbot_desktop.ui.activity.words import (
    arguments_words,
    prompt_lines,
    step_title,
    verdict_words,
)
from moltbot_desktop.ui.kit.measures import GAP, HAIR
from moltbot_desktop.ui.kit.texts import button, heading, note, plain

_FOLDED = 600
_MOST = 20_000
"""Characters of a text that are shown; copying has all of them."""
_MOST_STEPS = 60
"""A run of more has lost its way; copying has all of them."""


class FoldedText(QWidget):
    """A text that may be long: its beginning, and the rest at a press."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text[:_MOST]
        self.label = plain(self._text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HAIR)
        column.addWidget(self.label)
        if len(self._text) > _FOLDED:
            self.label.setText(f"{self._text[:_FOLDED]}…")
            self._more = button(self.tr("Show all"), "quiet")
            self._more.clicked.connect(self._unfold)
            column.addWidget(self._more)

    def _unfold(self) -> None:
        self._more.hide()
        self.label.setText(self._text)


class Card(QFrame):
    """What belongs together, below a heading."""

    def __init__(self, name: str, parts: Iterable[QWidget]) -> None:
        super().__init__()
        self.setObjectName("run_card")
        self.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(HAIR)
        for one in (heading(name), *parts):
            column.addWidget(one)


class RunCards(QWidget):
    """What a run was made of, from its prompt to its answer."""

    def __init__(self, detail: RunDetail, language: Language) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        for card in self._cards(detail, language):
            column.addWidget(card)

    def _cards(self, detail: RunDetail, language: Language) -> Iterator[QWidget]:
        if detail.request not in ("", detail.summary.words):  # else it stands above already
            yield Card(self.tr("The request"), [FoldedText(detail.request)])
        if lines := [*prompt_lines(detail)]:
            yield Card(self.tr("What it was given"), map(note, lines))
        for number, step in enumerate(detail.steps[:_MOST_STEPS], start=1):
            yield self._step(number, step, language)
        if (left := len(detail.steps) - _MOST_STEPS) > 0:
            more = self.tr("{count} more steps; “Copy” has them all.")
            yield note(more.replace("{count}", str(left)))
        for words in detail.later:
            yield Card(self.tr("Said meanwhile"), [FoldedText(words)])
        if detail.thinking:
            yield Card(self.tr("What it thought"), [FoldedText(detail.thinking)])
        if detail.answer:
            yield Card(self.tr("The answer"), [FoldedText(detail.answer)])

    def _step(self, number: int, step: RunStep, language: Language) -> QWidget:
        parts: list[QWidget] = []
        if step.said:
            parts.append(FoldedText(step.said))
        parts.append(note(verdict_words(step, language)))
        if arguments := arguments_words(step.arguments, language):
            parts.append(FoldedText(arguments))
        if came := (step.display or step.result).strip():
            parts += [note(self.tr("What came back:")), FoldedText(came)]
        return Card(f"{number}. {step_title(step, language)}", parts)
