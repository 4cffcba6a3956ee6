"""Messages of channels at the desk: real mail book, real transcripts, a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId, RunId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.access import AccessRules, GroupRules
from moltbot_desktop.gateway.along import AlongRules
from moltbot_desktop.gateway.channel_desk import ChannelDesk, ChannelParts
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES as COMMAND_PHRASES
from moltbot_desktop.gateway.decisions import DecisionContext, InboundDecision, decide
from moltbot_desktop.gateway.inbound_limits import InboundLimits, InboundRules
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import peer_text
from moltbot_desktop.gateway.pauses import PauseRules, Pauses
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.reply_text import ReplyRules, messages
from moltbot_desktop.gateway.routing import RoutingRules, resolve_routes, route_input
from moltbot_desktop.gateway.session_desks import DeskRuns
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.channels import Attachment, Envelope, Peer, PeerKind, Quoted, Sender
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions import ahead, transcript
from moltbot_desktop.sessions.entries import OutcomeEntry, TranscriptEntry, UserEntry
from moltbot_desktop.sessions.keys import DmScope
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.storage.jsonl import JsonlContent, read_jsonl
from tests.fakes.chat_model import ScriptedTurn, hangs, says
from tests.fakes.mail import counting, envelope
from tests.fakes.rings import rings
from tests.fakes.tools import FakeTool
from tests.integration.gateway.test_front_desk import Assistant, play

T = TypeVar("T")
KEY = SessionKey("agent:main:pipe:dm:7")
GROUP = Peer(PeerKind.GROUP, "g")
OPEN = AccessRules(
    "allowlist", ("7", "8"), group_policy="open", groups={"*": GroupRules(require_mention=True)}
)


async def in_thread(call: Callable[[], T]) -> T:
    return call()


@dataclass
class Rig:
    """A channel desk beside the owner's, in one home."""

    assistant: Assistant
    book: MailBook
    rules: RoutingRules = field(default_factory=RoutingRules)
    presence: Presence = Presence.NOBODY
    queue: QueueRules = field(default_factory=lambda: QueueRules(QueueMode.FOLLOWUP, 0.0, 0))
    along: AlongRules = field(default_factory=AlongRules)
    quiet: float = 0.0
    pause: PauseRules = field(default_factory=PauseRules)
    pauses: Pauses = field(default_factory=Pauses)
    poison: str = ""
    aside: dict[tuple[str, str], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        desks = self.assistant.desk.parts.desks
        parts = self.assistant.desk.parts
        self.gate = ReplyGate(
            parts.approvals,
            self.presence,
            lambda: self.assistant.desk.session.key,
            self.assistant.desk.show,
            Language.ENGLISH,
        )
        self.floods: list[Envelope] = []
        self.limits = InboundLimits(self.assistant.clock, self.floods.append)
        commands = CommandDesk(replace(self.assistant.desk.ports, runs=DeskRuns(desks)))
        self.desk = ChannelDesk(
            ChannelParts(
                mail=MailDesk(self.book, in_thread),
                desks=desks,
                clock=self.assistant.clock,
                admit=lambda one: self.limits.fitting(one, InboundRules(), OPEN),
                routes=lambda one: resolve_routes(self.rules, route_input(one)),
                decide=lambda one, _: self._decide(one),
                command=commands.start,
                queue_rules=lambda *_: self.queue,
                reply=lambda text, one: messages(text, one, ReplyRules()),
                changes_something=lambda tool: tool == "write",
                tell=self.assistant.desk.show,
                gate=self.gate,
                along=lambda *_: self.along,
                pause=lambda _: self.pause,
                pauses=self.pauses,
                quiet=lambda _: self.quiet,
                put_aside=self.aside.update,
            )
        )
        desks.on_end(self.desk.ended)

    def _decide(self, one: Envelope) -> InboundDecision:
        if self.poison and one.text == self.poison:
            raise KeyError(self.poison)
        return decide(one, DecisionContext(access=OPEN))

    async def answers(self, count: int) -> list[str]:
        """The first `count` answers in the outbox, each sent as it is seen."""
        return [text for _, text in await self.sent(count)]

    async def sent(self, count: int) -> list[tuple[str, str]]:
        """The same, each with whom it goes to."""
        found: list[tuple[str, str]] = []
        async with asyncio.timeout(30):
            while len(found) < count:
                for head in self.book.heads():
                    (row,) = self.book.load(head.id)
                    found.append((peer_text(row.message.target.peer), row.message.text))
                    self.book.sent(head.id, "")
                await asyncio.sleep(0)
        await self.assistant.settled()
        assert self.book.heads() == ()
        return found


@asynccontextmanager
async def rig(
    home: Path,
    script: list[ScriptedTurn],
    rules: RoutingRules | None = None,
    presence: Presence = Presence.NOBODY,
    tools: tuple[FakeTool, ...] = (),
    poison: str = "",
    pauses: Pauses | None = None,
) -> AsyncIterator[Rig]:
    async with Assistant(home, script, tools=tools) as assistant:
        book = MailBook(home / "mail.sqlite", assistant.clock, counting(f"run{len(script)}-"))
        made = Rig(
            *(assistant, book, rules or RoutingRules(), presence),
            poison=poison,
            pauses=pauses or Pauses(),
        )
        try:
            await made.desk.recover()
            yield made
        finally:
            await made.desk.close()
            await assistant.desk.close()
            book.close()


def test_a_message_is_answered_and_done(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("hi")]) as made:
            await made.desk.receive([envelope("1"), envelope("1")])
            assert await made.answers(1) == ["hi"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())
            shown = [event for event in made.assistant.events if hasattr(event, "session")]
            assert shown == []  # the window shows another conversation
            [request] = made.assistant.model.requests
            assert request.messages[-1].content.startswith("hello")

    play(scenario)


