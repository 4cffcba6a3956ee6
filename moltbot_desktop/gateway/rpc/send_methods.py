"""`send`: words to somebody on a channel, as the reference has it.

    send  {channel, to, message, accountId?, idempotencyKey}  → {runId, channel, to, status}

`to` is the platform's id of a person, or ``group:<id>``, ``channel:<id>``. It must be somebody the
assistant has a conversation with, and the owner must say yes to the very words, at the window.
They lie in the outbox when this answers, and are sent from there, once, also after a restart.
Text alone: a path in a request opens no file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.known_targets import is_known
from moltbot_desktop.gateway.rpc.cron_methods import Permission
from moltbot_desktop.gateway.rpc.methods import FILLED, TEXT, Given, Method
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.tools import Effect

_LONGEST = 20_000
_MESSAGE: JsonObject = {**FILLED, "maxLength": _LONGEST}


@dataclass(frozen=True)
class SendMethods:
    """Attributes:
    post: None where no channel is set up; the method is not there then.
    conversations: the keys of all of them.
    """

    post: Post | None
    permission: Permission
    conversations: Callable[[], Awaitable[Iterable[SessionKey]]]

    def methods(self) -> tuple[Method, ...]:
        if self.post is None:
            return ()
        post = self.post

        async def send(given: Given) -> JsonValue:
            return await self._send(post, given)

        asked = {"channel": FILLED, "to": FILLED, "message": _MESSAGE, "accountId": TEXT}
        required = ("channel", "to", "message", "idempotencyKey")
        return (Method("send", send, asked, required, once=True),)

    async def _send(self, post: Post, given: Given) -> JsonValue:
        target = _target(given)
        if not is_known(await self.conversations(), target):
            raise UserInputInvalid(
                "The assistant has no conversation there.",
                hint="Write to it from there first; then it may write back.",
            )
        await self.permission.ask("send", given.params, Effect.MESSAGE)
        run_id = RunId(f"send-{given.key}")
        await post(run_id, target, given.text("message"))
        told: JsonObject = {"channel": target.channel, "to": given.text("to")}
        return {"runId": run_id, **told, "status": "queued"}


def _target(given: Given) -> DeliveryTarget:
    channel, to = given.text("channel").strip().lower(), given.text("to").strip()
    kind, colon, rest = to.partition(":")
    peer = Peer(PeerKind.DM, to)
    if colon and kind in set(PeerKind) and rest:
        peer = Peer(PeerKind(kind), rest)
    return DeliveryTarget(channel, given.text("accountId") or DEFAULT_ACCOUNT, peer)
