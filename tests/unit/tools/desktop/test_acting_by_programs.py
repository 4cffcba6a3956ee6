"""Where programs act on our behalf (Windows, macOS): the pointer shows first what is meant, every
look comes before, and what a program does not do, pointer and keys do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.desktop import Box, Injections
from moltbot_desktop.sdk.tools import ToolInput, ToolResult
from moltbot_desktop.tools.desktop import acting
from moltbot_desktop.tools.desktop.control import ScreenControl
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.keyboard import MACOS, WINDOWS
from moltbot_desktop.tools.desktop.screenshot import Screenshot
from moltbot_desktop.tools.desktop.tool import DesktopTool
from moltbot_desktop.tools.desktop.trouble import ScreenReleased
from moltbot_desktop.tools.undo import FileHands
from tests.fakes.screen_system import FakeFace, FakeGui, FakeSystem
from tests.fakes.tool_context import call, tool_context

USABLE = frozenset({"sensitive", "showing"})


def element(role: str, name: str, y: int) -> Element:
    box = Box(10, y, 80, 20)
    return Element(NodeRef("x", name), role, name, box, box, USABLE)


SAVE, NAME, SHELL = element("push button", "Save", 10), element("entry", "Name", 60), element(
    "terminal", "Shell", 110)  # fmt: skip


class Rig:
    def __init__(self, tmp_path: Path) -> None:
        self.clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
        self.system = FakeSystem(keyboard=WINDOWS, elements=[SAVE, NAME, SHELL])
        self.said = self.system.said
        keys = {chr(code): 0x41 for code in range(32, 127)}
        self.gui = FakeGui(self.said, {**keys, "@": 0x651})
        self.injections = Injections(self.clock)
        self.cancelled: list[object] = []
        face = FakeFace(self.injections, self.said)
        self.control = ScreenControl(face, lambda *which: self.cancelled.append(which), self.system)
        hands = Hands(self.injections, self.system)
        files = Screenshot(FileHands(self.clock), self.system, self.clock)
        self.tool = DesktopTool(self.control, hands, files, self.system, self.clock)
        self.context = tool_context(tmp_path)

    def do(self, action: str, **more: JsonValue) -> ToolResult:
        return call(self.tool, self.context, action=action, **more)

    def did(self, action: str, **more: JsonValue) -> list[str]:
        """What was done, in order."""
        self.do("observe")
        self.said.clear()
        result = self.do(action, **more)
        assert result.ok, result.data
        return list(self.said)


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = Rig(tmp_path)
    monkeypatch.setitem(sys.modules, "pyautogui", made.gui)
    monkeypatch.setattr(acting, "screens", lambda: (Box(0, 0, 1000, 800),))
    monkeypatch.setattr(made.control, "pause", made.clock.advance)
    yield made
    made.control.close()


def test_the_pointer_goes_there_first_and_the_program_does_the_rest(rig: Rig) -> None:
    assert rig.did("press", marks="1") == ["moveTo 50 20", "press Save"]


def test_what_the_program_does_not_do_the_pointer_does(rig: Rig) -> None:
    rig.system.acts = False
    assert rig.did("press", marks="1") == ["moveTo 50 20", "press Save", "click button=left"]


def test_other_buttons_and_points_are_the_pointers(rig: Rig) -> None:
    assert rig.did("press", marks="1", button="right") == ["moveTo 50 20", "click button=right"]
    assert rig.did("press", marks="1:5,6") == ["moveTo 5 6", "click button=left"]
    assert rig.did("press", marks="1", button="double") == ["moveTo 50 20", "double", "click"]
    rig.system.doubles = True
    assert rig.did("press", marks="1", button="double") == ["moveTo 50 20", "double"]


def test_text_is_put_into_the_field_that_is_named(rig: Rig) -> None:
    assert rig.did("type", marks="2", text="你好") == ["moveTo 50 70", "put Name 你好"]


def test_a_field_that_takes_no_text_is_emptied_and_typed_into(rig: Rig) -> None:
    rig.system.acts = False
    assert rig.did("type", marks="2", text="Anna") == [
        "moveTo 50 70", "put Name Anna", "click button=left", "hotkey ctrl a", "write Anna",
    ]  # fmt: skip
    assert rig.did("type", marks="3", text="ls") == [
        "moveTo 50 120", "put Shell ls", "click button=left", "write ls",
    ]  # fmt: skip
    assert rig.did("type", marks="2", text="Anna\n")[1] == "click button=left"


def test_what_is_no_field_takes_no_text(rig: Rig) -> None:
    rig.do("observe")
    refused = rig.do("type", marks="1", text="no")
    assert not refused.ok
    assert "is no field" in str(refused.data)
    refused = rig.do("type", marks="1 2", text="no")
    assert "the one field" in str(refused.data)


def test_the_card_says_what_is_typed_where(rig: Rig) -> None:
    rig.do("observe")
    told = rig.tool.foreseen(
        ToolInput({"action": "type", "text": "Anna", "marks": "2"}), rig.context
    )
    other = rig.tool.foreseen(
        ToolInput({"action": "type", "text": "Anna", "marks": "3"}), rig.context
    )
    assert "Anna" in told.title
    assert "Name" in told.title
    assert told.mark != other.mark
    wrong = rig.tool.foreseen(ToolInput({"action": "type", "text": "x", "marks": "9"}), rig.context)
    assert wrong.refusal is not None


def test_characters_that_no_single_key_makes_are_pasted(rig: Rig) -> None:
    assert rig.did("type", text="a@b") == ["lend a@b", "hotkey ctrl v", "restore"]
    assert rig.did("type", text="ab") == ["write ab"]
    rig.system.keyboard = MACOS
    assert rig.did("type", text="ab") == ["lend ab", "hotkey command v", "restore"]


def test_keys_and_the_wheel_as_the_system_counts_them(rig: Rig) -> None:
    assert rig.did("scroll", lines=3) == ["moveTo 200 150", "scroll -360"]
    rig.system.keyboard = MACOS
    assert rig.did("keys", keys="cmd+s") == ["hotkey command s"]
    rig.do("observe")
    assert "no key insert" in str(rig.do("keys", keys="insert").data)
    assert "cmd+s" in str(rig.tool.spec)


@pytest.mark.parametrize("action", ["press", "type"])
def test_nothing_is_done_where_our_own_window_lies(rig: Rig, action: str) -> None:
    rig.do("observe")
    rig.said.clear()
    rig.system.owner = rig.system.own
    assert not rig.do(action, marks="2", text="x").ok
    assert rig.said == []


def test_a_card_that_comes_up_right_after_takes_nothing_of_it_for_an_answer(rig: Rig) -> None:
    """A deed of a program may come back as an event of the window system's, like a click."""
    rig.do("observe")
    assert not rig.injections.recent()
    seen: list[bool] = []
    press = rig.system.press
    rig.system.press = lambda one: (seen.append(rig.injections.recent()), press(one))[1]  # type: ignore[method-assign]
    rig.do("press", marks="1")
    assert seen == [True]