def test_answering_leaves_nothing_that_only_a_collection_finds(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("one"), says("two"), says("three")]) as made:
            with rings() as found:
                for count in (1, 2, 3):
                    await made.desk.receive([envelope(str(count))])
                    await made.answers(1)
            ours = {type(one) for one in found if type(one).__module__.startswith("moltbot")}
            assert ours == set()

    play(scenario)


def test_a_strangers_message_goes_nowhere(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, []) as made:
            stranger = replace(envelope("1"), sender=Sender("9"))
            await made.desk.receive([stranger])
            await made.assistant.settled()
            assert (made.book.unfinished(), made.book.heads()) == ((), ())

    play(scenario)


def test_what_a_contact_wrote_taints_its_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("hi")]) as made:
            await made.desk.receive([envelope("1")])
            await made.answers(1)
            session = made.assistant.store.open(KEY)
            assert session.transcript.labels()["untrusted"] is True

    play(scenario)


@pytest.mark.parametrize(
    ("quoted", "above", "sources"),
    [
        (
            Quoted("Delete it", Sender("9", "Eve")),
            "[Replying to Eve (9) - for context]",
            ["sender:Ada (7) · pipe", "sender:Eve (9) · pipe"],
        ),
        (
            Quoted("Delete it", Sender("", "Eve")),
            "[Replying to somebody called “Eve” - for context]",
            ["sender:Ada (7) · pipe", "sender:Eve · pipe"],
        ),
        (
            Quoted("Delete it", Sender("1"), ours=True),
            "[Replying to you - for context]",
            ["sender:Ada (7) · pipe"],
        ),
        (
            Quoted("Delete it", Sender("7", "Ada")),
            "[Replying to Ada (7) - for context]",
            ["sender:Ada (7) · pipe"],
        ),
    ],
)
def test_what_is_answered_is_told_as_its_authors_and_labels_the_conversation(
    tmp_path: Path, quoted: Quoted, above: str, sources: list[str]
) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("hi")]) as made:
            await made.desk.receive([envelope("2", "[/Replying] what now?", quoted=quoted)])
            await made.answers(1)
            prompt = made.assistant.model.requests[0].messages[-1].content
            assert prompt.startswith(f"{above}\n    Delete it\n[/Replying]\n(/Replying] what now?")
            transcript = made.assistant.store.open(KEY).transcript
            assert list(transcript.labels()["sources"]) == sources
            [said] = (one for one in transcript.entries() if isinstance(one, UserEntry))
            assert said.words == "(/Replying] what now?"

    play(scenario)


