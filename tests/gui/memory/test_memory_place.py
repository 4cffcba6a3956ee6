"""The place "Memory": notes that are written in, facts that wait, and nothing typed is lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import InboxChanged
from moltbot_desktop.sdk.memory_desk import Whose
from moltbot_desktop.ui.memory.editor import NoteEditor
from moltbot_desktop.ui.memory.inbox_details import ProposalDetails
from moltbot_desktop.ui.memory.new_note import NewNote
from moltbot_desktop.ui.memory.page import INBOX, NOTES, MemoryPlace
from tests.fakes.memory_desk import TODAY, FakeMemoryDesk
from tests.gui.places import Stage, button_in, texts_in

KNOWN = (
    "## Remembered\n\n- Allergic to peanuts"
    ' <!-- from: 2026-11-21 14:05; quote: "I\'m allergic to peanuts." -->\n'
    "- The shop closes at six <!-- mark: web page -->\n"
)
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def desk() -> FakeMemoryDesk:
    desk = FakeMemoryDesk()
    desk.files = {
        "memory/2026-11-20.md": "# 2026-11-20\n\n- 09:12 · The garage is on Elm Street\n",
        "memory/recipes.md": "Pancakes\n",
        "MEMORY.md": KNOWN,
        "memory/2026-11-21.md": "- 10:00 · Anna likes tea\n",
    }
    return desk


def opened(stage: Stage, desk: FakeMemoryDesk) -> MemoryPlace:
    return stage.show(MemoryPlace(stage.parts, desk))


def editor_in(place: MemoryPlace) -> NoteEditor:
    assert place.editor is not None and place.editor.base is not None
    return place.editor


def type_in(stage: Stage, place: MemoryPlace, words: str) -> NoteEditor:
    """At the end of the note that is open."""
    editor = editor_in(place)
    editor.edit.setFocus()
    QTest.keyClick(editor.edit, Qt.Key.Key_End, CONTROL)
    QTest.keyClicks(editor.edit, words)
    stage.settle()
    return editor


# ---------------------------------------------------------------------- notes


def test_what_is_always_known_comes_first_then_the_days(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    assert [one.id for one in place.rows.rows] == [
        "MEMORY.md",
        "memory/2026-11-21.md",
        "memory/2026-11-20.md",
        "memory/recipes.md",
    ]
    assert place.rows.rows[0].title == "What I always know"
    assert editor_in(place).text == KNOWN
    stage.screenshot("memory-notes-light-en")


def test_where_a_line_comes_from_is_told(stage: Stage, desk: FakeMemoryDesk) -> None:
    editor = editor_in(opened(stage, desk))
    editor.go_to(3)
    assert editor.whence.text() == "You said on 2026-11-21 14:05: “I'm allergic to peanuts.”"
    editor.go_to(4)
    assert editor.whence.text() == "Not your words: web page"
    editor.go_to(1)
    assert not editor.whence.isVisible()


def test_a_note_is_saved_with_a_key_and_that_can_be_undone(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    place = opened(stage, desk)
    editor = type_in(stage, place, "- I like tea")
    assert desk.files["MEMORY.md"] == KNOWN and place.drafts.of("main")
    QTest.keyClick(editor.edit, Qt.Key.Key_S, CONTROL)
    stage.settle()
    assert desk.files["MEMORY.md"] == f"{KNOWN}- I like tea"
    assert place.done.label.text() == "Saved: MEMORY.md" and not place.drafts.of("main")
    assert place.editor is editor and editor.edit.hasFocus()  # the typing goes on
    place.done.undo.click()
    stage.settle()
    assert desk.files["MEMORY.md"] == KNOWN and editor_in(place).text == KNOWN


def test_leaving_a_note_saves_it(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    type_in(stage, place, "one")
    place.rows.choose("memory/recipes.md")
    stage.settle()
    assert desk.files["MEMORY.md"] == f"{KNOWN}one"
    type_in(stage, place, "two")
    place.segments.choose(INBOX)
    stage.settle()
    assert desk.files["memory/recipes.md"] == "Pancakes\ntwo"
    place.segments.choose(NOTES)
    stage.settle()
    type_in(stage, place, "three")
    place.left()
    stage.settle()
    assert sum("three" in text for text in desk.files.values()) == 1


def test_what_was_typed_last_is_written_before_the_program_ends(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    place = opened(stage, desk)
    type_in(stage, place, "mine")
    desk.files["MEMORY.md"] = f"theirs\n{KNOWN}"
    place.keep()  # no time for questions: both is kept
    assert desk.files["MEMORY.md"] == f"theirs\n{KNOWN}mine"


def test_typing_goes_on_while_the_assistant_writes_elsewhere(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    place = opened(stage, desk)
    editor = type_in(stage, place, "half")
    desk.files[TODAY] = "- 09:00 · news\n"
    place.refresh()
    stage.settle()
    assert TODAY in [one.id for one in place.rows.rows]
    assert place.editor is editor and editor.edit.hasFocus()
    assert editor.text == f"{KNOWN}half"
    assert place.rows.rows[0].badge == "not saved"


def test_an_open_note_follows_its_file(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    desk.files["MEMORY.md"] = f"{KNOWN}- I live in York\n"
    place.refresh()
    stage.settle()
    assert editor_in(place).text == f"{KNOWN}- I live in York\n"


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ("Keep both", f"{KNOWN}- theirs\nmine"),
        ("Keep mine", f"{KNOWN}mine"),
        ("Take the other", f"{KNOWN}- theirs\n"),
    ],
)
def test_two_wrote_at_once_and_the_person_chooses(
    stage: Stage, desk: FakeMemoryDesk, choice: str, left: str
) -> None:
    place = opened(stage, desk)
    type_in(stage, place, "mine")
    desk.files["MEMORY.md"] = f"{KNOWN}- theirs\n"
    editor_in(place).save_wanted.emit()
    stage.settle()
    assert desk.files["MEMORY.md"] == f"{KNOWN}- theirs\n"  # nothing is written over unasked
    if choice == "Keep both":
        stage.screenshot("memory-clash-light-en")
    button_in(place, choice).click()
    stage.settle()
    assert desk.files["MEMORY.md"] == left and editor_in(place).text == left
    assert not editor_in(place).question.isVisible() and not place.drafts.of("main")
    place.done.undo.click()
    stage.settle()
    undone = f"{KNOWN}mine" if choice == "Take the other" else f"{KNOWN}- theirs\n"
    assert desk.files["MEMORY.md"] == undone


def test_what_is_typed_during_a_save_is_saved_after_it(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    editor = editor_in(place)
    desk.held.clear()
    editor.edit.setPlainText("one")
    editor.save_wanted.emit()
    editor.edit.setPlainText("two")
    editor.save_wanted.emit()
    desk.held.set()
    stage.settle()
    assert desk.files["MEMORY.md"] == "two" and not editor.question.isVisible()
    assert editor.text == "two"


def test_a_full_disk_loses_nothing(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    type_in(stage, place, "one")
    desk.refusal = StorageError("The disk is full.", hint="Free some space.")
    place.drafts.save_all()
    stage.settle()
    assert place.done.label.text() == "The disk is full. Free some space."
    desk.refusal = None
    place.refresh()
    stage.settle()
    place.rows.choose("memory/recipes.md")
    stage.settle()
    assert desk.files["MEMORY.md"] == f"{KNOWN}one"


def test_a_file_that_went_while_it_was_typed_into_is_not_lost(
    stage: Stage, desk: FakeMemoryDesk
) -> None:
    place = opened(stage, desk)
    type_in(stage, place, "mine")
    del desk.files["MEMORY.md"]
    place.refresh()
    stage.settle()
    assert "MEMORY.md" in [one.id for one in place.rows.rows]
    place.rows.choose("MEMORY.md")
    stage.settle()
    editor_in(place).save_wanted.emit()
    stage.settle()
    button_in(place, "Keep mine").click()
    stage.settle()
    assert desk.files["MEMORY.md"] == f"{KNOWN}mine"


def test_a_file_of_the_owner_s_own_folder_is_only_read(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.files["/home/ada/plan.md"] = "The plan\n"
    desk.read_only.add("/home/ada/plan.md")
    place = opened(stage, desk)
    place.rows.choose("/home/ada/plan.md")
    stage.settle()
    assert place.editor is not None and place.editor.edit.isReadOnly()
    assert "/home/ada/plan.md is yours: I only read it." in texts_in(place)


def test_a_hard_blank_stays_one(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.files["MEMORY.md"] = "10\u00a0km\n"
    place = opened(stage, desk)
    type_in(stage, place, "x")
    place.drafts.save_all()
    stage.settle()
    assert desk.files["MEMORY.md"] == "10\u00a0km\nx"


def test_an_empty_memory_teaches_and_begins_by_keyboard_alone(stage: Stage) -> None:
    desk = FakeMemoryDesk()
    place = opened(stage, desk)
    assert place.state.text.startswith("I remember nothing yet.")
    stage.screenshot("memory-empty-light-en")
    stage.press(Qt.Key.Key_Space)  # on "Write a note"
    QTest.keyClicks(place.focusWidget(), "My dentist is Dr. Okafor")
    QTest.keyClick(place.focusWidget(), Qt.Key.Key_Return, CONTROL)
    stage.settle()
    assert desk.files == {TODAY: "- 09:00 · My dentist is Dr. Okafor\n"}
    assert place.done.label.text() == "Remembered."
    assert [one.id for one in place.rows.rows] == [TODAY]
    place.done.undo.click()
    stage.settle()
    assert desk.files == {}


def test_the_same_note_is_not_kept_twice(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = opened(stage, desk)
    for _ in range(2):
        stage.press(Qt.Key.Key_N, CONTROL)
        [form] = [one for one in place.findChildren(NewNote) if one.isVisible()]
        form.edit.setPlainText("I like tea")
        form.save.click()
        stage.settle()
    assert place.done.label.text() == "I know that already."
    assert desk.files[TODAY].count("tea") == 1


def test_notes_that_cannot_be_read_say_so(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.refusal = StorageError("The disk is gone.", hint="Plug it in.")
    assert "The disk is gone. Plug it in." in opened(stage, desk).state.text


# ---------------------------------------------------------------------- the inbox


def inbox(stage: Stage, desk: FakeMemoryDesk) -> MemoryPlace:
    place = opened(stage, desk)
    place.segments.choose(INBOX)
    stage.settle()
    place.rows.setFocus()
    return place


def test_a_fact_waits_with_the_words_it_came_from(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.propose("I live in York", "We moved, I live in York now.", "I live in Leeds")
    place = inbox(stage, desk)
    assert [(one.title, one.badge) for one in place.rows.rows] == [("I live in York", "2026-11-22")]
    told = texts_in(place)
    assert "“We moved, I live in York now.”" in told
    assert "It takes the place of: I live in Leeds" in told
    stage.screenshot("memory-inbox-light-en")


@pytest.mark.parametrize(
    ("key", "badge"),
    [
        (Qt.Key.Key_K, "kept"),
        (Qt.Key.Key_Return, "kept"),
        (Qt.Key.Key_D, "not kept"),
        (Qt.Key.Key_Delete, "not kept"),
    ],
)
def test_one_key_decides_and_it_can_be_undone(
    stage: Stage, desk: FakeMemoryDesk, key: Qt.Key, badge: str
) -> None:
    desk.propose("I live in York")
    desk.propose("I like tea")
    place = inbox(stage, desk)
    stage.press(key)
    assert [(one.title, one.badge) for one in place.rows.rows] == [
        ("I like tea", "2026-11-22"),
        ("I live in York", badge),
    ]
    place.done.undo.click()
    stage.settle()
    assert {one.text for one in desk.waits} == {"I live in York", "I like tea"}


def test_a_fact_is_kept_in_other_words(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.propose("I live in York")
    place = inbox(stage, desk)
    [form] = place.findChildren(ProposalDetails)
    form.edit.setPlainText("We live in York")
    desk.propose("I like tea")
    place.refresh()
    stage.settle()
    assert form.edit.toPlainText() == "We live in York"  # news disturb nobody
    button_in(place, "Keep").click()
    stage.settle()
    assert [one.text for one, _ in desk.decided] == ["We live in York"]


def test_letters_are_keys_in_the_inbox_only(stage: Stage, desk: FakeMemoryDesk) -> None:
    desk.propose("I live in York")
    place = opened(stage, desk)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_K)
    stage.press(Qt.Key.Key_Delete)
    assert len(desk.waits) == 1 and len(desk.files) == 4


def test_what_waits_stands_on_the_rail(stage: Stage, desk: FakeMemoryDesk) -> None:
    place = MemoryPlace(stage.parts, desk)
    counts: list[int] = []
    place.badge_changed.connect(counts.append)
    stage.show(place)
    desk.propose("I live in York")
    place.deliver([InboxChanged(tuple(desk.waits), ())])
    stage.settle()
    assert counts[-1] == 1 and place.segments.buttons[INBOX].text() == "Inbox (1)"


def test_an_empty_inbox_teaches(stage: Stage, desk: FakeMemoryDesk) -> None:
    assert inbox(stage, desk).state.text.startswith("Nothing waits.")


# ---------------------------------------------------------------------- whose


def test_several_agents_are_chosen_from(stage: Stage, desk: FakeMemoryDesk) -> None:
    assert not opened(stage, desk).whose.isVisible()
    desk.others = [Whose("work", "Work")]
    place = opened(stage, desk)
    assert [place.whose.itemText(n) for n in range(place.whose.count())] == ["Molly", "Work"]
    place.whose.setFocus()
    stage.press(Qt.Key.Key_Down)
    assert place.editor is not None and place.editor.agent == "work"


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_pictures_in_the_dark(stage: Stage) -> None:
    desk = FakeMemoryDesk()
    desk.files = {"MEMORY.md": "## 记住的事\n\n- 对花生过敏\n", TODAY: "- 09:00 · 安娜喜欢喝茶\n"}
    desk.propose("我住在约克", "我们搬家了，我现在住在约克。")
    place = stage.show(MemoryPlace(stage.parts, desk), dark=True)
    stage.screenshot("memory-notes-dark-zh")
    place.segments.choose(INBOX)
    stage.settle()
    stage.screenshot("memory-inbox-dark-zh")
    place.resize(QSize(480, 560))
    stage.screenshot("memory-inbox-narrow-dark-zh")
