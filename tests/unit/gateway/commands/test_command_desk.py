"""Each command says what it did, in the person's language, and never breaks the desk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.detection import MISTYPED
from moltbot_desktop.gateway.commands.directives import directives_in
from moltbot_desktop.gateway.commands.ports import (
    AllowedSenders,
    CommandCall,
    CommandPorts,
    CommandReply,
    Compacted,
    ContextPart,
    Planned,
    RunState,
    SubAgent,
    WaitingCard,
)
from moltbot_desktop.gateway.commands.registry import COMMANDS, SWITCHES, Who
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Sender
from moltbot_desktop.sdk.models import ModelInfo, ThinkingControl
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.commands import (
    NOW,
    FakeCards,
    FakeModels,
    FakePlans,
    FakeRuns,
    FakeSessions,
    FakeSkillStart,
    fake_ports,
)

KEY = SessionKey("agent:main:main")


def call(name: str, rest: str = "", **more: object) -> CommandCall:
    return replace(CommandCall(name, rest, KEY, Language.ENGLISH), **more)  # type: ignore[arg-type]


def answer(ports: CommandPorts, one: CommandCall) -> CommandReply:
    return asyncio.run(CommandDesk(ports).answer(one))


def said(name: str, rest: str = "", ports: CommandPorts | None = None) -> str:
    return answer(ports or fake_ports(), call(name, rest)).text


def set_by(text: str, ports: CommandPorts) -> CommandReply:
    read = directives_in(text, ports.models.known)
    assert not read.text
    return answer(ports, call("", directives=read.directives))


# ------------------------------------------------------------------ a bug of ours


def _breaks_at_once(call: CommandCall, ports: CommandPorts) -> CommandReply:
    raise LookupError("secret detail")


async def _breaks_later(call: CommandCall, ports: CommandPorts) -> CommandReply:
    raise LookupError("secret detail")


@pytest.mark.expect_log("/status broke")
@pytest.mark.parametrize("broken", [_breaks_at_once, _breaks_later])
@pytest.mark.parametrize("who", Who)
def test_a_bug_is_answered_too(
    broken: Handler, who: Who, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("moltbot_desktop.gateway.commands.desk.HANDLERS", {"status": broken})
    replies: list[CommandReply] = []

    async def scenario() -> None:
        desk = CommandDesk(fake_ports())
        desk.start(call("status", who=who), replies.append)
        await desk.close()

    asyncio.run(scenario())
    [reply] = replies
    assert not reply.ok
    assert "cannot tell" in reply.text and "secret" not in reply.text
    assert ("LookupError" in reply.text) == (who is Who.OWNER)
    assert "secret detail" in caplog.text


# ------------------------------------------------------------------ all of them


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    "rest", ["", "1", "9" * 5000, "run " + "9" * 5000, "yes", "high", "no such thing = 7"]
)
def test_every_command_answers_whatever_stands_behind_it(language: Language, rest: str) -> None:
    ports = replace(fake_ports(), switches=lambda: SWITCHES)
    for name, command in COMMANDS.items():
        reply = answer(ports, call(name, rest, language=language))
        assert reply.text.strip()
        if not command.built:
            assert not reply.ok


def test_what_is_not_here_says_so() -> None:
    ports = replace(fake_ports(), switches=lambda: SWITCHES)
    assert said("bash", "ls", ports) == "/bash is not in this build yet."
    assert "commands.config true" in said("config", "show")
    for name in ("compact", "context", "subagents", "config", "debug", "allowlist", "branch"):
        assert said(name, "", ports) == f"/{name} is not in this build yet."


def test_a_known_error_is_the_answer() -> None:
    class Broken(FakeRuns):
        def start_new(self, session: SessionKey) -> None:
            raise StorageError("The disk is full.", hint="Make room.")

    reply = answer(replace(fake_ports(), runs=Broken()), call("new"))
    assert (reply.ok, reply.text) == (False, "The disk is full. Make room.")


def test_what_needs_no_waiting_is_done_at_once() -> None:
    async def scenario() -> None:
        runs, got = FakeRuns(), list[CommandReply]()
        desk = CommandDesk(replace(fake_ports(), runs=runs))
        desk.start(call("new", "hello"), got.append)
        assert runs.done == [f"new {KEY}"]
        assert got[0].turn == "hello"
        desk.start(call("memory"), got.append)
        assert len(got) == 1
        await desk.close()
        assert len(got) == 2

    asyncio.run(scenario())


# ------------------------------------------------------------------ shows


def test_the_list_of_commands_has_pages_for_contacts() -> None:
    ports = fake_ports()
    assert "/config" not in said("commands")
    assert "/config" in said("commands", "", replace(ports, switches=lambda: SWITCHES))
    first = answer(ports, call("commands", who=Who.CONTACT)).text
    last = answer(ports, call("commands", "99", who=Who.CONTACT)).text
    assert "/commands 2" in first
    assert "/memory" not in first + last
    assert first != last


@dataclass
class Context:
    found: tuple[ContextPart, ...]

    async def parts(self, session: SessionKey) -> tuple[ContextPart, ...]:
        return self.found

    def cached(self, session: SessionKey) -> int:
        return 64


def test_the_context_is_told_by_part_and_in_detail() -> None:
    inside = ContextPart("SOUL.md", 9, 30, inside="system")
    parts = (ContextPart("system", 9, 700), inside, ContextPart("chat", 9, 200))
    info = ModelInfo("qwen", 8192, 0)
    ports = replace(fake_ports(), context=Context(parts), models=FakeModels(lambda: info))
    assert "SOUL.md" not in said("context", "", ports)
    assert "900 tokens of 8192" in said("context", "", ports)
    assert "SOUL.md: 30 tokens" in said("context", "detail", ports)
    uncounted = replace(ports, context=Context((ContextPart("system", 9),)))
    told = said("context", "", uncounted)
    assert "system: 9 characters" in told
    assert "has not counted" in told and "once a model is loaded" not in told
    assert "once a model is loaded" in said(
        "context", "", replace(uncounted, models=FakeModels(lambda: None))
    )
    assert "Window" not in said("status", "", uncounted)


def test_status_tells_model_memory_work_and_settings() -> None:
    info = ModelInfo("qwen", 8192, 0, gpu_reason="No graphics card.")
    ports = replace(
        fake_ports(),
        models=FakeModels(lambda: info),
        runs=FakeRuns(RunState(running=True, waiting=2)),
        sessions=FakeSessions(SessionSettings(think="high", compaction_count=3)),
        context=Context((ContextPart("system", 9, 700), ContextPart("chat", 9, 200))),
    )
    text = said("status", "", ports)
    for part in (
        "qwen (No graphics card.)",
        "900 of 8192",
        "keeps 64",
        "3 times",
        "waiting: 2",
        "think high",
    ):
        assert part in text
    assert "not loaded yet" in said("status")


def test_a_command_that_is_nearly_one_is_named() -> None:
    assert said(MISTYPED, "/staus") == "There is no /staus. Did you mean /status?"
    assert said(MISTYPED, "/xyzzy") == "There is no /xyzzy. /commands shows all there are."


def test_somebody_learns_the_id_that_rights_are_given_to() -> None:
    envelope = Envelope("telegram", "1", Sender("42", "Ada"), "/whoami", NOW)
    text = answer(fake_ports(), call("whoami", who=Who.CONTACT, envelope=envelope)).text
    assert "42" in text
    assert "telegram" in text
    assert "owner" in said("whoami")


# ------------------------------------------------------------------ sets


def test_directives_are_kept_and_told() -> None:
    ports = fake_ports()
    reply = set_by("/think high /queue steer cap:5", ports)
    assert reply.text.startswith("Set here: think high, queue steer, cap 5.")
    assert "yet" not in reply.text
    assert set_by("/exec ask=always", ports).text.endswith("this build does not act on /exec yet.")
    kept = ports.sessions.settings(KEY)
    assert (kept.think, kept.queue_mode, kept.queue_cap) == ("high", "steer", 5)


def test_status_says_when_the_model_cannot_be_told_how_much_to_think() -> None:
    kept = FakeSessions(SessionSettings(think="high"))
    for control, told in ((ThinkingControl.NONE, True), (ThinkingControl.SWITCH, False)):
        info = ModelInfo("qwen", 8192, 0, thinking=control)
        ports = replace(fake_ports(), sessions=kept, models=FakeModels(lambda info=info: info))
        assert ("cannot be told how much to think" in said("status", "", ports)) is told


def test_a_level_is_shown_without_a_word_and_a_wrong_one_is_told() -> None:
    ports = replace(fake_ports(), sessions=FakeSessions(SessionSettings(think="low")))
    assert said("think", "", ports).startswith("/think is low.")
    assert "minimal, low, medium" in said("think", "banana", ports)
    assert ports.sessions.settings(KEY).think == "low"


@pytest.mark.parametrize(
    ("name", "word", "field_name", "value"),
    [
        ("usage", "full", "usage", "full"),
        ("usage", "on", "usage", "tokens"),
        ("usage", "min", "usage", "tokens"),
        ("send", "off", "send_policy", "deny"),
        ("send", "inherit", "send_policy", ""),
    ],
)
def test_what_a_word_sets(name: str, word: str, field_name: str, value: str) -> None:
    ports = replace(fake_ports(), sessions=FakeSessions(SessionSettings(send_policy="allow")))
    assert answer(ports, call(name, word)).ok
    assert getattr(ports.sessions.settings(KEY), field_name) == value


def test_activation_is_for_groups() -> None:
    ports = fake_ports()
    assert not answer(ports, call("activation", "always")).ok
    peer = Peer(PeerKind.GROUP, "g")
    envelope = Envelope("x", "1", Sender("7"), "/activation always", NOW, peer=peer)
    assert answer(ports, call("activation", "always", envelope=envelope)).ok
    assert ports.sessions.settings(KEY).activation == "always"


def test_a_model_is_chosen_when_there_is_one_and_when_it_can_be() -> None:
    ports = fake_ports()
    assert set_by("/model lab/large", ports).ok
    kept = ports.sessions.settings(KEY)
    assert (kept.model_provider, kept.model) == ("lab", "large")
    assert said("model", "", ports) == "Here answers lab/large."
    assert said("model", "gpt", ports).startswith("There is no model gpt.")


def test_options_that_cannot_be_used_are_told_with_the_form() -> None:
    text = said("queue", "fast cap:many")
    assert "fast cap:many" in text
    assert "[collect|followup" in text


# ------------------------------------------------------------------ manages


CARDS = (
    WaitingCard("aa1", "Write a.txt"),
    WaitingCard("bb2", "Open b", (Term.ONCE, Term.RUN, Term.HOUR)),
    WaitingCard("bb3", "Open c"),
)


@pytest.mark.parametrize(
    ("cards", "rest", "answers"),
    [
        (CARDS[:1], "yes", [("aa1", "once")]),
        (CARDS[:1], "maybe", []),
        (CARDS[:1], "拒绝", [("aa1", "no")]),
        (CARDS, "yes", []),
        (CARDS, "bb2 yes", [("bb2", "once")]),
        (CARDS, "aa deny", [("aa1", "no")]),
        (CARDS, "bb no", []),  # which of the two?
        (CARDS, "cc yes", []),
        (CARDS, "bb2 hour", [("bb2", "hour")]),
        (CARDS, "bb2 always", []),  # was not offered
        (CARDS, "bb3 run", []),
        (CARDS[:1], "aa1 allow-always", []),
        ((), "yes", []),
    ],
)
def test_a_card_is_answered_only_by_a_clear_word(
    cards: tuple[WaitingCard, ...], rest: str, answers: list[tuple[str, str]]
) -> None:
    fake = FakeCards(cards)
    answer(replace(fake_ports(), cards=fake), call("approve", rest))
    assert fake.answers == answers


def test_plans_are_listed_taken_out_and_run() -> None:
    ports = replace(fake_ports(), plans=FakePlans([Planned("3", "water the plants", NOW)]))
    assert said("cron", "", ports) == "- 3: water the plants (2026-01-05 12:00)"
    assert answer(ports, call("cron", "run 3")).ok
    assert not answer(ports, call("cron", "remove 4")).ok
    assert answer(ports, call("cron", "remove 3")).ok
    assert said("cron", "", ports) == "Nothing is planned."


@dataclass
class Helpers:
    done: list[str] = field(default_factory=list)

    def of(self, session: SessionKey) -> list[SubAgent]:
        return [SubAgent(1, session, "read", "read it all", "running", NOW, "half of it")]

    def stop(self, helper: SubAgent) -> bool:
        self.done.append(f"stop {helper.number}")
        return True

    def send(self, helper: SubAgent, text: str) -> None:
        self.done.append(f"send {helper.number} {text}")


def test_helpers_are_listed_stopped_told_and_read() -> None:
    helpers = Helpers()
    ports = replace(fake_ports(), helpers=helpers)
    assert said("subagents", "", ports) == "- 1. read: running"
    assert said("subagents", "log 1", ports) == "half of it"
    assert "read it all" in said("subagents", "info 1", ports)
    said("subagents", "send 1 look at page 2", ports)
    said("subagents", "stop all", ports)
    assert helpers.done == ["send 1 look at page 2", "stop 1"]
    assert not answer(ports, call("subagents", "stop 9")).ok


class Allowlists:
    def allowed(self) -> list[AllowedSenders]:
        return [AllowedSenders("irc", "default", "allowlist", ("7",), ("Ada (8)",))]


def test_who_may_write_is_shown() -> None:
    ports = replace(fake_ports(), allowlists=Allowlists())
    assert said("allowlist", "", ports).startswith("- irc (default): allowlist; 7")
    assert "let in with a code: Ada (8)" in said("allowlist", "", ports)
    assert said("allowlist", "sms", ports).startswith("No channel")


@dataclass
class Settings:
    values: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> str:
        return self.values.get(path, "")

    def set(self, path: str, value: str) -> str:
        self.values[path] = value
        return value

    def unset(self, path: str) -> bool:
        return self.values.pop(path, None) is not None

    def reset(self) -> None:
        self.values.clear()


@pytest.mark.parametrize("name", ["config", "debug"])
@pytest.mark.parametrize("form", ["set a.b=[1, 2]", "set a.b = [1, 2]", "set a.b [1, 2]"])
def test_settings_are_read_and_changed(name: str, form: str) -> None:
    settings = Settings()
    ports = replace(fake_ports(), settings=settings, overrides=settings, switches=lambda: SWITCHES)
    assert said(name, form, ports) == "a.b = [1, 2]"
    assert said(name, "get a.b", ports) == "a.b = [1, 2]"
    assert answer(ports, call(name, "unset a.b")).ok
    assert not answer(ports, call(name, "unset a.b")).ok
    assert not answer(ports, call(name, "set a.b")).ok
    assert settings.values == {}


def test_a_skill_is_asked_for_by_name() -> None:
    ports = replace(fake_ports(), skill_start=FakeSkillStart())
    assert answer(ports, call("skill", "Weather in Bonn")).text == "weather: in Bonn"
    assert answer(ports, call("skill", "Weather\nin\nBonn")).text == "weather: in\nBonn"
    assert not answer(ports, call("skill", "music")).ok
    assert not answer(ports, call("skill", "chess")).ok
    assert said("skill") == "- weather: Tells the weather"


@dataclass
class Compaction:
    result: Compacted

    async def compact(self, session: SessionKey, instructions: str) -> Compacted:
        return self.result


@pytest.mark.parametrize(
    ("done", "running", "ok"),
    [
        (Compacted(900, 200), False, True),
        (Compacted(9, 9), False, False),
        (Compacted(9, 1), True, False),
        (Compacted(0, 0, stopped=True), False, False),
    ],
)
def test_compaction_is_told_with_what_it_saved(done: Compacted, running: bool, ok: bool) -> None:
    ports = replace(
        fake_ports(), compaction=Compaction(done), runs=FakeRuns(RunState(running=running))
    )
    reply = answer(ports, call("compact"))
    assert reply.ok is ok
    assert ("900" in reply.text) is ok
