"""A long form is there at once as far as it is seen, and whole a moment later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from moltbot_desktop.config.form.form import Form, open_form
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.ui.settings.editing import Asking
from moltbot_desktop.ui.settings.form_view import FormView
from moltbot_desktop.ui.settings.texts import Words

SIZE = 60
LONG: JsonObject = {
    "type": "object",
    "properties": {f"field{number:02}": {"type": "string"} for number in range(SIZE)},
}


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[FormView]:
    made = FormView(Asking(Words(Language.ENGLISH), lambda edit: None, lambda place, told: None))
    yield made
    made.deleteLater()


def show(view: FormView, form: Form) -> None:
    view.show_node(form.root(Language.ENGLISH), advanced=False, only=None)


def labels(view: FormView) -> list[str]:
    return [str(row.node.place[0]) for row in view.rows]


def test_the_first_screen_is_made_at_once_and_the_rest_by_and_by(
    view: FormView, qtbot: QtBot
) -> None:
    form = open_form(LONG, {})
    with qtbot.waitSignal(view.rebuilt):
        show(view, form)
        assert 10 <= len(view.rows) < SIZE
        edited = form.put(("field05",), "now").put(("field59",), "then")
        show(view, edited)  # before the rest is there
    assert labels(view) == list(LONG["properties"])  # type: ignore[arg-type]
    first, last = view.row(("field05",)), view.row(("field59",))
    assert first is not None and first.node.value == "now"
    assert last is not None and last.node.value == "then"


def test_another_form_takes_the_place_of_one_that_is_half_made(
    view: FormView, qtbot: QtBot
) -> None:
    show(view, open_form(LONG, {}))
    small: JsonObject = {"type": "object", "properties": {"only": {"type": "string"}}}
    show(view, open_form(small, {}))
    qtbot.wait(20)
    assert labels(view) == ["only"]


def test_what_looks_for_a_row_makes_the_rest(view: FormView) -> None:
    show(view, open_form(LONG, {}))
    view.finish()
    assert len(view.rows) == SIZE


def test_far_below_rows_are_made_when_somebody_comes_near(view: FormView, qtbot: QtBot) -> None:
    many = 600
    names = [f"field{number:03}" for number in range(many)]
    huge: JsonObject = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
    }
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(view)
    area.resize(500, 400)
    area.show()
    with qtbot.waitSignal(view.rebuilt):
        show(view, open_form(huge, {}))
    made = len(view.rows)
    assert made < many // 2
    bar = area.verticalScrollBar()

    def at_the_end() -> bool:
        bar.setValue(bar.maximum())
        return len(view.rows) == many

    qtbot.waitUntil(at_the_end, timeout=60_000)
    assert labels(view) == names
    area.takeWidget()
    area.hide()
    area.deleteLater()


@pytest.mark.parametrize(
    ("language", "told"), [(Language.ENGLISH, "Default: Yes"), (Language.CHINESE, "默认：是")]
)
def test_a_default_is_told_in_words_that_people_use(
    qtbot: QtBot, language: Language, told: str
) -> None:
    made = FormView(Asking(Words(language), lambda edit: None, lambda place, told: None))
    qtbot.addWidget(made)
    schema: JsonObject = {
        "type": "object",
        "properties": {"on": {"type": "boolean", "default": True}},
    }
    made.show_node(open_form(schema, {"on": False}).root(language), advanced=False, only=None)
    assert told in [one.text() for one in made.findChildren(QLabel)]
