"""A widget for each kind of single value: text, number, yes or no, one of several, key, JSON."""

from __future__ import annotations

import json
from math import isfinite

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtGui import QFontDatabase, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import FieldKind, FormNode, SecretState
from moltbot_desktop.ui.settings.editing import Asking, Editor, Typed
from moltbot_desktop.ui.settings.texts import Words

_RAW_LINES = 6


class TextField(Editor):
    """Text in a line, with a button where it is a path; of a number, the number as it is typed."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self.line = QLineEdit()
        self.line.setObjectName("field")
        self.line.setAccessibleName(node.label)
        self._typed = Typed(self, self._take)
        self.line.textEdited.connect(self._typed.begin)
        self.line.editingFinished.connect(self._typed.now)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, 1)
        if node.format:
            choose = QPushButton(self.words("choose_file"))
            choose.setObjectName("secondary")
            choose.setAutoDefault(False)  # or Enter in a line would press it
            told = self.words("name_of", label=choose.text(), place=node.label)
            choose.setAccessibleName(told)
            choose.clicked.connect(self._choose)
            row.addWidget(choose)
        self.target = self.line
        self.show_node(node)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        if not self._typed.waiting and not (self.line.hasFocus() and self.line.isModified()):
            text = shown_value(node.value) if node.written and node.value is not None else ""
            if self.line.text() != text:
                self.line.setText(text)
        default = shown_value(node.default) if node.has_default and node.default is not None else ""
        emptied = node.blank and node.written and node.value == ""
        self.line.setPlaceholderText("" if emptied else default or node.placeholder)

    def settle(self) -> None:
        self._typed.now()

    def _take(self) -> None:
        text, place = self.line.text(), self.node.place
        if not text and not self.node.blank and not (self.node.written and self.node.value == ""):
            self.asking.unreadable(place, "")
            self.asking.edit(lambda form: form.unset(place))
            return
        try:
            value = self._value(text)
        except ValueError:
            phrase = "whole_number" if self.node.kind is FieldKind.WHOLE else "number"
            self.asking.unreadable(place, self.words(phrase))
            return
        self.asking.unreadable(place, "")
        self.asking.edit(lambda form: form.put(place, value))

    def _value(self, text: str) -> JsonValue:
        """Raises:
        ValueError: it is no number, where one belongs.
        """
        if self.node.kind is FieldKind.TEXT or "${" in text:
            return text
        if self.node.kind is FieldKind.WHOLE:
            return int(text.strip())
        number = float(text.strip().replace(",", "."))
        if not isfinite(number):
            raise ValueError(text)
        return int(number) if number == number // 1 and abs(number) < 2**53 else number

    @Slot()
    def _choose(self) -> None:
        picked = (
            QFileDialog.getExistingDirectory(self, self.node.label, self.line.text())
            if self.node.format == "folder"
            else QFileDialog.getOpenFileName(self, self.node.label, self.line.text())[0]
        )
        if picked:
            self.line.setText(picked)
            self._take()


class LongTextField(Editor):
    """Text of several lines."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self.area = _area(self, node)
        self._typed = Typed(self, self._take)
        self.show_node(node)
        self.area.textChanged.connect(self._typed.begin)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        text = node.value if isinstance(node.value, str) else ""
        if not self._typed.waiting and self.area.toPlainText() != text:
            with QSignalBlocker(self.area):
                self.area.setPlainText(text)

    def settle(self) -> None:
        self._typed.now()

    def _take(self) -> None:
        text, place = self.area.toPlainText(), self.node.place
        self.asking.edit(lambda form: form.put(place, text))