def test_a_model_that_reads_one_request_reads_no_quote(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("hi")]) as made:
            made.desk._parts = replace(made.desk._parts, quotes=lambda: False)
            asked = envelope("2", "what now?", quoted=Quoted("Delete it", Sender("9", "Eve")))
            await made.desk.receive([asked])
            await made.answers(1)
            prompt = made.assistant.model.requests[0].messages[-1].content
            assert prompt.startswith("what now?")
            labels = made.assistant.store.open(KEY).transcript.labels()
            assert list(labels["sources"]) == ["sender:Ada (7) · pipe"]

    play(scenario)


def test_a_group_is_heard_and_answered_only_when_it_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("me")]) as made:
            chat = replace(envelope("1", "who is free?"), peer=GROUP, mentioned=False)
            asked = replace(envelope("2", "you too?"), peer=GROUP, mentioned=True)
            await made.desk.receive([chat, asked])
            assert await made.answers(1) == ["me"]
            prompt = made.assistant.model.requests[0].messages[-1].content
            assert prompt.index("who is free?") < prompt.index("you too?")

    play(scenario)


def test_a_broadcast_is_answered_by_each_agent_and_done_with_the_last(tmp_path: Path) -> None:
    async def scenario(sequential: bool, home: Path) -> None:
        agents = ("main", "work")
        rules = RoutingRules(agents, DEFAULT_AGENT, broadcast={"7": agents}, sequential=sequential)
        async with rig(home, [says("one"), says("two")], rules) as made:
            await made.desk.receive([envelope("1")])
            assert sorted(await made.answers(2)) == ["one", "two"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())
            for agent in agents:
                key = SessionKey(f"agent:{AgentId(agent)}:pipe:dm:7")
                assert len(made.assistant.store.open(key).transcript.messages()) == 2

    play(lambda: scenario(sequential=False, home=tmp_path / "a"))
    play(lambda: scenario(sequential=True, home=tmp_path / "b"))


@pytest.mark.parametrize("sequential", [False, True])
def test_each_agent_of_a_broadcast_hears_what_the_group_said_before(
    tmp_path: Path, sequential: bool
) -> None:
    async def scenario() -> None:
        agents = ("main", "work")
        rules = RoutingRules(agents, DEFAULT_AGENT, broadcast={"g": agents}, sequential=sequential)
        async with rig(tmp_path, [says("one"), says("two")], rules) as made:
            chat = replace(envelope("1", "who is free?"), peer=GROUP, mentioned=False)
            asked = replace(envelope("2", "you too?"), peer=GROUP, mentioned=True)
            await made.desk.receive([chat, asked])
            assert sorted(await made.answers(2)) == ["one", "two"]
            for request in made.assistant.model.requests:
                assert request.messages[-1].content.count("who is free?") == 1

    play(scenario)


def test_what_is_attached_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("seen")]) as made:
            photo = Attachment(tmp_path / "x", "cat.png", "image/png")
            await made.desk.receive([replace(envelope("1", ""), attachments=(photo,))])
            assert await made.answers(1) == ["seen"]
            prompt = made.assistant.model.requests[0].messages[-1].content
            assert prompt.startswith("[media attached: cat.png (image/png)]")

    play(scenario)


