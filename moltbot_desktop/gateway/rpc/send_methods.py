"""`send`: words to somebody on a channel, as the reference has it.

    send  {channel, to, message, path?, accountId?, idempotencyKey}  → {runId, channel, to, status}

`to` is the platform's id of a person, or ``group:<id>``, ``channel:<id>``. It must be somebody the
assistant has a conversation with, and the owner must say yes to the very words, at the window.
They lie in the outbox when this answers, and are sent from there, once, also after a restart.
`path` is a file of the workspace that goes behind them: copied before the owner is asked, so that
what the card names, with its size, is what goes. No other path in a request opens a file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from moltbot_desktop.core.errors import ChannelRefused, UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.known_targets import is_known
from moltbot_desktop.gateway.rpc.cron_methods import Permission
from moltbot_desktop.gateway.rpc.methods import FILLED, TEXT, Given, Method
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, Attachment, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.outbox import shown_size
from moltbot_desktop.sdk.tools import Effect

_LONGEST = 20_000
_MESSAGE: JsonObject = {**FILLED, "maxLength": _LONGEST}


@dataclass(frozen=True)
class SendMethods:
    """Attributes:
    post: sends something that answers no message.
    conversations: the keys of all of them.
    keep: a copy of a file of the workspace, for that target.
    is_open: whether a channel was opened; nobody is asked for a yes that can lead to nothing.
    """

    post: Post
    permission: Permission
    conversations: Callable[[], Awaitable[Iterable[SessionKey]]]
    keep: Callable[[str, DeliveryTarget], Awaitable[Attachment]]
    is_open: Callable[[], bool] = lambda: True

    def methods(self) -> tuple[Method, ...]:
        whom = {"channel": FILLED, "to": FILLED, "accountId": TEXT}
        asked = {**whom, "message": _MESSAGE, "path": TEXT}
        required = ("channel", "to", "message", "idempotencyKey")
        return (Method("send", self._send, asked, required, once=True),)

    async def _send(self, given: Given) -> JsonValue:
        target = _target(given)
        if not self.is_open():
            raise ChannelRefused("No channel is set up here.", hint="Add one under channels first.")
        if not is_known(await self.conversations(), target):
            raise UserInputInvalid(
                "The assistant has no conversation there.",
                hint="Write to it from there first; then it may write back.",
            )
        shown, files = given.params, tuple[Attachment, ...]()
        if path := given.text("path"):
            copy = await self.keep(path, target)
            shown, files = {**shown, "size": shown_size(copy.path.stat().st_size)}, (copy,)
        await self.permission.ask("send", shown, Effect.MESSAGE)
        run_id = RunId(f"send-{given.key}")
        await self.post(run_id, target, given.text("message"), files)
        told: JsonObject = {"channel": target.channel, "to": given.text("to")}
        return {"runId": run_id, **told, "status": "queued"}


def _target(given: Given) -> DeliveryTarget:
    channel, to = given.text("channel").strip().lower(), given.text("to").strip()
    kind, colon, rest = to.partition(":")
    peer = Peer(PeerKind.DM, to)
    if colon and kind in set(PeerKind) and rest:
        peer = Peer(PeerKind(kind), rest)
    return DeliveryTarget(channel, given.text("accountId") or DEFAULT_ACCOUNT, peer)
