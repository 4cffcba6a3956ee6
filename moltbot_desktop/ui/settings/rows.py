"""One row of a form: name, field, what helps and what is wrong, and the buttons of entries."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode
from moltbot_desktop.ui.settings.editing import Asking, Editor
from moltbot_desktop.ui.settings.fields import default_words, field_for
from moltbot_desktop.ui.settings.row_buttons import NameLine, NewEntry, RowButtons

_GROUPS = (FieldKind.GROUP, FieldKind.MAP, FieldKind.LIST)
_STEP_PX = 18
_DEEPEST_STEP = 6


class FieldRow(QWidget):
    """A node as a row; groups are a heading with the buttons that make them larger."""

    def __init__(
        self, node: FormNode, depth: int, asking: Asking, *, named: bool = True, entry: str = ""
    ) -> None:
        """`depth`: how far to the right it begins, in levels; `named`: it says what it is called
        (of a form inside an alternative the row above has said it); `entry`: what one more entry
        is called."""
        super().__init__()
        self.node = node
        self._asking, self._words = asking, asking.words
        self._unreadable, self._entry = "", entry
        self.editor: Editor | None = field_for(node, asking)
        self._title = _line("field_title", wrap=False)
        self._named = named
        self._title.setVisible(named)
        self._state = _line("field_note", wrap=False)
        self._buttons = RowButtons(
            self._words,
            lambda: self.node.label,
            {
                "up": lambda: self._on_move(-1),
                "down": lambda: self._on_move(1),
                "null": self._on_null,
                "reset": self._on_reset,
                "rename": self._on_rename,
                "remove": self._on_reset,
                "add": self._on_add,
            },
        )
        self.other_name: NameLine | None = None
        self.new_entry: NewEntry | None = None
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
        self._offer_buttons(node)
        if node.named and self.new_entry is None:
            self.new_entry = NewEntry(words, self._entry, node.label, self._on_named)
            self._column.addWidget(self.new_entry)
        if self.new_entry is not None:
            self.new_entry.setVisible(node.named)
        if self.editor is not None:
            self.editor.show_node(node)
        self._tell_problems()

    def _offer_buttons(self, node: FormNode) -> None:
        offer, words, group = self._buttons.offer, self._words, node.kind in _GROUPS
        # The form of an alternative is taken away in the row above, which chose it.
        own = node.kind is FieldKind.SECRET or node.removable or not (node.place and self._named)
        offer("reset", node.written and not own, words("reset" if node.has_default else "clear"))
        # Where nothing is the default, "Use the default" is the plainer word for it.
        empty = node.has_default and (node.value is None or node.default is None)
        empty = empty or (node.written and node.value is None)
        offer("null", node.nullable and not group and not empty and self._named)
        offer("remove", node.removable and self._named)
        offer("rename", node.renamable and self._named)
        offer("up", node.movable and node.place[-1] != 0 and self._named)
        offer("down", node.movable and not node.last and self._named)
        begins = node.kind is FieldKind.GROUP and node.addable and bool(node.place)
        begun = not (begins and not node.children and not node.named)
        more = node.kind is FieldKind.LIST and node.addable
        offer("add", more or not begun, words("add" if begun else "begin"))

    def button(self, key: str) -> QPushButton:
        """One of the row's buttons, by the key of its words."""
        return self._buttons.button(key)

    def tell_unreadable(self, sentence: str) -> None:
        """What was typed is no value of this kind; "" when it is one."""
        self._unreadable = sentence
        self._tell_problems()

    def take_focus(self) -> None:
        if self.editor is not None:
            self.editor.target.setFocus()
        else:
            (self.new_entry.line if self.new_entry is not None else self.button("add")).setFocus()

    @property
    def problem(self) -> str:
        """What stands below the field in red."""
        return self._problem.text()

    def _tell_problems(self) -> None:
        told = [self._unreadable] if self._unreadable else list(self.node.problems)
        self._problem.setText("\n".join(told))
        self._problem.setVisible(bool(told))
        if self.editor is not None:
            self.editor.target.setAccessibleDescription("\n".join((self.node.help, *told)).strip())

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
        known = node.has_default and node.default is not None
        if node.written and known and node.kind not in _GROUPS:
            said.append(words("default", value=default_words(node, words)))
        return " · ".join(said)

    def _lay_out(self, depth: int) -> None:
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(min(depth, _DEEPEST_STEP) * _STEP_PX, 6, 0, 6)
        column.setSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self._title)
        top.addWidget(self._state)
        top.addStretch(1)
        top.addLayout(self._buttons)
        column.addLayout(top)
        if self.editor is not None:
            column.addWidget(self.editor)
            self._title.setBuddy(self.editor.target)
        for line in (self._help, self._reason, self._problem):
            column.addWidget(line)

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
    def _on_rename(self) -> None:
        if self.other_name is None:
            self.other_name = NameLine(self._words("rename"), self._on_renamed)
            self._column.insertWidget(1, self.other_name)
        self.other_name.begin(str(self.node.place[-1]))

    def _on_renamed(self, name: str) -> None:
        place = self.node.place
        if name and name != place[-1]:
            self._asking.edit(lambda form: form.rename(place, name))

    def _on_named(self, name: str) -> None:
        place = self.node.place
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
    if not wrap:
        label.setMinimumWidth(1)  # a long name is cut rather than the fields in a narrow window
    return label