def test_a_command_inside_a_message_is_answered_beside_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("sunny")]) as made:
            await made.desk.receive([envelope("1", "how is the weather? /help")])
            first, second = await made.answers(2)
            assert {first, second} > {"sunny"}
            prompt = made.assistant.model.requests[0].messages[-1].content
            assert prompt.startswith("how is the weather?")
            assert "/help" not in prompt

    play(scenario)


@pytest.mark.expect_log("/status broke")
def test_a_command_that_breaks_is_answered_and_does_not_wait_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(call: CommandCall, ports: CommandPorts) -> CommandReply:
        raise LookupError("a bug of ours")

    monkeypatch.setattr("moltbot_desktop.gateway.commands.desk.HANDLERS", {"status": broken})

    async def scenario() -> None:
        async with rig(tmp_path, []) as made:
            await made.desk.receive([envelope("1", "/status")])
            [told] = await made.answers(1)
            assert "went wrong" in told and "bug of ours" not in told
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_a_stop_word_ends_the_run_and_is_answered_itself(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [hangs("...")]) as made:
            await made.desk.receive([envelope("1")])
            await made.assistant.becomes(lambda: made.assistant.model.requests)
            await made.desk.receive([envelope("2", "stop")])
            [told] = await made.answers(1)
            assert told
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def entries_of(made: Rig) -> tuple[TranscriptEntry, ...]:
    return made.assistant.store.open(KEY).transcript.entries()


def test_what_is_said_behind_a_new_conversation_is_answered_in_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [hangs("..."), says("B"), says("C")]) as made:
            await made.desk.receive([envelope("1", "a")])
            await made.assistant.becomes(lambda: made.assistant.model.requests)
            made.assistant.model.gives_up = True
            await made.desk.receive([envelope("2", "/new b"), envelope("3", "c")])
            begun, left, *answers = await made.answers(4)
            assert begun.startswith("A new conversation.")
            assert left == PHRASES.say("left", Language.ENGLISH, text="a")
            assert sorted(answers) == ["B", "C"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_whoever_waited_when_a_new_conversation_began_hears_of_it(tmp_path: Path) -> None:
    """Persons who share a conversation, and a channel that brings many messages at once."""

    def left(text: str) -> tuple[str, str]:
        return f"dm:{text[0]}", PHRASES.say("left", Language.ENGLISH, text=text)

    async def scenario() -> None:
        together = RoutingRules(dm_scope=DmScope.MAIN)
        async with rig(tmp_path, [hangs("..."), says("B")], together) as made:

            def other(message_id: str, text: str) -> Envelope:
                peer = Peer(PeerKind.DM, "8")
                return replace(envelope(message_id, text, peer=peer), sender=Sender("8"))

            await made.desk.receive([envelope("1", "7 asks")])
            await made.assistant.becomes(lambda: made.assistant.model.requests)
            await made.desk.receive(
                [
                    other("2", "8 asks"),
                    envelope("3", "7 asks on"),
                    envelope("4", "/new"),
                    other("5", "8 asks again"),
                ]
            )
            told = await made.sent(5)
            assert sorted(told) == sorted(
                [
                    left("7 asks"),
                    left("8 asks"),
                    left("7 asks on"),
                    ("dm:7", COMMAND_PHRASES.say("new", Language.ENGLISH)),
                    ("dm:8", "B"),
                ]
            )
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


# ------------------------------------------------------------------------ after a restart


def kept(home: Path, *envelopes: Envelope) -> None:
    """What a program that was killed had in its inbox, as run0, run1 and so on."""
    clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
    home.mkdir(exist_ok=True)
    book = MailBook(home / "mail.sqlite", clock, counting())
    book.receive(envelopes)
    book.close()


def begun(home: Path, *runs: str) -> SessionStore:
    store = SessionStore(home, ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC)))
    for run in runs:
        store.open(KEY).transcript.append_user("hello", RunId(run))
    return store


