"""The list behind "/", by the keyboard alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from moltbot_desktop.gateway.client import CommandHelp
from moltbot_desktop.ui.command_menu import matching
from tests.fakes.assistant_client import FakeAssistantClient
from tests.gui.conftest import Desk, MakeDesk

COMMANDS = (
    CommandHelp("context", "[list|detail]", "what fills the model's window"),
    CommandHelp("new", "[message]", "start afresh <b>now</b>"),
    CommandHelp("stop", "", "stop what is running"),
    CommandHelp("compact", "[what matters]", "summarise the older part"),
    CommandHelp("think", "[off|low]", "how hard to think", ("thinking", "t")),
)
MANY = tuple(CommandHelp(f"command{number}", "", "x" * 300) for number in range(60))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("/", ["context", "new", "stop", "compact", "think"]),
        ("/co", ["context", "compact"]),
        ("/T", ["think", "context", "stop", "compact"]),
        ("/top", ["stop"]),
        ("/nothing-like-it", []),
        ("/new ", []),
        ("/new\nx", []),
        ("new", []),
        ("", []),
    ],
)
def test_what_a_beginning_may_become(typed: str, found: list[str]) -> None:
    assert [one.name for one in matching(COMMANDS, typed)] == found


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    return make_desk(FakeAssistantClient(commands=COMMANDS))


def press(desk: Desk, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(desk.window.composer.edit, key)


def typed(desk: Desk, text: str) -> None:
    QTest.keyClicks(desk.window.composer.edit, text)


def test_a_slash_offers_all_and_letters_narrow_it(desk: Desk) -> None:
    typed(desk, "/")
    assert desk.window.commands.isVisible()
    assert len(desk.window.commands.names) == len(COMMANDS)
    desk.screenshot("commands-light-en")
    typed(desk, "co")
    assert desk.window.commands.names == ("context", "compact")
    typed(desk, "x")
    assert not desk.window.commands.isVisible()


def test_arrows_and_enter_write_the_command_and_send_nothing(desk: Desk) -> None:
    typed(desk, "/co")
    press(desk, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert desk.window.composer.text == "/compact "
    assert not desk.window.commands.isVisible()
    assert desk.client.sent == []
    typed(desk, "names")
    press(desk, Qt.Key.Key_Return)
    assert desk.client.sent == ["/compact names"]


def test_up_goes_round_and_tab_takes(desk: Desk) -> None:
    typed(desk, "/co")
    press(desk, Qt.Key.Key_Up, Qt.Key.Key_Tab)
    assert desk.window.composer.text == "/compact "
    assert desk.window.composer.edit.hasFocus()


def test_a_name_that_stands_there_whole_is_sent_by_enter(desk: Desk) -> None:
    typed(desk, "/stop")
    press(desk, Qt.Key.Key_Return)
    assert desk.client.sent == ["/stop"]
    typed(desk, "/t")
    press(desk, Qt.Key.Key_Return)
    assert desk.client.sent == ["/stop", "/t"], "an alias is a name too"


def test_escape_closes_the_list_and_stops_nothing(desk: Desk) -> None:
    desk.window.send("a question")
    typed(desk, "/co")
    press(desk, Qt.Key.Key_Escape)
    assert not desk.window.commands.isVisible()
    assert desk.client.stops == 0
    assert desk.window.composer.text == "/co"
    typed(desk, "n")
    assert desk.window.commands.isVisible(), "it opens again with the next letter"
    press(desk, Qt.Key.Key_Escape, Qt.Key.Key_Escape)
    assert desk.client.stops == 1


def test_a_click_takes_a_row(desk: Desk) -> None:
    typed(desk, "/co")
    rows = desk.window.commands.rows
    place = rows.visualItemRect(rows.item(1)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert desk.window.composer.text == "/compact "


def test_each_name_is_offered_to_who_types_it(make_desk: MakeDesk) -> None:
    new = CommandHelp("新对话", "", "重新开始", ("new", "clear"))
    desk = make_desk(FakeAssistantClient(commands=(new,)))
    menu = desk.window.commands
    for part, offered in (("/", "新对话"), ("/新", "新对话"), ("/ne", "new"), ("/话", "新对话")):
        desk.window.composer.set_text(part)
        assert menu.names == (offered,)
        assert menu.isVisible()
    press(desk, Qt.Key.Key_Tab)
    assert desk.window.composer.text == "/新对话"
    desk.window.composer.set_text("/clear")
    assert not menu.isVisible(), "nothing is left to offer"


def test_a_path_or_a_pasted_text_opens_nothing(desk: Desk) -> None:
    desk.window.composer.set_text("/etc/passwd is a file")
    assert not desk.window.commands.isVisible()


def test_sixty_commands_in_a_small_window_stay_inside_it(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(commands=MANY))
    desk.frame.resize(desk.frame.minimumSize())
    typed(desk, "/")
    menu = desk.window.commands
    assert menu.isVisible()
    assert menu.geometry().top() >= 0
    assert menu.geometry().bottom() < desk.window.composer.mapTo(desk.window, menu.pos()).y()
    assert menu.width() == desk.window.composer.width()
    press(desk, *[Qt.Key.Key_Down] * 59, Qt.Key.Key_Tab)
    assert desk.window.composer.text == "/command59"


def test_a_command_that_came_meanwhile_is_offered(desk: Desk) -> None:
    desk.client.commands = (*COMMANDS, CommandHelp("garden_log", "[request]", "what I plant"))
    typed(desk, "/garden")
    assert desk.window.commands.names == ("garden_log",)
