"""Talking over the local socket: any conversation, commands too, once each; and from far away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import ApprovalRequested, RunEnded, RunEvent, RunStarted
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, ApprovalId, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import (
    ClientEvent,
    GivenFile,
    HistoryLoaded,
    InboxChanged,
    ItemKind,
    Notice,
    ReminderDue,
)
from moltbot_desktop.gateway.editors import EditorSide, GivenText
from moltbot_desktop.gateway.handed_files import HandedFiles
from moltbot_desktop.gateway.rpc.agent_methods import AgentMethods
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.connection import Server
from moltbot_desktop.gateway.rpc.door import Door
from moltbot_desktop.gateway.rpc.event_json import encode_event
from moltbot_desktop.gateway.rpc.inbox_json import INBOX, inbox_event
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.remote_talk import RemoteTalk, begun, talking
from moltbot_desktop.gateway.rpc.server import SocketServer
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.gateway.socket_desk import SocketDesk
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from tests.fakes.chat_model import ScriptedTurn, calls, hangs, says
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import KEY, Assistant, at_once, play

CLI = SessionKey("agent:main:cli")
NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


@asynccontextmanager
async def desk_of(
    home: Path, script: list[ScriptedTurn], **more: object
) -> AsyncIterator[tuple[Assistant, SocketDesk]]:
    async with Assistant(home, script, **more) as assistant:  # type: ignore[arg-type]
        numbers = count(1)

        def new_id() -> str:
            return f"id{next(numbers)}"

        files = HandedFiles(
            lambda _: home / "workspace", lambda: 5_000_000, new_id, at_once, assistant.clock
        )
        desk = SocketDesk(assistant.desk, assistant.listeners, assistant.clock, new_id, files)
        try:
            yield assistant, desk
        finally:
            await desk.close()


def asked_for(assistant: Assistant) -> list[str]:
    return [event.user_text for event in assistant.events if isinstance(event, RunStarted)]


def test_what_is_said_in_the_shown_conversation_is_seen_in_the_window(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Hello.")]) as (assistant, desk):
            desk.say(RunId("r1"), KEY, "hi")
            result = await desk.wait(RunId("r1"), 10)
            assert (result.status, result.text) == ("ok", "Hello.")
            assert asked_for(assistant) == ["hi"]
            assert [one.text for one in desk.history(KEY, 10).items] == ["hi", "Hello."]

    play(scenario)


def test_another_conversation_is_answered_beside_the_window(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Four.")]) as (assistant, desk):
            heard: list[ClientEvent] = []
            assistant.listeners.overhear(heard.append)
            desk.say(RunId("r1"), CLI, "what is 2 + 2")
            assert (await desk.wait(RunId("r1"), 10)).text == "Four."
            assert asked_for(assistant) == []
            assert [event.session for event in heard if isinstance(event, RunEnded)] == [CLI]
            assert [one.text for one in desk.history(CLI, 10).items] == ["what is 2 + 2", "Four."]
            assert desk.history(KEY, 10).items == ()

    play(scenario)


def test_one_run_is_stopped_and_the_others_go_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [hangs(), says("Two.")]) as (assistant, desk):
            for name in ("r1", "r2", "r3"):
                desk.say(RunId(name), CLI, f"{name}?")
            assert not desk.stop(CLI, RunId("unknown"))
            assert desk.stop(CLI, RunId("r3"))  # it waited
            assert (await desk.wait(RunId("r3"), 10)).status == "error"
            assistant.clock.advance(60)
            await assistant.becomes(lambda: assistant.model.requests)
            assert desk.stop(CLI, RunId("r1"))  # it ran
            assert (await desk.wait(RunId("r2"), 10)).text == "Two."
            assert not desk.stop(CLI, RunId("r1"))
            history = desk.history(CLI, 10)
            assert history.session_id
            assert [one.text for one in history.items if one.kind is ItemKind.USER] == [
                "r1?",
                "r2?",
                "r3?",
            ]

    play(scenario)


@pytest.mark.parametrize("session", [KEY, CLI])
def test_a_message_may_bring_its_own_limit_of_time(tmp_path: Path, session: SessionKey) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [hangs()]) as (_, desk):
            desk.say(RunId("r1"), session, "hi", RunSettings(seconds=0.05))
            result = await desk.wait(RunId("r1"), 10)
            assert (result.status, "0.05 seconds" in result.error) == ("error", True)

    play(scenario)


def test_the_same_id_is_said_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Once.")]) as (_, desk):
            for _ in range(3):
                desk.say(RunId("r1"), CLI, "hi")
            assert (await desk.wait(RunId("r1"), 10)).text == "Once."
            desk.say(RunId("r1"), CLI, "hi")
            assert (await desk.wait(RunId("r1"), 10)).text == "Once."
            assert [one.text for one in desk.history(CLI, 10).items] == ["hi", "Once."]

    play(scenario)


def test_the_same_id_is_said_once_over_a_restart_and_its_end_is_still_told(
    tmp_path: Path,
) -> None:
    async def before() -> None:
        async with desk_of(tmp_path, [says("Once.")]) as (_, desk):
            desk.say(RunId("r1"), CLI, "hi")
            await desk.wait(RunId("r1"), 10)

    async def after() -> None:
        async with desk_of(tmp_path, []) as (_, desk):
            desk.say(RunId("r1"), CLI, "hi")
            result = await desk.wait(RunId("r1"), 10)
            assert (result.status, result.text) == ("ok", "Once.")
            assert [one.text for one in desk.history(CLI, 10).items] == ["hi", "Once."]

    play(before)
    play(after)


def test_looking_at_a_conversation_does_not_begin_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, []) as (assistant, desk):
            assert desk.history(CLI, 10).items == ()
            assert not desk.stop(CLI)
            assert assistant.store.last_used(CLI) is None

    play(scenario)


@pytest.mark.parametrize("session", [KEY, CLI])
def test_commands_work_and_what_follows_them_is_the_answer(
    tmp_path: Path, session: SessionKey
) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Good morning.")]) as (_, desk):
            desk.say(RunId("r1"), session, "/help")
            assert (await desk.wait(RunId("r1"), 10)).status == "ok"
            desk.say(RunId("r2"), session, "/new hello there")
            assert (await desk.wait(RunId("r2"), 10)).text == "Good morning."
            assert desk.history(session, 9).items[0].text == "hello there"

    play(scenario)


def test_a_script_gets_no_card_where_nobody_sits(tmp_path: Path) -> None:
    tool = FakeTool(spec("send_away", effect=Effect.EXEC), lambda _: ToolResult({}, "Done."))
    script = [calls("send_away", {"text": "x"}), says("It was not allowed.")]

    async def scenario() -> None:
        async with desk_of(tmp_path, script, tools=(tool,)) as (assistant, desk):
            desk.say(RunId("r1"), CLI, "send it away")
            assert (await desk.wait(RunId("r1"), 10)).status == "ok"  # it waited for nobody
            assert not tool.got
            assert not [one for one in assistant.events if isinstance(one, ApprovalRequested)]

    play(scenario)


def test_a_box_without_a_window_denies_what_needs_a_yes_in_the_main_one_too(
    tmp_path: Path,
) -> None:
    tool = FakeTool(spec("send_away", effect=Effect.EXEC), lambda _: ToolResult({}, "Done."))
    script = [calls("send_away", {"text": "x"}), says("It was not allowed.")]
    nobody = Presence.NOBODY

    async def scenario() -> None:
        async with desk_of(tmp_path, script, tools=(tool,), presence=nobody) as (_, desk):
            desk.say(RunId("r1"), KEY, "send it away")
            assert (await desk.wait(RunId("r1"), 10)).status == "ok"
            assert not tool.got

    play(scenario)


def test_questions_of_scripts_get_a_conversation_each(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("One."), says("Two."), says("Three.")]
        async with desk_of(tmp_path, script) as (assistant, desk):
            first, second = desk.begin(CLI), desk.begin(CLI)
            assert (first, second) == (CLI, "agent:main:cli:thread:id1")
            desk.say(RunId("r1"), first, "one?")
            desk.say(RunId("r2"), second, "two?")
            await desk.wait(RunId("r1"), 10)
            await desk.wait(RunId("r2"), 10)
            await assistant.settled()
            # The next one begins with nothing in it.
            assert desk.begin(CLI) == CLI
            assert desk.history(CLI, 10).items == ()
            # Somebody who never asked does not hold it for ever.
            assert desk.begin(CLI) != CLI
            assistant.clock.advance(31)
            assert desk.begin(CLI) == CLI

    play(scenario)


def test_a_conversation_of_somebody_at_work_is_left_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [hangs()]) as (_, desk):
            desk.say(RunId("r1"), CLI, "long work")
            assert desk.begin(CLI) == "agent:main:cli:thread:id1"
            assert desk.stop(CLI)
            assert (await desk.wait(RunId("r1"), 10)).status == "error"

    play(scenario)


def test_a_conversation_that_is_shown_cannot_be_put_away(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Hi.")]) as (assistant, desk):
            with pytest.raises(UserInputInvalid, match="window"):
                assistant.desk.parts.desks.let_go(KEY)
            desk.say(RunId("r1"), CLI, "hi")
            assert assistant.desk.parts.desks.counts() == (1, 0)
            await desk.wait(RunId("r1"), 10)
            await assistant.settled()
            assert assistant.desk.parts.desks.counts() == (0, 0)
            assistant.desk.parts.desks.let_go(CLI)
            assert assistant.desk.parts.desks.known(CLI) is None

    play(scenario)


# ----------------------------------------------------------------- from another process


@asynccontextmanager
async def far_away(
    tmp_path: Path, script: list[ScriptedTurn], *, news: bool = True
) -> AsyncIterator[tuple[Assistant, SocketServer, RemoteTalk, list[ClientEvent]]]:
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("no Unix sockets here")
    async with desk_of(tmp_path / "home", script) as (assistant, desk):
        methods = Methods(
            AgentMethods(desk, SessionNames(DEFAULT_AGENT, tuple), lambda: NOON).methods(),
            Repeats(lambda: 0.0),
        )
        server = SocketServer(Door(tmp_path / "a.sock"), Server("1", methods))
        await server.start()

        def pass_on(event: ClientEvent) -> None:
            if coded := encode_event(event):
                server.tell(*coded)
            if news := inbox_event(event):
                server.tell(INBOX, news)

        assistant.listeners.overhear(pass_on)
        numbers = count(1)
        try:
            async with connected(tmp_path / "a.sock") as there:
                key = await begun(there, CLI)
                made = talking(
                    there, key, lambda: f"far{next(numbers)}", Language.ENGLISH, news=news
                )
                async with made as talk:
                    events: list[ClientEvent] = []
                    talk.subscribe(events.append)
                    yield assistant, server, talk, events
        finally:
            await server.stop()


async def end_of(run_id: RunId, events: list[ClientEvent]) -> RunEnded:
    async with asyncio.timeout(30):
        while True:
            for event in events:
                if isinstance(event, RunEnded) and event.run_id == run_id:
                    return event
            await asyncio.sleep(0)


def test_an_answer_comes_from_the_other_process_as_if_it_were_here(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [calls("note", {"text": "tea"}), says("Noted ", "that.")]
        async with far_away(tmp_path, script) as (_, _, talk, events):
            run_id = talk.send("note tea")
            end = await end_of(run_id, events)
            assert (end.outcome.kind, end.outcome.text) == (OutcomeKind.ANSWERED, "Noted that.")
            kinds = [type(event).__name__ for event in events if isinstance(event, RunEvent)]
            assert kinds[0] == "RunStarted"
            assert {"ToolStarted", "ToolEnded", "AssistantDelta"} < set(kinds)

    play(scenario)


def test_files_come_with_a_message_from_another_process(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, [says("A cat.")]) as (assistant, _, talk, events):
            picture = GivenFile("cat.png", b"\x89PNG\r\n\x1a\n" + bytes(30))
            end = await end_of(talk.send("", [picture]), events)
            assert end.outcome.text == "A cat."
            (kept,) = tmp_path.rglob("media/inbound/*-cat.png")
            assert kept.read_bytes() == picture.content
            said = assistant.model.requests[0].messages[-1].content
            assert said.startswith(f"[media attached: media/inbound/{kept.name} (image/png)]")
            with pytest.raises(UserInputInvalid):
                talk.send("all", [picture] * 11)

    play(scenario)


def test_what_nobody_here_asked_for_is_not_shown(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, [says("To the window."), says("To me.")]) as (
            assistant,
            _,
            talk,
            events,
        ):
            await assistant.say("from the window")
            end = await end_of(talk.send("from far"), events)
            assert end.outcome.text == "To me."
            assert {event.run_id for event in events if isinstance(event, RunEvent)} == {"far1"}

    play(scenario)


@pytest.mark.parametrize("news", [True, False])
def test_reminders_and_notices_are_for_a_person(tmp_path: Path, news: bool) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, [says("Hi.")], news=news) as (assistant, _, talk, events):
            assistant.listeners.tell(ReminderDue(1, "call Anna", "12:00", missed=False))
            assistant.listeners.tell(HistoryLoaded(KEY, (), more=False))
            assistant.listeners.tell(InboxChanged((), (), (), "Kept."))
            await end_of(talk.send("hi"), events)
            told = [event for event in events if not isinstance(event, RunEvent)]
            assert [type(event) for event in told] == ([ReminderDue, InboxChanged] if news else [])

    play(scenario)


def test_a_card_is_answered_where_it_is_shown(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, [hangs()]) as (assistant, _, talk, events):
            run_id = talk.send("send it")
            card = ApprovalRequested(
                run_id, talk.session, 2, ApprovalId("c"), "exec", {}, "send it away", "why"
            )
            assistant.listeners.aside(card)
            async with asyncio.timeout(30):
                while not any(isinstance(event, Notice) for event in events):
                    await asyncio.sleep(0)
            (notice,) = (event for event in events if isinstance(event, Notice))
            assert "send it away" in notice.text
            talk.stop()
            assert (await end_of(run_id, events)).outcome.kind is OutcomeKind.CANCELLED

    play(scenario)


def test_what_cannot_be_sent_is_told_here(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, []) as (_, _, talk, _):
            with pytest.raises(UserInputInvalid):
                talk.send("   ")

    play(scenario)


def test_an_assistant_that_ends_leaves_nobody_waiting(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with far_away(tmp_path, [hangs()]) as (_, server, talk, events):
            run_id = talk.send("long work")
            async with asyncio.timeout(30):
                while not events:
                    await asyncio.sleep(0)
            await server.stop()
            end = await end_of(run_id, events)
            assert end.outcome.kind is OutcomeKind.FAILED
            assert "has ended" in end.outcome.text
            late = await end_of(talk.send("and now?"), events)
            assert late.outcome.kind is OutcomeKind.FAILED

    play(scenario)


EDITOR = SessionKey("agent:main:acp:5f0c")
GARDEN = EditorSide("Zed", "/home/ada/garden", (GivenText("file:///beds.py", "BEDS = 3"),))


def test_what_an_editor_sends_along_is_read_and_labelled(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Three.")]) as (assistant, desk):
            desk.say(RunId("r1"), EDITOR, "How many beds?", editor=GARDEN)
            assert (await desk.wait(RunId("r1"), 10)).text == "Three."
            asked = str(assistant.model.requests[0].messages)
            assert "BEDS = 3" in asked and "/home/ada/garden" in asked
            session = assistant.desk.parts.desks.of(EDITOR).session
            labels = Labels.from_mapping(session.transcript.labels())
            assert labels.untrusted
            assert [one.stored for one in labels.sources] == ["file:file:///beds.py"]
            assert assistant.store.settings(EDITOR).editor_folder == "/home/ada/garden"
            with pytest.raises(UserInputInvalid):
                desk.say(RunId("r2"), CLI, "hi", editor=GARDEN)

    play(scenario)


def test_a_bare_message_in_an_editor_stays_clean(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Hi.")]) as (assistant, desk):
            desk.say(RunId("r1"), EDITOR, "hi", editor=EditorSide("Zed", "/home/ada"))
            await desk.wait(RunId("r1"), 10)
            session = assistant.desk.parts.desks.of(EDITOR).session
            assert not Labels.from_mapping(session.transcript.labels()).untrusted

    play(scenario)


def test_no_hour_of_the_day_ends_the_conversation_in_an_editor(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("Hi."), says("Ho.")]) as (assistant, desk):
            desk.say(RunId("r1"), EDITOR, "hi")
            await desk.wait(RunId("r1"), 10)
            assistant.clock.advance(3 * 24 * 3600)
            desk.say(RunId("r2"), EDITOR, "ho")
            await desk.wait(RunId("r2"), 10)
            assert [one.text for one in desk.history(EDITOR, 10).items] == [
                "hi",
                "Hi.",
                "ho",
                "Ho.",
            ]

    play(scenario)


@pytest.mark.parametrize(
    ("presence", "asked"), [(Presence.PRESENT, 1), (Presence.SCRIPT, 0), (Presence.NOBODY, 0)]
)
def test_the_window_shows_the_cards_of_an_editor_where_somebody_sits_before_it(
    tmp_path: Path, presence: Presence, asked: int
) -> None:
    async def scenario() -> None:
        tool = FakeTool(spec("dig", effect=Effect.MESSAGE), lambda _: ToolResult({}, "Done."))
        script = [calls("dig", {}), says("Well.")]
        async with desk_of(tmp_path, script, tools=(tool,), presence=presence) as (assistant, desk):
            desk.say(RunId("r1"), EDITOR, "dig")
            if asked:
                await assistant.becomes(lambda: any_card(assistant))
                assistant.client.answer_approval(ApprovalId("card"), allow=True)
            assert (await desk.wait(RunId("r1"), 10)).text == "Well."
            assert len([e for e in assistant.events if isinstance(e, ApprovalRequested)]) == asked
            assert len(tool.got) == asked

    play(scenario)


def any_card(assistant: Assistant) -> bool:
    return any(isinstance(event, ApprovalRequested) for event in assistant.events)
