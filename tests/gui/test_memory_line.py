"""Under an answer stands what of memory it was made with; its words only while they are there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.memories import Use, UsedMemory, words_digest
from moltbot_desktop.gateway.client import ConversationItem, ItemKind
from moltbot_desktop.ui.memory_line import places
from tests.fakes.assistant_client import FakeAssistantClient
from tests.gui.conftest import Desk, MakeDesk

RUN = RunId("r")
WORDS = "My dentist is Dr. Okafor"
USED = UsedMemory("MEMORY.md", 12, 12, 0.9, words_digest(WORDS), Use.RECALLED)
DAY = UsedMemory("memory/2026-11-20.md", 3, 3, 0.7, "0" * 16, Use.FOUND)


def answered(desk: Desk, text: str = "Dr. Okafor.") -> None:
    desk.client.start(RUN, "Who is my dentist?")
    desk.client.say(RUN, text)
    desk.client.used(RUN, USED, DAY)
    desk.client.end(RUN, text)


def click_line(desk: Desk) -> None:
    view = desk.window.transcript
    view.anchorClicked.emit(QUrl(f"moltbot:memory/{view.entry_ids()[-1]}"))


def test_the_places_stand_under_the_answer_and_unfold_to_their_words(desk: Desk) -> None:
    desk.client.memory[USED.digest] = WORDS
    answered(desk)
    assert "▸ From memory: MEMORY.md:12, 2026-11-20" in desk.text()
    assert WORDS not in desk.text()
    click_line(desk)
    assert f"MEMORY.md:12   {WORDS}" in desk.text()
    desk.screenshot("memory-line-light-en")
    assert "memory/2026-11-20.md:3   no longer there" in desk.text()
    click_line(desk)
    assert WORDS not in desk.text()


def test_what_was_forgotten_meanwhile_is_not_shown_again(desk: Desk) -> None:
    desk.client.memory[USED.digest] = WORDS
    answered(desk, "A name.")
    click_line(desk)
    assert WORDS in desk.text()
    click_line(desk)
    desk.client.memory.clear()
    click_line(desk)
    assert WORDS not in desk.text()
    assert "MEMORY.md:12   no longer there" in desk.text()


def test_a_reopened_conversation_has_the_line_too(make_desk: MakeDesk) -> None:
    item = ConversationItem(ItemKind.ASSISTANT, "Dr. Okafor.", "2026-11-21", memories=(USED,))
    desk = make_desk(FakeAssistantClient(items=[item], memory={USED.digest: WORDS}))
    assert "▸ From memory: MEMORY.md:12" in desk.text()
    click_line(desk)
    assert f"MEMORY.md:12   {WORDS}" in desk.text()


def test_the_line_is_reached_and_opened_with_the_keyboard(desk: Desk) -> None:
    desk.client.memory[USED.digest] = WORDS
    answered(desk)
    desk.settle()
    view = desk.window.transcript
    view.setFocus()
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        if "From memory" in view.textCursor().selectedText():
            break
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert WORDS in desk.text()


def test_unfolding_leaves_the_answer_where_it_is_on_the_screen(desk: Desk) -> None:
    desk.client.memory[USED.digest] = WORDS
    answered(desk, "\n\n".join(f"paragraph {number}" for number in range(80)))
    desk.settle()
    view = desk.window.transcript
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() - 40)
    before = bar.value()
    click_line(desk)
    desk.settle()
    assert bar.value() == before


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["MEMORY.md"], "MEMORY.md:1"),
        (["memory/2026-11-20.md", "memory/2026-11-20.md"], "2026-11-20"),
        (["memory/people.md", "notes/a.md"], "people.md:1, notes/a.md:2"),
        (["MEMORY.md"] * 5, "MEMORY.md:1, MEMORY.md:2, MEMORY.md:3, +2"),
    ],
)
def test_a_day_is_called_by_its_day_and_many_are_counted(paths: list[str], said: str) -> None:
    used = [
        UsedMemory(path, number, number, 1.0, "", Use.FOUND)
        for number, path in enumerate(paths, start=1)
    ]
    assert places(used) == said
