"""The tools that no small prompt shows are found by what people and skills call them."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.session_access import SessionAccess
from moltbot_desktop.tools.sessions import session_tools
from tests.fakes.built_in_tools import BUILT_IN


def no_access() -> SessionAccess:
    raise AssertionError("looking for a tool uses none")


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        ("table", "table_query"),
        ("sum a column of an Excel file", "table_query"),
        ("average per month in bank.csv", "table_query"),
        ("统计表格", "table_query"),
        ("move file", "move_file"),
        ("rename a document", "move_file"),
        ("put photos into folders", "move_file"),
        ("给文件改名", "move_file"),
        ("list my reminders", "reminder_list"),
        ("查看提醒", "reminder_list"),
        ("取消提醒", "reminder_cancel"),
        ("忘记一条笔记", "memory_forget"),
        ("forget a note", "memory_forget"),
    ],
)
def test_people_s_own_words_find_it(words: str, tool: str) -> None:
    specs = (*BUILT_IN, *(one.spec for one in session_tools(no_access)))
    found = FoundTools(lambda _key: specs).find(SessionKey("agent:main:main"), words)
    assert tool in [one.name for one in found]