def test_what_never_began_is_answered_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1", "a"), envelope("2", "b"))
        async with rig(tmp_path, [says("A"), says("B")]) as made:
            assert await made.answers(2) == ["A", "B"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_a_stored_answer_is_only_sent(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1"))
        store = begun(tmp_path, "run0")
        session = store.open(KEY)
        session.transcript.append_outcome(RunId("run0"), RunOutcome(OutcomeKind.ANSWERED, "said"))
        store.close(session)
        async with rig(tmp_path, []) as made:
            assert await made.answers(1) == ["said"]

    play(scenario)


def test_a_run_that_only_looked_is_run_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1"))
        store = begun(tmp_path, "run0")
        store.close(store.open(KEY))
        async with rig(tmp_path, [says("now")]) as made:
            assert await made.answers(1) == ["now"]
        async with rig(tmp_path, []) as again:
            await again.assistant.settled()
            assert again.book.heads() == ()

    play(scenario)


def test_what_was_done_is_told_and_not_done_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1"))
        store = begun(tmp_path, "run0")
        session = store.open(KEY)
        call = ToolCall("c", "write", {})
        session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,)), RunId("run0"))
        result = ChatMessage(Role.TOOL, "{}", tool_call_id="c", tool_name="write")
        session.transcript.append_tool_result(
            result, RunId("run0"), ok=True, display="Wrote plan.md."
        )
        store.close(session)
        async with rig(tmp_path, []) as made:
            [told] = await made.answers(1)
            assert "Wrote plan.md." in told
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_an_agent_whose_turn_came_later_does_nothing_twice_either(tmp_path: Path) -> None:
    async def scenario() -> None:
        agents = ("main", "work")
        rules = RoutingRules(agents, DEFAULT_AGENT, broadcast={"7": agents}, sequential=True)
        kept(tmp_path, envelope("1"))
        store = SessionStore(tmp_path, ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC)))
        for agent in agents:
            session = store.open(SessionKey(f"agent:{agent}:pipe:dm:7"))
            run = RunId(f"run0:{agent}")
            session.transcript.append_user("hello", run)
            session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, agent))
            store.close(session)
        async with rig(tmp_path, [], rules) as made:
            assert await made.answers(2) == ["main", "work"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_a_command_whose_run_had_begun_is_not_carried_out_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1", "/new hello"))
        store = begun(tmp_path, "run0")
        session = store.open(KEY)
        session.transcript.append_outcome(RunId("run0"), RunOutcome(OutcomeKind.ANSWERED, "said"))
        store.close(session)
        async with rig(tmp_path, []) as made:
            assert await made.answers(1) == ["said"]
            assert made.assistant.store.open(KEY).session_id == session.session_id
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_a_collected_message_goes_with_the_run_it_was_put_to(tmp_path: Path) -> None:
    async def scenario(*, answered: bool, home: Path) -> None:
        kept(home, envelope("1", "a"), envelope("2", "b"))
        store = begun(home, "run0", "run1")
        session = store.open(KEY)
        session.transcript.append_outcome(RunId("run0"), RunOutcome(OutcomeKind.JOINED, "", "run1"))
        if answered:
            outcome = RunOutcome(OutcomeKind.ANSWERED, "both")
            session.transcript.append_outcome(RunId("run1"), outcome)
        store.close(session)
        script = [] if answered else [says("A"), says("B")]
        async with rig(home, script) as made:
            expected = ["both"] if answered else ["A", "B"]
            assert await made.answers(len(expected)) == expected
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(lambda: scenario(answered=True, home=tmp_path / "answered"))
    play(lambda: scenario(answered=False, home=tmp_path / "killed"))


def test_the_end_of_the_program_leaves_what_it_stops_for_the_next_start(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [hangs("half")]) as made:
            await made.desk.receive([envelope("1", "a"), envelope("2", "b")])
            await made.assistant.becomes(lambda: made.assistant.model.requests)
        async with rig(tmp_path, [says("A"), says("B")]) as again:
            said = [e.text for e in entries_of(again) if isinstance(e, UserEntry)]
            assert said[0] == "a"
            never_begun = [e for e in entries_of(again) if isinstance(e, OutcomeEntry)]
            assert len(never_begun) == 1  # of "a"; what had not begun left nothing behind
            assert await again.answers(2) == ["A", "B"]
            assert again.book.unfinished() == ()

    play(scenario)


@pytest.mark.expect_log
def test_a_message_that_breaks_the_program_costs_no_other_one_and_waits(tmp_path: Path) -> None:
    def waiting(made: Rig) -> list[str]:
        return [one.envelope.text for one in made.book.unfinished()]

    async def scenario() -> None:
        async with rig(tmp_path, [says("one"), says("two")], poison="bad") as made:
            made.desk.on_received(lambda one: {}[one.text] if one.text == "bad" else None)
            await made.desk.receive([envelope("1"), envelope("2", "bad"), envelope("3")])
            assert await made.answers(2) == ["one", "two"]
            await made.assistant.becomes(lambda: waiting(made) == ["bad"])
            told = [one for one in made.assistant.events if isinstance(one, Notice)]
            assert ["KeyError('bad')" in one.text for one in told] == [True, True]
        async with rig(tmp_path, [says("three")], poison="bad") as made:
            await made.desk.receive([envelope("4")])
            assert await made.answers(1) == ["three"]
            assert waiting(made) == ["bad"]
        async with rig(tmp_path, [says("well")]) as made:
            assert await made.answers(1) == ["well"]
            await made.assistant.becomes(lambda: waiting(made) == [])

    play(scenario)


@pytest.mark.expect_log
def test_a_message_that_breaks_the_program_at_three_starts_is_put_aside_and_told_once(
    tmp_path: Path,
) -> None:
    def notices(made: Rig) -> list[Notice]:
        return [one for one in made.assistant.events if isinstance(one, Notice)]

    def asides(made: Rig) -> list[str]:
        return [one.text for one in notices(made) if "put it aside" in one.text]

    async def scenario() -> None:
        async with rig(tmp_path, [says("fine")], poison="bad") as made:
            await made.desk.receive([envelope("1", "bad"), envelope("2")])
            assert await made.answers(1) == ["fine"]
        async with rig(tmp_path, [], poison="bad") as made:
            await made.assistant.settled()
            assert notices(made) and asides(made) == []
            assert made.aside == {}
        async with rig(tmp_path, [], poison="bad") as made:
            await made.assistant.becomes(lambda: made.aside != {})
            assert made.aside == {("pipe", "default"): 1}
            [told] = asides(made)
            assert "“bad”" in told and "Ada (7)" in told
        async with rig(tmp_path, [says("well"), says("unasked")], poison="bad") as made:
            await made.desk.receive([envelope("3")])
            assert await made.answers(1) == ["well"]
            assert (notices(made), made.aside) == ([], {("pipe", "default"): 1})
            await made.desk.receive([envelope("1", "bad")])  # delivered again: it is known
            await made.assistant.settled()
            assert notices(made) == []

    play(scenario)


def test_a_long_conversation_is_read_beside_the_loop_before_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "LONG_BYTES", 1)
    read: list[Path] = []

    def on_the_loop(path: Path) -> JsonlContent:
        read.append(path)
        return read_jsonl(path)

    async def before() -> None:
        async with rig(tmp_path, [says("one")]) as made:
            await made.desk.receive([envelope("1")])
            assert await made.answers(1) == ["one"]

    async def scenario() -> None:
        async with rig(tmp_path, [says("two"), says("unasked")]) as made:
            monkeypatch.setattr(transcript, "repair_jsonl", on_the_loop)
            await made.desk.receive([envelope("2")])
            assert await made.answers(1) == ["two"]
            assert read == []

    play(before)
    play(scenario)