class FlagField(Editor):
    """Yes or no; neither as long as nothing is written and there is no default."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self.box = QCheckBox()
        self.box.setAccessibleName(node.label)
        self.box.clicked.connect(self._take)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.box)
        row.addStretch(1)
        self.target = self.box
        self.show_node(node)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        states = {True: Qt.CheckState.Checked, False: Qt.CheckState.Unchecked}
        known = node.value if isinstance(node.value, bool) else None
        state = Qt.CheckState.PartiallyChecked if known is None else states[known]
        self.box.setTristate(known is None)
        self.box.setCheckState(state)
        self.box.setText(self.words("unset" if known is None else "yes" if known else "no"))

    @Slot()
    def _take(self) -> None:
        place, value = self.node.place, self.node.value is not True
        self.asking.edit(lambda form: form.put(place, value))


class _Choices(QComboBox):
    """A list that the wheel leaves alone: whoever scrolls past it means the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class ChoiceField(Editor):
    """One of several values, or the default."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self.box = _Choices()
        self.box.setAccessibleName(node.label)
        self.box.addItems([option.label for option in node.options])
        self.box.activated.connect(self._take)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.box, 1)
        self.target = self.box
        self.show_node(node)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        self.box.setCurrentIndex(node.chosen)
        if node.chosen >= 0:
            return
        if node.written:
            text = self.words("empty") if node.value is None else shown_value(node.value)
        elif node.has_default and node.default is not None:
            text = default_words(node, self.words)
        else:
            text = self.words("choose_kind" if node.kind is FieldKind.VARIANT else "unset")
        self.box.setPlaceholderText(text)

    @Slot(int)
    def _take(self, index: int) -> None:
        place = self.node.place
        if self.node.kind is FieldKind.VARIANT:
            if index != self.node.chosen:
                self.asking.edit(lambda form: form.choose(place, index))
            return
        value = self.node.options[index].value
        self.asking.edit(lambda form: form.put(place, value))


class SecretField(Editor):
    """A key: that there is one, and a line to type another into. What is there is never shown."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self._state = QLabel()
        self._state.setTextFormat(Qt.TextFormat.PlainText)
        self._state.setWordWrap(True)
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName(node.label)
        self.line.setObjectName("field")
        self.replace, self.clear, self.take, self.cancel = (QPushButton() for _ in range(4))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._state, 1)
        row.addWidget(self.line, 1)
        for button in (self.replace, self.clear, self.take, self.cancel):
            button.setObjectName("secondary")
            button.setAutoDefault(False)  # or Enter in the line would press the next one as well
            row.addWidget(button)
        self.take.setText(self.words("secret_take"))
        self.cancel.setText(self.words("cancel"))
        self.clear.setText(self.words("clear"))
        self.replace.clicked.connect(lambda: self._open(asked=True))
        self.cancel.clicked.connect(lambda: self._open(asked=False))
        self.take.clicked.connect(self._take)
        self.line.returnPressed.connect(self._take)
        self.clear.clicked.connect(self._clear)
        self.target = self.replace
        self._open(asked=False)
        self.show_node(node)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        known = node.secret is not SecretState.UNSET
        place = node.value if isinstance(node.value, str) else ""
        said = {
            SecretState.UNSET: self.words("secret_none"),
            SecretState.WRITTEN: self.words("secret_set"),
            SecretState.ELSEWHERE: self.words("secret_elsewhere", place=place),
        }
        self._state.setText(said[node.secret])
        self.replace.setText(self.words("secret_replace" if known else "secret_put"))
        for button in (self.replace, self.clear, self.take, self.cancel):
            told = self.words("name_of", label=button.text(), place=node.label)
            button.setAccessibleName(told)
        self.clear.setVisible(known and not self.line.isVisibleTo(self))

    def settle(self) -> None:
        if self.line.isVisibleTo(self) and self.line.text():
            self._take()

    def _open(self, *, asked: bool) -> None:
        self.line.clear()
        typing: tuple[QWidget, ...] = (self.line, self.take, self.cancel)
        telling: tuple[QWidget, ...] = (self._state, self.replace)
        for widget in typing:
            widget.setVisible(asked)
        for widget in telling:
            widget.setVisible(not asked)
        self.clear.setVisible(not asked and self.node.secret is not SecretState.UNSET)
        (self.line if asked else self.replace).setFocus()

    @Slot()
    def _take(self) -> None:
        place, secret = self.node.place, self.line.text()
        self._open(asked=False)
        if secret:
            self.asking.edit(lambda form: form.hide(place, secret))

    @Slot()
    def _clear(self) -> None:
        place = self.node.place
        self.asking.edit(lambda form: form.unset(place))


