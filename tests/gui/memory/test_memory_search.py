"""The place "Memory": finding a note by words, opening it at its line, and forgetting it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.forgetting import Elsewhere, Place, SaidIn
from moltbot_desktop.ui.memory.forgetting import ForgetForm
from moltbot_desktop.ui.memory.page import NOTES, SEARCH, MemoryPlace
from moltbot_desktop.ui.place import MODELS
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.memory_desk import FakeMemoryDesk
from tests.gui.places import Stage, button_in, texts_in

DAY = "memory/2026-11-20.md"
NOTE = "# 2026-11-20\n\n- My dentist is Dr. Okafor\n- Anna likes tea\n"


@pytest.fixture
def desk() -> FakeMemoryDesk:
    desk = FakeMemoryDesk()
    desk.files = {"MEMORY.md": "- I like coffee\n", DAY: NOTE}
    return desk


def searched(stage: Stage, desk: FakeMemoryDesk, words: str = "dentist") -> MemoryPlace:
    place = stage.show(MemoryPlace(stage.parts, desk))
    place.segments.choose(SEARCH)
    stage.settle()
    assert place.search.hasFocus()
    place.search.setText(words)
    place.refresh()
    stage.settle()
    return place


def form_in(place: MemoryPlace) -> ForgetForm:
    [form] = [one for one in place.findChildren(ForgetForm) if one.isVisible()]
    return form


def test_a_search_says_where_and_why(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = searched(stage, desk)
    assert [(one.title, one.detail, one.badge) for one in place.rows.rows] == [
        ("My dentist is Dr. Okafor", "2026-11-20, line 3 · words", "0.90")
    ]
    assert "Found by: words. Score: 0.90 of 1." in texts_in(place)
    stage.screenshot("memory-search-light-en")


def test_enter_opens_the_note_at_its_line(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = searched(stage, desk)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Return)
    assert place.segments.current == NOTES and place.rows.current == DAY
    assert place.editor is not None and place.editor.edit.textCursor().blockNumber() == 2


def test_forgetting_says_before_what_goes_and_can_be_undone(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    desk.said = (SaidIn("s1", "2026-11-20", 2),)
    desk.elsewhere = Elsewhere(((Place.REMINDERS, 1),))
    place = searched(stage, desk)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Delete)
    form = form_in(place)
    assert DAY in form.goes.text()
    assert form.stays.text() == "It is said in past conversations (1).\nAlso in reminders (1)."
    stage.screenshot("memory-forget-light-en")
    assert desk.files[DAY] == NOTE  # not before the person says so
    form.forget.click()
    stage.settle()
    assert "Okafor" not in desk.files[DAY] and not desk.forgotten[0][1]
    assert place.done.label.text() == "Forgotten: My dentist is Dr. Okafor"
    place.done.undo.click()
    stage.settle()
    assert desk.files[DAY] == NOTE and place.done.label.text() == f"Back in {DAY}."


def test_everywhere_is_the_persons_own_choice(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.said = (SaidIn("s1", "2026-11-20", 2),)
    place = searched(stage, desk)
    place.set_client(FakeAssistantClient())
    button_in(place, "Forget…").click()
    stage.settle()
    form = form_in(place)
    assert form.cancel.hasFocus() and not form.everywhere.isChecked()
    form.everywhere.setChecked(True)
    form.forget.click()
    stage.settle()
    assert desk.forgotten[0][1]


def test_escape_forgets_nothing(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = searched(stage, desk)
    button_in(place, "Forget…").click()
    stage.settle()
    stage.press(Qt.Key.Key_Escape)
    assert desk.files[DAY] == NOTE and place.rows.rows


def test_what_cannot_be_forgotten_says_why(
    stage: Stage, desk: FakeMemoryDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = searched(stage, desk)

    def refuse(*_: object) -> None:
        raise UserInputInvalid("It lies in a folder of your own.")

    monkeypatch.setattr(desk, "foresee", refuse)
    button_in(place, "Forget…").click()
    stage.settle()
    assert place.done.label.text() == "It lies in a folder of your own."
    assert place.rows.isEnabled()


def test_without_a_model_it_is_searched_by_words_and_the_way_to_one_is_there(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    desk.by_meaning = False
    place = searched(stage, desk)
    assert place.note.text() == "Searched by words only: no model."
    with stage.qtbot.waitSignal(place.place_requested) as asked:
        place.models.click()
    assert asked.args == [MODELS, ""]
    place.segments.choose(NOTES)
    assert not place.models.isVisible()


def test_before_a_search_it_teaches(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = searched(stage, desk, "")
    assert place.state.text.startswith("What are you looking for?")
    place.search.setText("unicorn")
    place.refresh()
    stage.settle()
    assert place.state.text.startswith("Nothing found.")


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = stage.show(MemoryPlace(stage.parts, desk), dark=True)
    place.segments.choose(SEARCH)
    place.search.setText("dentist")
    place.refresh()
    stage.settle()
    stage.screenshot("memory-search-dark-zh")
