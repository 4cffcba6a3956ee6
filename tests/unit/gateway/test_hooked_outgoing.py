"""Extensions may change or stop a message that goes out, and hear what became of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.gateway.hooked_outgoing import hooked, hooked_edit
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage, Peer, PeerKind
from moltbot_desktop.sdk.hooks import MessageAnswer, MessageSending, MessageSent

MESSAGE = OutboundMessage(DeliveryTarget("pipe", "work", Peer(PeerKind.DM, "anna")), "hi")


@dataclass
class Channel:
    """Keeps what it was given; `fails` is raised instead."""

    fails: ChannelError | None = None
    sent: list[tuple[str, str]] = field(default_factory=list)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        if self.fails is not None:
            raise self.fails
        self.sent.append((message.text, idempotency_key))
        return "id-1"


@dataclass
class Changing:
    """Implements `sdk.channel_abilities.Editing`."""

    changed: list[tuple[str, str]] = field(default_factory=list)

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        self.changed.append((message_id, message.text))


def send(channel: Channel, bus: HookBus) -> tuple[str, list[MessageSent]]:
    told: list[MessageSent] = []
    bus.on(MessageSent, told.append, name="test")

    async def scenario() -> str:
        outgoing = hooked(lambda *_: channel, bus)("pipe", "work")
        assert outgoing is not None
        try:
            return await outgoing.send(MESSAGE, "key")
        finally:
            await bus.close()

    return asyncio.run(scenario()), told


def test_a_message_is_changed_and_told() -> None:
    channel, bus, asked = Channel(), HookBus(), []

    def handle(event: MessageSending) -> MessageAnswer:
        asked.append(event)
        return MessageAnswer(f"{event.content}!")

    bus.on(MessageSending, handle, name="loud")
    platform_id, told = send(channel, bus)
    assert (platform_id, channel.sent) == ("id-1", [("hi!", "key")])
    assert (asked[0].to, asked[0].context.account) == ("anna", "work")
    assert [(one.content, one.success) for one in told] == [("hi!", True)]


def test_a_stopped_message_counts_as_sent() -> None:
    channel, bus = Channel(), HookBus()
    bus.on(MessageSending, lambda _: MessageAnswer(cancel=True), name="quiet")
    assert send(channel, bus) == ("", [])
    assert channel.sent == []


def test_a_failure_is_told_and_goes_on_to_the_postman() -> None:
    channel, bus, told = Channel(ChannelError("Away.")), HookBus(), []
    bus.on(MessageSent, told.append, name="x")
    with pytest.raises(ChannelError):
        send(channel, bus)
    assert [(one.success, one.error) for one in told] == [(False, "Away.")]


@pytest.mark.parametrize("cancel", [True, False])
def test_other_words_for_a_message_that_is_there_are_asked_about_too(cancel: bool) -> None:
    channel, bus, told = Changing(), HookBus(), []
    bus.on(MessageSent, told.append, name="x")
    answer = MessageAnswer(None if cancel else "hello", cancel)
    bus.on(MessageSending, lambda _: answer, name="careful")

    async def scenario() -> str:
        try:
            return await hooked_edit(channel, bus)("id-1", MESSAGE)  # type: ignore[arg-type]
        finally:
            await bus.close()

    if cancel:
        with pytest.raises(ChannelRefused):
            asyncio.run(scenario())
        assert (channel.changed, told) == ([], [])
    else:
        assert asyncio.run(scenario()) == "hello"
        assert channel.changed == [("id-1", "hello")] and told[0].content == "hello"


def test_a_channel_that_is_not_there_is_not_there() -> None:
    assert hooked(lambda *_: None, HookBus())("pipe", "work") is None
