"""/bash and !: the owner's own command goes to the tool, and what runs on is seen and ended."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field, replace

import pytest

from moltbot_desktop.agent.direct import DirectCall, arguments_for
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.gateway.commands.bash import BASH
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.decisions import AgentTurn, RunCommand, decide_text
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.security.policy import Presence
from tests.fakes.commands import fake_ports
from tests.fakes.tools import spec
from tests.unit.gateway.test_decisions import CONTEXT


@dataclass
class FakeShell:
    """Keeps what it was asked; says `ok`, nothing, or that it took too long."""

    ok: bool | None = True
    slow: bool = False
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def run(self, _call: CommandCall, command: str) -> ToolRan | None:
        self.asked.append(("run", command))
        return self._ran()

    async def steer(self, _call: CommandCall, action: str, number: str) -> ToolRan | None:
        self.asked.append((action, number))
        return self._ran()

    def _ran(self) -> ToolRan | None:
        if self.slow:
            raise TimeoutError
        if self.ok is None:
            return None
        return ToolRan(ToolCall("1", "exec", {}), ToolResult({}, "it said", ok=self.ok), "ok")


def said(rest: str, shell: FakeShell | None) -> CommandReply:
    ports = CommandPorts(**{**vars(fake_ports()), "shell": shell})
    call = CommandCall("bash", rest, SessionKey("agent:main:main"), Language.ENGLISH)
    begun = BASH["bash"](call, ports)
    assert inspect.isawaitable(begun)

    async def waited() -> CommandReply:
        return await begun

    return asyncio.run(waited())


@pytest.mark.parametrize(
    ("rest", "asked"),
    [
        ("ls -la", ("run", "ls -la")),
        ("list", ("list", "")),
        ("poll 3", ("poll", "3")),
        ("STOP 3", ("kill", "3")),
        ("list all my files", ("run", "list all my files")),
    ],
)
def test_a_command_is_run_and_one_in_the_background_is_steered(
    rest: str, asked: tuple[str, ...]
) -> None:
    shell = FakeShell()
    assert said(rest, shell) == CommandReply("it said")
    assert shell.asked == [asked]


def test_what_cannot_be_done_is_said() -> None:
    shell = FakeShell()
    assert "/bash COMMAND" in said("", shell).text and shell.asked == []
    for shell_or_none in (None, FakeShell(ok=None), FakeShell(ok=False), FakeShell(slow=True)):
        reply = said("ls", shell_or_none)
        assert reply.text and not reply.ok


@pytest.mark.parametrize(
    ("text", "rest"), [("!ls -la", "ls -la"), ("! ls", "ls"), ("！poll 3", "poll 3")]
)
def test_an_exclamation_mark_is_the_owners_short_form_where_it_is_switched_on(
    text: str, rest: str
) -> None:
    shown = replace(CONTEXT, switches=frozenset({"bash"}))
    assert decide_text(text, Who.OWNER, shown) == RunCommand("bash", rest, Who.OWNER)
    assert isinstance(decide_text(text, Who.OWNER, CONTEXT), AgentTurn)
    for who in (Who.CONTACT, None):
        assert isinstance(decide_text(text, who, shown), AgentTurn)


@pytest.mark.parametrize("text", ["!", "!!", "!!! wow", "wow!", "!ls\nand more"])
def test_other_exclamations_are_words(text: str) -> None:
    shown = replace(CONTEXT, switches=frozenset({"bash"}))
    assert isinstance(decide_text(text, Who.OWNER, shown), AgentTurn)


def test_the_tool_gets_the_command_and_nothing_about_skills() -> None:
    one = replace(spec("exec"), parameters={"type": "object", "properties": {"command": {}}})
    wanted = DirectCall(RunId("r"), "exec", "ls", "bash", "", Language.ENGLISH, Presence.PRESENT)
    assert arguments_for(one, wanted) == {"command": "ls"}
    assert arguments_for(one, replace(wanted, text="")) == {}
    assert arguments_for(one, replace(wanted, skill="tea"))["skillName"] == "tea"
