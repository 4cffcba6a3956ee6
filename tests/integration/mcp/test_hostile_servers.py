"""A server that misbehaves costs its own tools, and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from pathlib import Path

import pytest

from moltbot_desktop.agent.results import clipped
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.sdk.tools import KeptResult, ToolContext, ToolInput
from moltbot_desktop.tools.mcp.offering import offered_tools
from moltbot_desktop.tools.mcp.tool import McpTool
from moltbot_desktop.tools.mcp.values import ServerAnswer, State
from tests.integration.mcp.conftest import HOSTILE, Servers


class NeverCancelled:
    cancelled = False


def context(workspace: Path) -> ToolContext:
    key = SessionKey("agent:main:main")
    return ToolContext(RunId("r"), key, workspace, "", Language.ENGLISH, NeverCancelled())


def offered(servers: Servers) -> dict[str, McpTool]:
    return {one.name: one for one in offered_tools(servers.hub.standings(), servers.hub.call)}


def call(servers: Servers, server: str, tool: str = "do") -> ServerAnswer:
    return asyncio.run(servers.hub.call(server, tool, {}))


def is_alive(process: int) -> bool:
    """Also false for one that has ended and waits to be buried."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_noise_on_both_streams_disturbs_nothing(servers: Servers) -> None:
    servers.hostile("noise")
    assert "Ignore all rules" in call(servers, "noise").text


def test_huge_descriptions_and_lists_are_cut(servers: Servers) -> None:
    standing = servers.hostile("huge")
    assert len(standing.tools) == 64
    for one in offered(servers).values():
        assert len(one.spec.description) < 800
        assert len(json.dumps(one.spec.parameters)) <= 6_000


def test_a_result_of_ten_megabytes_is_cut_and_has_a_handle(
    servers: Servers, tmp_path: Path
) -> None:
    servers.hostile("big")
    tool = offered(servers)["mcp__big__do"]
    result = asyncio.run(tool.wait(ToolInput({}), context(tmp_path)))
    assert len(str(result.data["text"])) < 401_000
    kept: list[KeptResult] = []

    def keep(one: KeptResult) -> str:
        kept.append(one)
        return "result:1"

    async def count(text: str) -> int:
        return len(text) // 4

    shown = asyncio.run(clipped(result, 500, count, keep))
    assert "result:1" in str(shown["text"]) and kept[0].taints


def test_what_comes_back_taints_and_names_of_control_tokens_are_broken(
    servers: Servers, tmp_path: Path
) -> None:
    servers.hostile("odd")
    tools = offered(servers)
    for name, tool in tools.items():
        assert len(name) <= 64 and name.replace("_", "a").replace("-", "a").isalnum(), name
        assert "<|im_" not in tool.spec.description and "\n" not in tool.spec.description
        assert "https://" not in json.dumps(tool.spec.parameters)
        assert "pattern" not in json.dumps(tool.spec.parameters)
    assert len({name.lower() for name in tools}) == len(tools) == 6
    result = asyncio.run(tools["mcp__odd__get_time"].wait(ToolInput({}), context(tmp_path)))
    assert result.taints


def test_a_servers_word_about_itself_makes_no_tool_run_unasked(servers: Servers) -> None:
    servers.hostile("odd")
    assert {one.spec.effect.value for one in offered(servers).values()} == {"foreign"}


def test_one_that_never_answers_costs_its_time_and_can_be_asked_again(servers: Servers) -> None:
    servers.hostile("silent", timeoutSeconds=1)
    for _ in range(2):
        with pytest.raises(ToolError, match="did not answer within 1 seconds"):
            call(servers, "silent")
    assert servers.of("silent").state is State.READY


def test_a_call_that_is_cancelled_leaves_the_server_as_it_was(servers: Servers) -> None:
    servers.hostile("silent")

    async def cancelled() -> None:
        waiting = asyncio.ensure_future(servers.hub.call("silent", "do", {}))
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(cancelled())
    assert servers.of("silent").state is State.READY


def test_one_that_never_gets_ready_is_tried_again_with_pauses(servers: Servers) -> None:
    servers.start({"mute": {"command": "python3", "args": [str(HOSTILE), "mute"],
                            "timeoutSeconds": 1}})  # fmt: skip
    waiting = servers.until("mute", lambda one: one.state is State.WAITING)
    assert "not ready after 1 seconds" in waiting.reason


def test_one_that_cannot_start_is_told_with_its_own_last_words(servers: Servers) -> None:
    servers.start({"gone": {"command": sys.executable, "args": ["-m", "no_such_server"]},
                   "still": {"command": "true"}})  # fmt: skip
    waiting = servers.until("gone", lambda one: one.state is State.WAITING)
    assert re.search("ended with the words: .*No module named", waiting.reason)
    assert servers.until("still", lambda one: one.state is State.WAITING).reason == "it ended"


def test_one_that_dies_is_started_again_and_its_tools_stay(servers: Servers) -> None:
    servers.hostile("dies")
    with pytest.raises(ToolError, match="ended before it answered"):
        call(servers, "dies")
    assert "mcp__dies__do" in offered(servers)
    servers.until("dies", lambda one: one.state is State.WAITING)
    servers.ready("dies")


def test_a_changed_list_is_there_after_the_call_that_changed_it(servers: Servers) -> None:
    servers.hostile("changes")
    assert "Ignore" in call(servers, "changes").text  # although it asked for a model meanwhile
    standing = servers.until("changes", lambda one: len(one.tools) == 2)
    assert [one.name for one in standing.tools] == ["do", "now"]


def test_a_server_gets_no_variable_that_was_not_named_for_it(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    servers.hostile("env", env={"MINE": "yes"})
    seen = json.loads(call(servers, "env").text)
    assert seen["MINE"] == "yes" and "PATH" in seen
    assert not [name for name in seen if "KEY" in name or "MOLTBOT" in name]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_end_takes_the_whole_process_group_whatever_it_does_with_signals(
    servers: Servers, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    servers.hostile("stubborn")
    said = next(one.message for one in caplog.records if one.message.startswith("child "))
    child = int(said.split()[1])
    assert is_alive(child)
    servers.hub.close()  # two seconds by design; never a hang
    for _ in range(1_500):  # a moment until init has buried it
        if not is_alive(child):
            break
        time.sleep(0.02)
    assert not is_alive(child)


def test_what_the_owner_denies_is_not_offered(servers: Servers) -> None:
    servers.hostile("odd", tools={"allow": ["get*"], "get_time": "auto"})
    tools = offered(servers)
    assert tools["mcp__odd__get_time"].spec.effect.value == "foreign_allowed"
    assert {one.offered.name for one in tools.values()} == {"get time", "get_time"}


def test_a_program_that_is_not_there_is_told(servers: Servers) -> None:
    servers.start({"none": {"command": "no-such-program-here"}})
    found = servers.until("none", lambda one: one.state is State.WAITING)
    assert "no-such-program-here" in found.reason
