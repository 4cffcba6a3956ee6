"""What extensions may say about a message that goes out: other words, or not at all.

    outgoing = hooked(channels.outgoing, bus)      # for the postman, in place of the channels' own
    edit = hooked_edit(actions, bus)               # for whoever changes a message that is there

A message that is stopped counts as sent, without an id: nobody tries it again. The hook is asked at
each try, with the words as they were posted. Other words for a message that is there already are
asked about as well: else what may not be sent could be put in afterwards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from moltbot_desktop.core.errors import ChannelRefused, MoltbotError
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.channel_abilities import ChannelActions
from moltbot_desktop.sdk.channels import OutboundMessage, Outgoing
from moltbot_desktop.sdk.hooks import MessageContext, MessageSending, MessageSent

GetOutgoing = Callable[[str, str], Outgoing | None]

Edit = Callable[[str, OutboundMessage], Awaitable[str]]
"""Puts words in the place of a message; what it says now."""


def hooked(outgoing: GetOutgoing, bus: HookBus) -> GetOutgoing:
    """`outgoing` with `bus` asked before each message, and told after."""

    def get(channel: str, account: str) -> Outgoing | None:
        found = outgoing(channel, account)
        return None if found is None else _Hooked(found, bus)

    return get


@dataclass(frozen=True)
class _Hooked:
    outgoing: Outgoing
    bus: HookBus

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        allowed = await asked(self.bus, message)
        if allowed is None:
            return ""
        with _told(self.bus, allowed):
            return await self.outgoing.send(allowed, idempotency_key)


async def asked(bus: HookBus, message: OutboundMessage) -> OutboundMessage | None:
    """`message` as extensions let it go out; None when one of them stopped it."""
    context, to = _whose(message)
    about = {"threadId": message.target.thread_id, "replyTo": message.reply_to}
    answer = await bus.message_sending(MessageSending(context, to, message.text, about))
    if answer.cancel:
        return None
    return message if answer.content is None else replace(message, text=answer.content)


def hooked_edit(actions: ChannelActions, bus: HookBus) -> Edit:
    """`actions.edit` with `bus` asked before, and told after. Raises ChannelRefused also where an
    extension stops it."""

    async def edit(message_id: str, message: OutboundMessage) -> str:
        allowed = await asked(bus, message)
        if allowed is None:
            raise ChannelRefused(
                "An extension does not let these words go out.",
                hint="moltbot-desktop plugins list says which are on.",
            )
        with _told(bus, allowed):
            await actions.edit(message_id, allowed)
        return allowed.text

    return edit


@contextmanager
def _told(bus: HookBus, message: OutboundMessage) -> Iterator[None]:
    context, to = _whose(message)
    try:
        yield
    except MoltbotError as error:
        bus.tell_soon(MessageSent(context, to, message.text, False, str(error)))
        raise
    bus.tell_soon(MessageSent(context, to, message.text, True))


def _whose(message: OutboundMessage) -> tuple[MessageContext, str]:
    target = message.target
    to = target.peer.id if target.peer else ""
    return MessageContext(target.channel, target.account, to), to
