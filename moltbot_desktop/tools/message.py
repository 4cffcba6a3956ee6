"""`message`: words to somebody on a channel. It only sends.

    {"channel": "telegram", "target": "group:-100", "message": "The draft is ready."}

To the conversation that it is called in it is a reply, and goes out under the reply's verdict; to
anybody else the owner is asked each time, with the words on the card (policy's last rows).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.outbox import Outbox
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments, ask, text_argument

_LONGEST = 20_000
_PHRASES = Phrases(
    {
        "ask_target": "To whom, and on which channel?",
        "ask_message": "What shall I write?",
        "sent": "Sent to {target} on {channel}.",
    },
    {
        "ask_target": "发给谁？用哪个渠道？",
        "ask_message": "要写什么？",
        "sent": "已通过 {channel} 发给 {target}。",
    },
)


@dataclass(frozen=True)
class Message:
    """`outbox` is asked for at each use, for tools are made before channels are open."""

    outbox: Callable[[], Outbox]

    @property
    def spec(self) -> ToolSpec:
        action: JsonValue = {"type": "string", "enum": ["send"]}
        return ToolSpec(
            "message",
            "Write to somebody on a channel.",
            arguments(
                ("channel", "target", "message"),
                action=action,
                channel=text_argument(),
                target=text_argument("id of a person, or group:<id>, channel:<id>"),
                message={"type": "string", "maxLength": _LONGEST},
                accountId=text_argument(),
            ),
            Effect.MESSAGE,
            core=False,
            keywords="send tell text chat contact group notify 发送 消息 通知 联系人 群",
        )

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        """A reply where it is one."""
        target = _target(given)
        here = target is not None and self.outbox().is_here(context.session, target)
        return Effect.REPLY if here else Effect.MESSAGE

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        target, text = _target(given), given.text("message")
        if target is None:
            return ask("target", _PHRASES.say("ask_target", context.language))
        if not text:
            return ask("message", _PHRASES.say("ask_message", context.language))
        outbox = self.outbox()
        sent = await outbox.send(context.session, target, text)
        here = outbox.is_here(context.session, target)
        slots = {"target": given.text("target"), "channel": target.channel}
        return ToolResult(
            {"status": "queued", "channel": target.channel, "to": given.text("target")},
            _PHRASES.say("sent", context.language, **slots),
            sent=sent if here else "",
        )


def _target(given: ToolInput) -> DeliveryTarget | None:
    channel, to = given.text("channel").lower(), given.text("target")
    kind, colon, rest = to.partition(":")
    if not channel or not to:
        return None
    peer = Peer(PeerKind.DM, to)
    if colon and kind in set(PeerKind) and rest:
        peer = Peer(PeerKind(kind), rest)
    return DeliveryTarget(channel, given.text("accountId") or DEFAULT_ACCOUNT, peer)
