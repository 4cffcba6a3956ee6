"""What happens at the desk is told to extensions, as it was when it happened."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.happenings import RECENT_MESSAGES, Happenings, Places
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Sender
from moltbot_desktop.sdk.hooks import (
    HOOKS,
    GatewayStart,
    GatewayStop,
    HookEvent,
    MessageContext,
    MessageReceived,
    SessionEnd,
    SessionStart,
)
from moltbot_desktop.sdk.internal_hooks import InternalEvent
from tests.fakes.chat_model import says
from tests.integration.gateway.test_front_desk import KEY, Assistant, play


class Watched:
    """A desk whose happenings are told to a list."""

    def __init__(self, assistant: Assistant, home: Path) -> None:
        self.bus, self.internal = HookBus(), InternalHooks()
        self.typed: list[HookEvent] = []
        self.events: list[InternalEvent] = []
        self.told: list[str] = []
        for kind in HOOKS.values():
            self.bus.on(kind, self.typed.append, name="test")
        for kind in ("command", "gateway"):
            self.internal.on(kind, self.events.append, name="test")
        self.happenings = Happenings(
            self.bus, self.internal, Places(lambda _: home, home), assistant.clock, self.told.append
        )
        happenings, desk = self.happenings, assistant.desk
        desk.parts.desks.on_sessions(happenings.session_begun, happenings.session_left)
        desk.on_command(lambda call: happenings.command(call, desk.session))
        desk.on_said(happenings.said)


def test_a_new_conversation_ends_one_and_begins_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one")]) as assistant:
            watched = Watched(assistant, tmp_path)
            await assistant.say("first")
            old = assistant.desk.session.session_id
            await assistant.say("/new")
            await watched.happenings.close()
            end, start = (
                one for one in watched.typed if isinstance(one, SessionEnd | SessionStart)
            )
            assert isinstance(end, SessionEnd) and isinstance(start, SessionStart)
            assert (end.session_id, end.message_count) == (old, 2)
            assert (start.session_id, start.resumed_from) == (assistant.desk.session.session_id, "")
            assert start.context.agent_id == "main"

    play(scenario)


def test_a_command_is_told_with_the_conversation_it_leaves(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says(f"answer {number}") for number in range(10)]
        async with Assistant(tmp_path, script) as assistant:
            watched = Watched(assistant, tmp_path)
            watched.internal.on(
                "command:new", lambda event: event.messages.append("Kept."), name="keeps"
            )
            for number in range(10):
                await assistant.say(f"question {number}")
            for command in ("/new", "/stop", "/reset", "/status"):
                await assistant.say(command)
            await watched.happenings.close()
            names = [event.name for event in watched.events]
            assert names == ["command:new", "command:stop", "command:reset"]
            said = [message.content for message in watched.events[0].history]
            assert len(said) == RECENT_MESSAGES and said[-1] == "answer 9"
            assert watched.events[2].history == () and watched.told == ["Kept."]

    play(scenario)


def test_the_windows_button_is_told_as_the_command(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one")]) as assistant:
            watched = Watched(assistant, tmp_path)
            await assistant.say("first")
            assistant.client.new_session()
            await assistant.settled()
            await watched.happenings.close()
            (event,) = watched.events
            assert event.name == "command:new"
            assert [message.content for message in event.history] == ["first", "one"]

    play(scenario)


def test_the_start_may_ask_and_the_end_waits(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            watched, asked, ended = Watched(assistant, tmp_path), [], []

            async def late(_: GatewayStop) -> None:
                await asyncio.sleep(0)
                ended.append("here")

            watched.bus.on(GatewayStop, late, name="late")
            watched.internal.on(
                "gateway:startup", lambda event: event.ask and event.ask("Good day"), name="x"
            )
            watched.happenings.started(SessionKey("agent:main:main"), asked.append)
            await watched.happenings.stopping("quit")
            assert ended == ["here"]
            await watched.happenings.close()
            assert asked == ["Good day"]
            assert {type(one) for one in watched.typed} == {GatewayStart, GatewayStop}

    play(scenario)


def test_what_the_owner_says_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("tea")]) as assistant:
            watched = Watched(assistant, tmp_path)
            run_id = assistant.client.send("/think high what is tea?")
            await assistant.until(lambda event: isinstance(event, RunEnded))
            await watched.happenings.close()
            [heard] = [one for one in watched.typed if isinstance(one, MessageReceived)]
            assert (heard.sender, heard.content) == ("owner", "/think high what is tea?")
            assert heard.context == MessageContext("desktop", conversation=KEY)
            assert heard.metadata["messageId"] == run_id

    play(scenario)


def test_a_message_of_a_channel_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            watched = Watched(assistant, tmp_path)
            now = datetime(2026, 1, 5, tzinfo=UTC)
            peer = Peer(PeerKind.GROUP, "g1")
            sender = Sender("u1", "Anna", "anna")
            watched.happenings.received(Envelope("pipe", "m1", sender, "hi", now, peer=peer))
            await watched.happenings.close()
            (event,) = watched.typed
            assert isinstance(event, MessageReceived)
            assert (event.sender, event.content, event.context.conversation) == ("u1", "hi", "g1")
            assert event.metadata["messageId"] == "m1"

    play(scenario)
