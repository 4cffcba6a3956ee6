"""Arguments that models know by another name."""

from __future__ import annotations

from dataclasses import replace

from moltbot_desktop.agent.own_names import with_own_names
from moltbot_desktop.core.messages import ToolCall
from tests.fakes.tools import spec

EDIT = replace(spec("edit"), aliases=(("file_path", "path"), ("filePath", "path")))


def test_other_names_become_the_tool_s_own() -> None:
    call = ToolCall("1", "edit", {"file_path": "a.md", "text": "x"}, 1.0, ("file_path", "text"))
    own = with_own_names(EDIT, call)
    assert dict(own.arguments) == {"path": "a.md", "text": "x"}
    assert own.unseen_arguments == ("path", "text")


def test_what_is_there_under_two_names_is_left_for_the_schema_to_refuse() -> None:
    for given in ({"file_path": "a", "path": "b"}, {"file_path": "a", "filePath": "b"}):
        call = ToolCall("1", "edit", given)
        assert with_own_names(EDIT, call) is call


def test_a_tool_without_other_names_gets_the_call_as_it_is() -> None:
    call = ToolCall("1", "read", {"file_path": "a"})
    assert with_own_names(spec("read"), call) is call