def test_the_corner_ends_it_before_a_program_acts(rig: Rig) -> None:
    rig.do("observe")
    rig.said.clear()
    rig.gui.in_corner = True
    assert not rig.do("press", marks="1").ok
    assert rig.said == []
    assert len(rig.cancelled) == 1


def test_the_corner_also_holds_between_the_pointer_and_the_deed(rig: Rig) -> None:
    hands = Hands(rig.injections, rig.system)
    rig.gui.in_corner = True
    with pytest.raises(ScreenReleased):
        hands.around(lambda: rig.system.press(SAVE))
    assert rig.said == []


def test_a_mark_that_has_changed_is_left_alone(rig: Rig) -> None:
    rig.do("observe")
    rig.said.clear()
    rig.system.elements = [replace(SAVE, name="Delete"), NAME, SHELL]
    assert not rig.do("press", marks="1").ok
    assert rig.said == []


def test_without_a_stop_key_the_banner_says_the_corner(rig: Rig) -> None:
    rig.do("observe")
    assert any(one.startswith("banner To stop it, move the pointer") for one in rig.said)


def test_a_picture_that_the_system_does_not_allow_is_refused_with_the_way(rig: Rig) -> None:
    rig.system.no_picture_why = "mac_picture"
    refused = rig.do("screenshot")
    assert not refused.ok
    assert "Screen Recording" in refused.display


def test_what_the_system_keeps_is_let_go_at_the_end(rig: Rig) -> None:
    rig.control.close()
    assert rig.system.closed == 1
