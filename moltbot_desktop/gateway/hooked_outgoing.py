"""What extensions may say about a message that goes out: other words, or not at all.

    outgoing = hooked(channels.outgoing, bus)      # for the postman, in place of the channels' own

A message that is stopped counts as sent, without an id: nobody tries it again. The hook is asked at
each try, with the words as they were posted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.channels import OutboundMessage, Outgoing
from moltbot_desktop.sdk.hooks import MessageContext, MessageSending, MessageSent

GetOutgoing = Callable[[str, str], Outgoing | None]


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
        target = message.target
        to = target.peer.id if target.peer else ""
        context = MessageContext(target.channel, target.account, to)
        about = {"threadId": target.thread_id, "replyTo": message.reply_to}
        asked = await self.bus.message_sending(MessageSending(context, to, message.text, about))
        if asked.cancel:
            return ""
        if asked.content is not None:
            message = replace(message, text=asked.content)
        try:
            platform_id = await self.outgoing.send(message, idempotency_key)
        except MoltbotError as error:
            self.bus.tell_soon(MessageSent(context, to, message.text, False, str(error)))
            raise
        self.bus.tell_soon(MessageSent(context, to, message.text, True))
        return platform_id
