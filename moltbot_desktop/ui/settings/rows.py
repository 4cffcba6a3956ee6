"""One row of a form: name, field, what helps and what is wrong, and the buttons of entries."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode
from moltbot_desktop.ui.settings.editing import Asking, Editor
from moltbot_desktop.ui.settings.fields import default_words, field_for

_GROUPS = (FieldKind.GROUP, FieldKind.MAP, FieldKind.LIST)
_STEP_PX = 18
_DEEPEST_STEP = 6


class FieldRow(QWidget):
    """A node as a row; groups are a heading with the buttons that make them larger."""

    def __init__(self, node: FormNode, depth: int, asking: Asking, *, named: bool = True) -> None:
        """`depth`: how far to the right it begins, in levels; `named`: it says what it is called
        (of a form inside an alternative the row above has said it)."""
        super().__init__()
        self.node = node
        self._asking, self._words = asking, asking.words
        self._unreadable = ""
        self.editor: Editor | None = field_for(node, asking)
        self._title = _line("field_title", wrap=False)
        self._title.setVisible(named)
        self._state = _line("field_note", wrap=False)
        self.reset = self._button("reset", self._on_reset)
        self.null = self._button("null", self._on_null)
        self.up = self._button("up", lambda: self._on_move(-1))
        self.down = self._button("down", lambda: self._on_move(1))
        self.remove = self._button("remove", self._on_reset)
        self.add = self._button("add", self._on_add)
        self.new_name = QLineEdit()
        self.new_name.setObjectName("field")
        self.new_name.setPlaceholderText(self._words("new_name"))
        self.new_name.setAccessibleName(self._words("new_name"))
        self.new_name.returnPressed.connect(self._on_named)
        self.add_named = self._button("add", self._on_named)
        self._help = _line("field_note")
        self._reason = _line("field_note")
        self._problem = _line("field_problem")
        self._lay_out(depth)
        self.show_node(node)

    def show_node(self, node: FormNode) -> None:
        """The same row in the form's new state."""
        self.node = node
        words = self._words
        group = node.kind in _GROUPS
        self._title.setText(node.label)
        self._title.setProperty("group", group)
        self._title.style().polish(self._title)
        self._state.setText(self._state_words(node))
        self._help.setText(node.help)
        self._reason.setText(node.reason)
        for line in (self._state, self._help, self._reason):
            line.setVisible(bool(line.text()))
        own = node.kind is FieldKind.SECRET or node.removable or not node.place
        self.reset.setVisible(node.written and not own)
        self.reset.setText(words("reset" if node.has_default else "clear"))
        self.null.setVisible(
            node.nullable
            and not group
            and not (node.value is None and (node.written or node.has_default))
        )
        self.remove.setVisible(node.removable)
        self.up.setVisible(node.movable)
        self.down.setVisible(node.movable)
        begins = node.kind is FieldKind.GROUP and node.addable and bool(node.place)
        empty = begins and not node.children and not node.named
        self.add.setVisible((node.kind is FieldKind.LIST and node.addable) or empty)
        self.add.setText(words("begin" if empty else "add"))
        for widget in (self.new_name, self.add_named):
            widget.setVisible(node.named)
        if self.editor is not None:
            self.editor.show_node(node)
        self._tell_problems()

    def tell_unreadable(self, sentence: str) -> None:
        """What was typed is no value of this kind; "" when it is one."""
        self._unreadable = sentence
        self._tell_problems()

    def take_focus(self) -> None:
        (self.editor or self.add).setFocus()

    @property
    def problem(self) -> str:
        """What stands below the field in red."""
        return self._problem.text()

    def _tell_problems(self) -> None:
        told = [self._unreadable] if self._unreadable else list(self.node.problems)
        self._problem.setText("\n".join(told))
        self._problem.setVisible(bool(told))
        if self.editor is not None:
            target = self.editor.focusProxy() or self.editor
            target.setAccessibleDescription("\n".join((self.node.help, *told)).strip())

    def _state_words(self, node: FormNode) -> str:
        words, said = self._words, []
        if node.changed:
            said.append(words("changed"))
        elif not node.written and node.has_default and node.kind not in _GROUPS:
            said.append(words("is_default"))
        if node.required and not node.written:
            said.append(words("required"))
        if node.variable:
            said.append(words("variable"))
        if node.written and node.has_default and node.kind not in _GROUPS:
            said.append(words("default", value=default_words(node)))
        return " · ".join(said)

    def _button(self, key: str, asked: object) -> QPushButton:
        button = QPushButton(self._words(key))
        button.setObjectName("quiet")
        button.setAutoDefault(False)
        button.setAccessibleName(
            self._words("name_of", label=self._words(key), place=self.node.label)
        )
        button.clicked.connect(asked)
        return button

    def _lay_out(self, depth: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(min(depth, _DEEPEST_STEP) * _STEP_PX, 6, 0, 6)
        column.setSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._title)
        top.addWidget(self._state)
        top.addStretch(1)
        for button in (self.up, self.down, self.null, self.reset, self.remove, self.add):
            top.addWidget(button)
        column.addLayout(top)
        if self.editor is not None:
            column.addWidget(self.editor)
            self._title.setBuddy(self.editor)
        for line in (self._help, self._reason, self._problem):
            column.addWidget(line)
        new = QHBoxLayout()
        new.addWidget(self.new_name, 1)
        new.addWidget(self.add_named)
        column.addLayout(new)

    # ------------------------------------------------------------------ buttons

    @Slot()
    def _on_reset(self) -> None:
        place = self.node.place
        self._asking.unreadable(place, "")
        self._asking.edit(lambda form: form.unset(place))

    @Slot()
    def _on_null(self) -> None:
        place = self.node.place
        self._asking.unreadable(place, "")
        self._asking.edit(lambda form: form.put(place, None))

    def _on_move(self, by: int) -> None:
        place = self.node.place
        to = int(place[-1]) + by
        if to >= 0:
            self._asking.edit(lambda form: form.move(place, to))

    @Slot()
    def _on_add(self) -> None:
        place = self.node.place
        self._asking.edit(lambda form: form.add(place))

    @Slot()
    def _on_named(self) -> None:
        place, name = self.node.place, self.new_name.text().strip()
        if name:
            self.new_name.clear()
            self._asking.edit(lambda form: form.add(place, name))


def row_key(node: FormNode) -> tuple[FieldPlace, FieldKind, int, bool]:
    """What must be the same for a row to show another state of a node."""
    long = isinstance(node.value, str) and "\n" in node.value
    return node.place, node.kind, len(node.options), long


def _line(name: str, *, wrap: bool = True) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    return label
