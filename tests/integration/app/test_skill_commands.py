"""Skills started by a slash: a tool at once, a turn for the agent, or an honest no."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.agent.direct import DirectCall, DirectParts, arguments_for, run_directly
from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.app.skill_commands import EitherCommands, with_skills
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.gateway.commands.command import Who
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply, SkillName
from moltbot_desktop.gateway.commands.skill_start import SkillStarter
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    DecisionContext,
    Deny,
    RunCommand,
    decide_text,
)
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings as Places
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.skills.book import SkillBook
from moltbot_desktop.skills.discovery import BUNDLED, MANAGED, SkillReader, SkillRoot
from moltbot_desktop.skills.eligibility import Surroundings
from moltbot_desktop.skills.trust import TrustBook
from tests.fakes.commands import FakeSkills, fake_ports
from tests.fakes.workspace_prompt import session_of

KEY = SessionKey("agent:main:main")
ENGLISH = Language.ENGLISH


class Echo:
    """Says what it was given; `effect` decides the verdict."""

    def __init__(self, parameters: dict[str, object], effect: Effect = Effect.NONE) -> None:
        self.spec = ToolSpec("echo", "Says it again.", parameters, effect)  # type: ignore[arg-type]
        self.given: list[dict[str, object]] = []

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        self.given.append(dict(given.arguments))
        if given.text("text") == "fail":
            return ToolResult({"error": "no"}, "it failed", ok=False)
        return ToolResult({"said": "x"}, given.text("text"))


ONE_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def wanted(text: str = "hi", presence: Presence = Presence.PRESENT) -> DirectCall:
    return DirectCall(RunId("r"), "echo", text, "say", "Say it", ENGLISH, presence)


@pytest.mark.parametrize(
    ("parameters", "given"),
    [
        (ONE_TEXT, {"text": "hi"}),
        ({"type": "object"}, {"command": "hi", "commandName": "say", "skillName": "Say it"}),
        (
            {"properties": {"command": {"type": "string"}}, "required": ["command"]},
            {"command": "hi", "commandName": "say", "skillName": "Say it"},
        ),
        (
            {"properties": {"command": {"type": "string"}}, "additionalProperties": False},
            {"command": "hi"},
        ),
        (
            {"properties": {"n": {"type": "integer"}}, "required": ["n"]},
            {"command": "hi", "commandName": "say", "skillName": "Say it"},
        ),
    ],
)
def test_a_tool_gets_the_words_where_it_can_take_them(
    parameters: dict[str, object], given: dict[str, object]
) -> None:
    assert arguments_for(Echo(parameters).spec, wanted()) == given


def test_without_words_a_tool_can_ask() -> None:
    assert arguments_for(Echo(ONE_TEXT).spec, wanted("")) == {}


async def _here(call: Callable[[], ToolResult]) -> ToolResult:
    return call()


def directly(
    tmp_path: Path,
    tool: Echo,
    presence: Presence,
    *,
    labels: Labels | None = None,
    allowed: frozenset[str] | None = None,
    answer: bool = False,
) -> tuple[ToolRan | None, int]:
    """What became of it, and how many cards were shown, each answered with `answer`."""
    approvals = Approvals(lambda: "card")
    around = Places(tmp_path, tmp_path, tmp_path, ())
    dispatcher = Dispatcher([tool], {}, around, approvals, _here)
    parts = DirectParts(dispatcher, tmp_path, (), lambda _key, _model: allowed, 5.0)
    cards = []

    def emit(event: object) -> None:
        if isinstance(event, ApprovalRequested):
            cards.append(event)
            asyncio.get_running_loop().call_soon(
                lambda: approvals.answer(ApprovalId("card"), allow=answer)
            )

    tmp_path.mkdir(exist_ok=True)
    session = session_of(tmp_path)
    if labels is not None:
        session.transcript.append_labels(labels.as_mapping())
    ran = asyncio.run(run_directly(parts, wanted(presence=presence), session, emit))
    return ran, len(cards)


def test_the_verdict_is_the_same_as_for_a_model(tmp_path: Path) -> None:
    tool = Echo(ONE_TEXT, Effect.EXEC)
    ran, cards = directly(tmp_path, tool, Presence.PRESENT, answer=False)
    assert ran is not None and ran.outcome == "denied" and cards == 1 and not tool.given
    ran, cards = directly(tmp_path, tool, Presence.PRESENT, answer=True)
    assert ran is not None and ran.result.display == "hi" and cards == 1
    ran, cards = directly(tmp_path, tool, Presence.SCRIPT, answer=True)
    assert ran is not None and ran.outcome == "denied" and cards == 0


def test_what_others_said_in_the_conversation_counts(tmp_path: Path) -> None:
    tool = Echo(ONE_TEXT, Effect.FILE_WRITE)
    clean, cards = directly(tmp_path / "a", tool, Presence.PRESENT)
    assert clean is not None and clean.result.ok and cards == 0
    tainted, cards = directly(tmp_path / "b", tool, Presence.PRESENT, labels=Labels(untrusted=True))
    assert tainted is not None and tainted.outcome == "denied" and cards == 1


def test_a_tool_that_the_settings_take_away_is_not_called(tmp_path: Path) -> None:
    ran, _ = directly(tmp_path, Echo(ONE_TEXT), Presence.PRESENT, allowed=frozenset())
    assert ran is not None and ran.outcome == "denied"


# ------------------------------------------------------------------------- the commands


class Tools:
    def __init__(self, ran: ToolRan | None = None) -> None:
        self.ran, self.calls = ran, []  # type: ignore[var-annotated]

    async def run(self, call: CommandCall, skill: SkillName, request: str) -> ToolRan | None:
        self.calls.append((skill.tool, request, call.presence))
        return self.ran


def started(
    skill: SkillName, request: str, tools: Tools, *, small: bool = True, who: Who = Who.OWNER
) -> CommandReply:
    call = CommandCall("x", request, KEY, ENGLISH, who, presence=Presence.PRESENT)
    return asyncio.run(SkillStarter(tools, lambda: small).start(call, skill, request))


TEXT_SKILL = SkillName("notes", "Notes in files", location="/s/notes/SKILL.md")
TOOL_SKILL = SkillName("say", "Says it", tool="echo")


def _ran(result: ToolResult, outcome: str = "ok") -> ToolRan:
    return ToolRan(ToolCall("1", "echo"), result, outcome)


def test_a_model_that_reads_instructions_gets_a_turn() -> None:
    reply = started(TEXT_SKILL, "buy milk", Tools(), small=False)
    assert reply.ok and "/s/notes/SKILL.md" in reply.turn
    assert reply.turn.endswith("User input:\nbuy milk")


def test_a_model_that_reads_one_request_says_what_would_help() -> None:
    reply = started(TEXT_SKILL, "buy milk", Tools())
    assert not reply.ok and not reply.turn and "models list" in reply.text


@pytest.mark.parametrize(
    ("ran", "text", "ok"),
    [
        (_ran(ToolResult({}, "5")), "5", True),
        (_ran(ToolResult({}, "")), "✅ Done.", True),
        (_ran(ToolResult({"error": "x"}, "bad", ok=False), "failed"), "❌ bad", False),
        (_ran(ToolResult({"error": "x"}, "", ok=False), "failed"), "❌ x", False),
        (_ran(ToolResult({}, "", ok=False, question="What?")), "What?", False),
        (None, "❌ Tool not available: echo", False),
    ],
)
def test_the_tools_own_words_are_the_answer(ran: ToolRan | None, text: str, ok: bool) -> None:
    tools = Tools(ran)
    reply = started(TOOL_SKILL, "2 + 3", tools)
    assert (reply.text, reply.ok, reply.turn) == (text, ok, "")
    assert tools.calls == [("echo", "2 + 3", Presence.PRESENT)]


@pytest.mark.parametrize("language", Language)
def test_a_tool_that_is_not_there_and_is_known_says_what_to_do(language: Language) -> None:
    call = CommandCall("weather", "Beijing", KEY, language, presence=Presence.PRESENT)
    skill = SkillName("weather", "Weather", tool="weather_query")
    reply = asyncio.run(SkillStarter(Tools(None), lambda: True).start(call, skill, "Beijing"))
    assert not reply.ok and "plugins info weather" in reply.text


def test_nobody_but_the_owner_gets_at_a_tool_so() -> None:
    tools = Tools(_ran(ToolResult({}, "5")))
    assert not started(TOOL_SKILL, "x", tools, who=Who.CONTACT).ok
    assert not tools.calls


def skills_of(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        path = folder / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name}\ndescription: Helps with {name}.\n---\nDo it.\n")


def book_of(folder: Path, trusted: Path, source: str = BUNDLED) -> SkillBook:
    clock = ManualClock(datetime.now(UTC) + timedelta(days=1))
    trust = TrustBook(trusted)
    around = Surroundings("linux", lambda _: True, lambda _: True, lambda _: None, trust.state)
    roots = (SkillRoot(source, folder),)
    reader = SkillReader(clock, ENGLISH)
    return SkillBook(reader, trust, lambda: roots, lambda: around, clock)


def test_who_types_the_name_of_a_skill_that_waits_hears_that_it_waits(tmp_path: Path) -> None:
    """And not what a model makes of the text; no list shows such a command."""
    skills_of(tmp_path / "installed", ["garden log"])
    book = book_of(tmp_path / "installed", tmp_path / "trust", MANAGED)
    why = SkillName("garden log", "Log", why_not="not trusted", advice="Trust it.", waits=True)
    ports = replace(fake_ports(), skills=FakeSkills((why,)))
    ports = with_skills(ports, book, SkillStarter(Tools(), lambda: True))
    assert ports.further is not None
    context = DecisionContext(further=ports.further.commands())
    decided = decide_text("/garden_log tulips", Who.OWNER, context)
    assert decided == RunCommand("garden_log", "tulips")
    call = CommandCall("garden_log", "tulips", KEY, ENGLISH)
    reply = asyncio.run(ports.further.answer(call))
    assert not reply.ok and reply.text.endswith(
        "garden log cannot be used here: not trusted\nTrust it."
    )
    assert "garden_log" not in [one.name for one in ports.listed(Who.OWNER)]
    (standing,) = book.view().standings
    book.trust.trust(standing.skill, ENGLISH)
    assert "garden_log" in [one.name for one in ports.listed(Who.OWNER)]


def test_commands_come_with_the_skills_and_a_plugins_name_comes_first(tmp_path: Path) -> None:
    bundled = tmp_path / "bundled"
    skills_of(bundled, ["garden-log", "status", "购物"])
    book = book_of(bundled, tmp_path / "trust")
    starter = SkillStarter(Tools(), lambda: True)
    ports = with_skills(fake_ports(), book, starter)
    assert ports.further is not None and ports.skill_start is starter
    further = ports.further.commands()
    assert sorted(further) == ["garden-log", "garden_log", "skill_2", "status_2", "购物"]
    assert ports.further.commands() is further
    named = [one.name for one in ports.listed(Who.OWNER)]
    assert named.count("garden_log") == 1 and "garden_log" not in [
        one.name for one in ports.listed(Who.CONTACT)
    ]
    context = DecisionContext(further=further)
    for typed in ("/garden_log tulips", "/garden-log tulips", "／garden_log tulips"):
        assert decide_text(typed, Who.OWNER, context) == RunCommand("garden_log", "tulips")
    assert isinstance(decide_text("/garden_log x", Who.CONTACT, context), Deny)
    assert isinstance(decide_text("/garden", Who.OWNER, context), AgentTurn | RunCommand)
    skills_of(bundled, ["later"])
    assert "later" in ports.further.commands()

    class Plugin:
        def commands(self):
            return {"later": further["garden_log"]}

        async def answer(self, call: CommandCall) -> CommandReply:
            return CommandReply("plugin")

    both = EitherCommands(Plugin(), ports.further)
    assert both.commands()["later"] is further["garden_log"]
    call = CommandCall("later", "", KEY, ENGLISH)
    assert asyncio.run(both.answer(call)).text == "plugin"
    assert not asyncio.run(both.answer(replace(call, name="garden_log"))).ok
