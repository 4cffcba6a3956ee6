"""`open` through the dispatcher, with a desktop of its own: programs made for the test, and the
real launcher where this computer has one."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.opening.desk import Desk, Opener, Start, clean_environment, desk_here
from moltbot_desktop.tools.opening.tool import Open, OpenParts
from tests.fakes.owner import Owner
from tests.fakes.tool_context import tool_context

T = TypeVar("T")
LAUNCHER = shutil.which("gio") and shutil.which("xdg-mime")


@dataclass
class FakeDesk:
    """Implements `tools.opening.desk.Desk`."""

    found: Sequence[Start] = ()
    opener: Opener | None = field(default_factory=lambda: Opener("Viewer", ("view",), "view %f"))
    screen: bool = True
    started: list[tuple[str, ...]] = field(default_factory=list)

    def no_screen(self) -> bool:
        return not self.screen

    def opener_of(self, kind: str) -> Opener | None:
        assert "/" in kind
        return self.opener

    def programs(self, name: str) -> Sequence[Start]:
        return [one for one in self.found if name in one.name]

    def start(self, words: Sequence[str]) -> None:
        self.started.append(tuple(words))


@dataclass
class Room:
    home: Path
    desk: Desk
    owner: Owner = field(default_factory=Owner)
    sealed: bool = False

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    def run(
        self,
        target: str,
        said: str = "",
        presence: Presence = Presence.PRESENT,
        language: Language = Language.ENGLISH,
    ) -> ToolRan:
        self.workspace.mkdir(exist_ok=True)
        around = Surroundings(self.workspace, self.home / ".moltbot", self.home)

        async def in_thread(call: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(None, call)

        async def scenario() -> ToolRan:
            tool = Open(OpenParts(self.desk, around, in_thread, lambda: self.sealed))
            dispatcher = Dispatcher([tool], {}, around, self.owner.approvals, in_thread)
            context = replace(tool_context(self.workspace, language), user_text=said)
            scope = Scope(context, presence, self.owner)
            return await dispatcher.run(ToolCall("1", "open", {"target": target}), scope)

        return asyncio.run(scenario())


def test_the_card_says_what_opens_with_what_and_then_it_does(tmp_path: Path) -> None:
    desk = FakeDesk()
    room = Room(tmp_path, desk)
    ran = room.run("example.org", "open example.org")
    (card,) = room.owner.cards
    assert card.title == "open https://example.org with Viewer"
    assert "example.org will know" in card.reason
    assert "does not stand in your message" not in card.reason
    assert ran.result.ok
    assert desk.started == [("view", "https://example.org")]
    assert "with Viewer" in ran.result.display


def test_an_address_that_nobody_said_and_a_seal_are_named(tmp_path: Path) -> None:
    room = Room(tmp_path, FakeDesk(), sealed=True)
    room.run("https://example.org/?q=secret", "打开 example.org", language=Language.CHINESE)
    assert "你的话里没有这个网址" in room.owner.cards[0].reason
    assert "浏览器没有" in room.owner.cards[0].reason


def test_a_no_opens_nothing(tmp_path: Path) -> None:
    desk = FakeDesk()
    ran = Room(tmp_path, desk, Owner(says=False)).run("example.org")
    assert (ran.outcome, desk.started) == ("denied", [])


@pytest.mark.parametrize("presence", [Presence.SCRIPT, Presence.NOBODY])
def test_nothing_opens_where_nobody_sits(presence: Presence, tmp_path: Path) -> None:
    desk = FakeDesk()
    ran = Room(tmp_path, desk).run("example.org", presence=presence)
    assert (ran.outcome, desk.started) == ("denied", [])


def test_what_cannot_be_opened_is_said_without_a_card(tmp_path: Path) -> None:
    room = Room(tmp_path, FakeDesk())
    room.workspace.mkdir()
    (room.workspace / "run.sh").write_text("echo")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id.txt").write_text("key")
    assert "could run it" in room.run("run.sh").result.display
    assert "no program" in str(room.run("Nonesuch").result.data["error"])
    assert room.run("smb://host/x").result.ok is False
    assert room.run(str(tmp_path / ".ssh" / "id.txt")).outcome == "denied"
    assert room.owner.cards == []


def test_without_a_screen_it_says_so(tmp_path: Path) -> None:
    room = Room(tmp_path, FakeDesk(screen=False))
    ran = room.run("example.org", language=Language.CHINESE)
    assert ran.result.display == "这里没有屏幕，打不开东西。"


def test_a_file_outside_is_named_with_its_place(tmp_path: Path) -> None:
    room = Room(tmp_path, FakeDesk())
    (tmp_path / "letter.pdf").write_text("x")
    assert room.run(str(tmp_path / "letter.pdf")).result.ok
    assert str(tmp_path / "letter.pdf") in room.owner.cards[0].reason


def test_a_file_that_changes_while_the_card_is_shown_is_not_opened(tmp_path: Path) -> None:
    desk = FakeDesk()
    room = Room(tmp_path, desk)
    room.workspace.mkdir()
    letter = room.workspace / "letter.pdf"
    letter.write_text("x")
    room.owner.before_answer = lambda: letter.write_text("something else")
    ran = room.run("letter.pdf")
    assert not ran.result.ok
    assert "changed" in ran.result.display
    assert desk.started == []


def test_several_programs_of_a_name_are_asked_about(tmp_path: Path) -> None:
    starts = [Start(name, f"{name} %U", ("launch", name)) for name in ("Office A", "Office B")]
    desk = FakeDesk(starts)
    room = Room(tmp_path, desk)
    assert "Office A, Office B" in room.run("Office").result.question
    ran = room.run("Office A")
    assert room.owner.cards[0].title == "start Office A"
    assert "Office A %U" in room.owner.cards[0].reason
    assert ran.result.ok
    assert desk.started == [("launch", "Office A")]


def test_other_programs_do_not_get_what_was_set_for_this_one() -> None:
    before = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/own", "DISPLAY": ":0"}
    kept = clean_environment(before | {"QT_PLUGIN_PATH": "/bundle"})
    assert kept["LD_LIBRARY_PATH"] == "/own"
    assert kept["DISPLAY"] == ":0"
    assert "QT_PLUGIN_PATH" not in kept


@pytest.mark.skipif(not LAUNCHER or sys.platform != "linux", reason="no gio or no xdg-mime here")
@pytest.mark.parametrize(
    "target", ["https://example.org/a?b=c&d", "mailto:a@example.org", "报告 1.pdf"]
)
def test_the_desktop_s_own_launcher_opens_it_with_the_person_s_program(
    target: str, tmp_path: Path
) -> None:
    room = Room(tmp_path, linux_desk(tmp_path))
    room.workspace.mkdir()
    (room.workspace / "报告 1.pdf").write_bytes(b"%PDF-1.4")
    ran = room.run(target)
    assert ran.result.ok, ran.result
    assert room.owner.cards[0].title.endswith(" with Test viewer")
    expected = target if ":" in target else str(room.workspace / target)
    assert expected in said_by(tmp_path / "shown")


@pytest.mark.skipif(not LAUNCHER or sys.platform != "linux", reason="no gio or no xdg-mime here")
@pytest.mark.parametrize("name", ["Test viewer", "test-viewer", "查看器", "browser"])
def test_a_program_is_started_by_its_name(name: str, tmp_path: Path) -> None:
    room = Room(tmp_path, linux_desk(tmp_path))
    ran = room.run(name)
    assert ran.result.ok, ran.result
    assert "Test viewer" in room.owner.cards[0].title
    assert said_by(tmp_path / "shown") == "started:"


def linux_desk(home: Path) -> Desk:
    """A desktop on which one program opens everything, and writes down what it was given."""
    program, shown = home / "viewer", home / "shown"
    program.write_text(
        f'#!/bin/sh\necho "started:$1" > "{shown}.new"\nmv "{shown}.new" "{shown}"\n'
    )
    program.chmod(0o755)
    data, config = home / "data", home / "config"
    (data / "applications").mkdir(parents=True)
    kinds = ("application/pdf", "x-scheme-handler/https", "x-scheme-handler/mailto")
    (data / "applications" / "test-viewer.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Test viewer\nName[zh_CN]=查看器\n"
        f"Exec={program} %u\nMimeType={';'.join(kinds)};\n",
        encoding="utf-8",
    )
    config.mkdir()
    lines = "".join(f"{kind}=test-viewer.desktop\n" for kind in kinds)
    (config / "mimeapps.list").write_text(f"[Default Applications]\n{lines}")
    environment = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "DISPLAY": ":99",
        "LANG": "C.UTF-8",
        "XDG_DATA_HOME": str(data),
        "XDG_DATA_DIRS": str(home / "none"),
        "XDG_CONFIG_HOME": str(config),
    }
    return desk_here(environment, home, "linux")


def said_by(file: Path) -> str:
    """What the program wrote down, once it has."""
    for _ in range(600):
        if file.exists():
            return file.read_text(encoding="utf-8").strip()
        time.sleep(0.05)
    raise AssertionError("nothing was started")