class RawField(Editor):
    """JSON, for what no better field can be made."""

    def __init__(self, node: FormNode, asking: Asking) -> None:
        super().__init__(node, asking)
        self.area = _area(self, node)
        self.area.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._typed = Typed(self, self._take)
        self._wrong = False
        self.show_node(node)
        self.area.textChanged.connect(self._typed.begin)

    def show_node(self, node: FormNode) -> None:
        super().show_node(node)
        if self._typed.waiting or self._wrong or self._shows(node):
            return
        text = json.dumps(node.value, ensure_ascii=False, indent=2) if node.written else ""
        with QSignalBlocker(self.area):
            self.area.setPlainText(text)
        if not node.written and node.has_default:
            self.area.setPlaceholderText(json.dumps(node.default, ensure_ascii=False))

    def settle(self) -> None:
        self._typed.now()

    def _shows(self, node: FormNode) -> bool:
        """What stands in the field is that value already, however it is spaced."""
        text = self.area.toPlainText()
        try:
            return bool(text.strip()) and node.written and bool(parsed(text) == node.value)
        except ValueError:
            return False

    def _take(self) -> None:
        text, place = self.area.toPlainText(), self.node.place
        self._wrong = False
        if not text.strip():
            self.asking.unreadable(place, "")
            self.asking.edit(lambda form: form.unset(place) if place else form.put(place, {}))
            return
        try:
            value = parsed(text)
        except ValueError as error:
            self._wrong = True
            line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            self.asking.unreadable(place, self.words("json", reason=reason, line=line))
            return
        self.asking.unreadable(place, "")
        self.asking.edit(lambda form: form.put(place, value))


def field_for(node: FormNode, asking: Asking) -> Editor | None:
    """The widget for a single value; None for what has fields of its own."""
    match node.kind:
        case FieldKind.TEXT if isinstance(node.value, str) and "\n" in node.value:
            return LongTextField(node, asking)
        case FieldKind.TEXT | FieldKind.WHOLE | FieldKind.NUMBER:
            return TextField(node, asking)
        case FieldKind.FLAG:
            return FlagField(node, asking)
        case FieldKind.CHOICE | FieldKind.VARIANT:
            return ChoiceField(node, asking)
        case FieldKind.SECRET:
            return SecretField(node, asking)
        case FieldKind.RAW:
            return RawField(node, asking)
    return None


def shown_value(value: JsonValue) -> str:
    """A value as it is typed."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def default_words(node: FormNode, words: Words) -> str:
    """The default of a field in one line, as its option is called where it has options."""
    if isinstance(node.default, bool):
        return words("yes" if node.default else "no")
    for option in node.options:
        if node.kind is FieldKind.CHOICE and option.value == node.default:
            return option.label
    return shown_value(node.default)


def parsed(text: str) -> JsonValue:
    """Strict JSON.

    Raises:
        ValueError: it is none.
    """

    def refused(name: str) -> JsonValue:
        raise ValueError(name)

    try:
        value: JsonValue = json.loads(text, parse_constant=refused)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    return value


def _area(owner: Editor, node: FormNode) -> QPlainTextEdit:
    area = QPlainTextEdit()
    area.setObjectName("field_area")
    area.setAccessibleName(node.label)
    area.setTabChangesFocus(True)
    area.setFixedHeight(area.fontMetrics().lineSpacing() * _RAW_LINES + 20)
    column = QVBoxLayout(owner)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(area)
    owner.target = area
    return area
