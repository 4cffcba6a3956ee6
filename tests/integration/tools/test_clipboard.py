"""The clipboard and notifications through the dispatcher and its verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.clipboard import Clipboard, Copied
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.clipboard import ClipboardTool
from moltbot_desktop.tools.notify import Notify
from tests.fakes.clipboard import HeldClipboard
from tests.fakes.owner import Owner
from tests.fakes.tool_context import tool_context

T = TypeVar("T")
TAINTED = Labels(untrusted=True)


class NoWindow:
    """Implements `sdk.clipboard.Clipboard`."""

    def read(self) -> Copied:
        raise ToolError("There is no window yet; try again.")

    def write(self, text: str) -> None:
        raise AssertionError(text)


async def in_thread(call: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, call)


def run(
    tool: AnyTool,
    folder: Path,
    given: dict[str, JsonValue],
    said: str = "",
    *,
    labels: Labels | None = None,
    presence: Presence = Presence.PRESENT,
    language: Language = Language.ENGLISH,
) -> tuple[ToolRan, Sequence[str]]:
    """What came of it, and the titles of the cards that were answered with yes."""
    owner = Owner()
    around = Surroundings(folder, folder / "state", folder)

    async def scenario() -> ToolRan:
        dispatcher = Dispatcher([tool], {}, around, owner.approvals, in_thread)
        context = replace(tool_context(folder, language), user_text=said)
        scope = Scope(context, presence, owner, labels or Labels())
        return await dispatcher.run(ToolCall("1", tool.spec.name, given), scope)

    return asyncio.run(scenario()), [card.title for card in owner.cards]


@pytest.mark.parametrize(
    "said",
    [
        *("summarise what I copied", "translate my clipboard", "What's on the clip board?"),
        *("总结剪贴板", "我刚才复制的是什么？", "把剪切板翻译一下"),
    ],
)
def test_what_the_owner_speaks_of_is_read_unasked(said: str, tmp_path: Path) -> None:
    ran, cards = run(ClipboardTool(HeldClipboard("swordfish")), tmp_path, {"action": "read"}, said)
    assert (ran.result.data["text"], cards) == ("swordfish", [])
    assert ran.result.taints
    assert ran.result.private


@pytest.mark.parametrize("said", ["copy a.txt to b", "write a poem", "复印机坏了"])
def test_otherwise_a_card_is_shown_first(said: str, tmp_path: Path) -> None:
    _, cards = run(ClipboardTool(HeldClipboard("swordfish")), tmp_path, {"action": "read"}, said)
    assert cards == ["read what is on the clipboard"]


def test_beside_words_of_others_reading_and_writing_are_asked(tmp_path: Path) -> None:
    tool = ClipboardTool(HeldClipboard("swordfish"))
    for given in ({"action": "read"}, {"action": "write", "text": "curl x | sh"}):
        _, cards = run(tool, tmp_path, dict(given), "my clipboard", labels=TAINTED)
        assert len(cards) == 1
    assert cards == ["put “curl x | sh” on the clipboard"]


def test_nobody_s_clipboard_is_read_when_nobody_sits_there(tmp_path: Path) -> None:
    tool = ClipboardTool(HeldClipboard("swordfish"))
    ran, _ = run(tool, tmp_path, {"action": "read"}, "my clipboard", presence=Presence.NOBODY)
    assert ran.outcome == "denied"


def test_a_text_is_put_there(tmp_path: Path) -> None:
    clipboard = HeldClipboard("swordfish")
    given: dict[str, JsonValue] = {"action": "write", "text": "亲爱的\x00王女士"}
    ran, cards = run(ClipboardTool(clipboard), tmp_path, given, language=Language.CHINESE)
    assert clipboard.text == "亲爱的王女士"
    assert (ran.result.ok, cards) == (True, [])
    assert "可以粘贴" in ran.result.display


@pytest.mark.parametrize(
    ("copied", "told"),
    [
        (Copied(), "The clipboard is empty."),
        (Copied(picture=(640, 480)), "a picture of 640 × 480"),
        (Copied(files=("/home/ada/a.pdf",)), "/home/ada/a.pdf"),
        (Copied("x" * 30_000), "there is more"),
    ],
)
def test_what_is_there_is_told(copied: Copied, told: str, tmp_path: Path) -> None:
    tool = ClipboardTool(HeldClipboard(other=copied))
    ran, _ = run(tool, tmp_path, {"action": "read"}, "clipboard?")
    assert told in ran.result.display
    assert len(str(ran.result.data)) < 25_000


@pytest.mark.parametrize(
    ("clipboard", "told"), [(None, "在终端里不行"), (NoWindow(), "窗口还没打开")]
)
def test_without_a_window_it_says_so(
    clipboard: Clipboard | None, told: str, tmp_path: Path
) -> None:
    tool = ClipboardTool(clipboard)
    ran, _ = run(tool, tmp_path, {"action": "read"}, "剪贴板", language=Language.CHINESE)
    assert not ran.result.ok
    assert told in ran.result.display


def test_a_notification_is_one_short_line_without_marks(tmp_path: Path) -> None:
    shown: list[str] = []
    text = 'Done <img src="https://evil.example/x">\nand more ' + "x" * 400
    ran, cards = run(Notify(shown.append), tmp_path, {"text": text})
    assert ran.result.ok
    assert cards == []
    (line,) = shown
    assert "<" not in line
    assert "\n" not in line
    assert len(line) <= 300


def test_a_stranger_s_words_do_not_come_up_on_the_screen_unasked(tmp_path: Path) -> None:
    shown: list[str] = []
    _, cards = run(Notify(shown.append), tmp_path, {"text": "Call 0900!"}, labels=TAINTED)
    assert cards == ["show on your screen: “Call 0900!”"]
    ran, _ = run(
        *(Notify(shown.append), tmp_path, {"text": "x"}),
        labels=TAINTED,
        presence=Presence.NOBODY,
    )
    assert ran.outcome == "denied"
    assert len(shown) == 1
