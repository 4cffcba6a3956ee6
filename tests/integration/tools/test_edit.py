"""edit, list and delete_file: one passage, one folder, one file; encodings stay as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.apply_patch import ApplyPatch
from moltbot_desktop.tools.decoding import decode
from moltbot_desktop.tools.delete_file import DeleteFile
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Write
from moltbot_desktop.tools.list_folder import ListFolder
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.tools.undo_tool import Undo
from tests.fakes.tool_context import call, tool_context

HANDS = FileHands(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("encoding", "text", "old", "new"),
    [
        ("utf-8", "milk\nbread\n", "milk", "oat milk"),
        ("utf-8-sig", "milk\r\nbread\r\nend", "milk\nbread", "a\nb"),
        ("utf-16", "会议\r\n记录\r\n", "记录", "笔记"),
        ("utf-16-be", "ordinary words\n", "words", "names"),
        ("gb18030", "会议记录：下周一上午\n", "周一", "周二"),
        ("cp932", "こんにちは、世界\n", "世界", "東京"),
        ("cp1252", "Grüße aus München\n", "München", "Köln"),
        ("big5", "會議改到星期二，請不要忘記帶文件。\r\n", "星期二", "星期三"),
        ("euc-kr", "회의가 화요일로 변경되었습니다.\n", "화요일", "수요일"),
        ("euc-jp", "会議は火曜日に変更されました。\n", "火曜日", "水曜日"),
        ("koi8-r", "Встреча перенесена на вторник.\n", "вторник", "среду"),
    ],
)
def test_everything_else_stays_byte_for_byte(
    tmp_path: Path, encoding: str, text: str, old: str, new: str
) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert call(Edit(HANDS), tool_context(tmp_path), path="a.txt", oldText=old, newText=new).ok
    if old not in text:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    assert (tmp_path / "a.txt").read_bytes() == text.replace(old, new).encode(encoding)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("nowhere", "x", "not in the file"),
        ("same", "x", "2 times"),
        ("once", "once", "the same"),
        ("once", "漢", "cp1252"),
    ],
)
def test_a_passage_that_is_not_clear_is_not_changed(
    tmp_path: Path, old: str, new: str, error: str
) -> None:
    before = "same\nsame\nonce für alle\n".encode("cp1252")
    (tmp_path / "a.txt").write_bytes(before)
    context = tool_context(tmp_path, Language.CHINESE)
    result = call(Edit(HANDS), context, path="a.txt", oldText=old, newText=new)
    assert error in str(result.data["error"])
    assert not result.display.isascii()
    assert (tmp_path / "a.txt").read_bytes() == before


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "你好"), ("gb18030", "价格是100元，含税。"), ("gb18030", "鑫淼有限公司"),
        ("cp932", "会議は月曜日です"), ("cp932", "カタカナのテスト"), ("cp932", "東京都"),
        ("cp1252", "für"), ("cp1252", "été à la plage"), ("cp1252", "naïve – “quoted”"),
        ("cp1252", "ÄÖÜ"), ("utf-16-le", "plain words"), ("utf-32", "会议"), ("utf-8", "会议"),
    ],
)  # fmt: skip
def test_short_texts_of_any_encoding_are_read(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_folder_is_listed_folders_first(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text("12345")
    (tmp_path / ".hidden").touch()
    (tmp_path / "z").symlink_to("a.txt")
    result = call(ListFolder(), tool_context(tmp_path))
    rows = result.data["entries"]
    assert isinstance(rows, list)
    told = [{key: one[key] for key in one if key != "changed"} for one in rows if type(one) is dict]
    assert told == [{"name": "b/"}, {"name": "a.txt", "bytes": 5}, {"name": "z", "link": True}]
    assert result.display == "My workspace holds:\n- b/\n- a.txt\n- z"
    assert not call(ListFolder(), tool_context(tmp_path), path="..").ok
    assert "read it" in str(call(ListFolder(), tool_context(tmp_path), path="a.txt").data["error"])


@pytest.mark.parametrize(
    "path", ["d", "memory/2026-11-22.md", "MEMORY.md", "no", "..", "d/..", "~"]
)
def test_what_may_not_be_deleted_stays(tmp_path: Path, path: str) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-22.md").write_text("note")
    (tmp_path / "MEMORY.md").write_text("note")
    before = sorted(tmp_path.rglob("*"))
    assert not call(DeleteFile(HANDS), tool_context(tmp_path), path=path).ok
    assert sorted(tmp_path.rglob("*")) == before


async def at_once(work: Callable[[], ToolResult]) -> ToolResult:
    return work()


def outcome(workspace: Path, name: str, **given: JsonValue) -> str:
    """With nobody there to ask, what needs a yes is denied."""
    around = Surroundings(workspace, workspace.parent / "state", workspace.parent)
    tools = [ApplyPatch(HANDS), Undo(HANDS), Edit(HANDS)]
    dispatcher = Dispatcher(tools, {}, around, Approvals(lambda: "card"), at_once)
    emitter = RunEmitter(RunId("r"), SessionKey("k"), lambda _event: None)
    scope = Scope(tool_context(workspace), Presence.SCRIPT, emitter)
    return asyncio.run(dispatcher.run(ToolCall("1", name, given), scope)).outcome


@pytest.mark.parametrize(
    ("hunk", "expected"),
    [
        ("*** Add File: a.txt\n+x", "ok"),
        ("*** Add File: a.txt\n+x\n*** Add File: AGENTS.md\n+x", "denied"),
        ("*** Add File: skills/x/SKILL.md\n+x", "denied"),
        ("*** Update File: b.txt\n*** Move to: MEMORY.md\n-x\n+y", "denied"),
        ("*** Delete File: .git/config", "denied"),
        ("*** Add File: .moltbot/undo/x.json\n+x", "denied"),
        ("*** Add File: ../out.txt\n+x", "denied"),
    ],
)
def test_every_path_of_a_patch_is_judged(tmp_path: Path, hunk: str, expected: str) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    (workspace / "b.txt").write_text("x\n")
    patch = f"*** Begin Patch\n{hunk}\n*** End Patch"
    assert outcome(workspace, "apply_patch", input=patch) == expected


def test_an_undo_of_a_protected_file_needs_a_yes(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    call(Write(HANDS), tool_context(workspace), path="a.txt", content="x")
    assert outcome(workspace, "undo") == "ok"
    call(Write(HANDS), tool_context(workspace), path="AGENTS.md", content="x")
    assert outcome(workspace, "undo") == "denied"
