"""find_tool finds the tools there are by what people call them, in both languages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.sdk.outbox import Outbox
from moltbot_desktop.sdk.session_access import SessionAccess
from moltbot_desktop.tools.cron import CronTool
from moltbot_desktop.tools.find_tool import FindTool, FoundSkill
from moltbot_desktop.tools.message import Message
from moltbot_desktop.tools.sessions import session_tools
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.jobs import job_book
from tests.fakes.tool_context import call, tool_context

KEY = SessionKey("agent:main:main")
NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


def no_access() -> SessionAccess:
    raise AssertionError("looking for a tool uses none")


def no_outbox() -> Outbox:
    raise AssertionError("looking for a tool uses none")


@pytest.fixture
def found(tmp_path: Path) -> Iterator[FoundTools]:
    database = ScheduleDatabase(tmp_path / "jobs.sqlite", ManualClock(NOW))
    cron = CronTool(job_book(database), ManualClock(NOW))
    others = (*session_tools(no_access), Message(no_outbox), cron)
    specs = (*BUILT_IN, *(tool.spec for tool in others))
    yield FoundTools(lambda _: specs)
    database.close()


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        ("do something every day at nine", "cron"),
        ("每天早上定时整理", "cron"),
        ("start a sub-agent in the background", "sessions_spawn"),
        ("让助手在后台做", "sessions_spawn"),
        ("list my other chats", "sessions_list"),
        ("read another conversation", "sessions_history"),
        ("查看另一个对话的历史记录", "sessions_history"),
        ("write to a contact on a channel", "message"),
        ("给联系人发送消息", "message"),
        ("which model and how many tokens", "session_status"),
    ],
)
def test_people_s_own_words_find_it(found: FoundTools, words: str, tool: str) -> None:
    assert tool in [one.name for one in found.find(KEY, words)]


def test_the_answer_says_how_to_call_it(found: FoundTools, tmp_path: Path) -> None:
    find = FindTool(found.find)
    result = call(find, tool_context(tmp_path), words="schedule")
    assert '"name": "cron"' in json.dumps(result.data, default=dict)
    assert result.display.startswith("Found: cron")
    assert call(find, tool_context(tmp_path), words="zzz").data == {"tools": []}
    chinese = tool_context(tmp_path, language=Language.CHINESE)
    assert call(find, chinese, words="").question == "要找什么样的工具？"


def test_skills_that_the_prompt_does_not_list_are_found_with_the_file_to_read(
    tmp_path: Path,
) -> None:
    diary = FoundSkill("diary", "Keeps a diary.", "~/skills/diary/SKILL.md")
    tool = FindTool(lambda *_: (), lambda _, words: [diary] if "diary" in words else [])
    result = call(tool, tool_context(tmp_path), words="keep a diary")
    assert result.data["skills"] == [
        {"name": "diary", "what": "Keeps a diary.", "read": "~/skills/diary/SKILL.md"}
    ]
    assert "diary" in result.display
