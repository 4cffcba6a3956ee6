"""`message`: words to somebody on a channel, and what becomes of them: changed, taken back; a mark
under what somebody wrote.

    {"channel": "telegram", "target": "group:-100", "message": "The draft is ready."}
    {"action": "edit", "channel": "telegram", "target": "7", "message": "It is done."}
    {"action": "react", "channel": "telegram", "target": "7", "emoji": "👍"}

    {"channel": "telegram", "target": "7", "message": "Here.", "path": "plots/tea.png"}

Only the assistant's own messages are changed or taken back. Each of these is seen by whoever is
there, so each goes under the verdict of a message to them.

To the conversation that it is called in it is a reply, and goes out under the reply's verdict; to
anybody else the owner is asked each time, with the words on the card (policy's last rows). A file
has a row of its own, and what was on the card is what is sent: the file is known by its identity.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.foreseen import Foreseen
from moltbot_desktop.sdk.outbox import FileOut, Outbox, shown_size
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.paths import identity, resolve_inside
from moltbot_desktop.tools.file_access import path_argument
from moltbot_desktop.tools.replies import arguments, ask, text_argument

_LONGEST = 20_000
_TITLE = 160
_LONGEST_EMOJI = 32
"""Characters; some platforms name them, as ``party-parrot``."""
_PHRASES = Phrases(
    {
        "ask_target": "To whom, and on which channel?",
        "ask_message": "What shall I write?",
        "sent": "Sent to {target} on {channel}.",
        "file": "send the file “{name}” ({size}) to {target} on {channel}",
        "file_words": "send the file “{name}” ({size}) to {target} on {channel}: “{message}”",
        "ask_emoji": "Which emoji?",
        "edited": "Changed what I wrote to {target} on {channel}.",
        "deleted": "Took back what I wrote to {target} on {channel}.",
        "reacted": "Reacted with {emoji}.",
        "unreacted": "Took {emoji} away.",
    },
    {
        "ask_target": "发给谁？用哪个渠道？",
        "ask_message": "要写什么？",
        "sent": "已通过 {channel} 发给 {target}。",
        "file": "通过 {channel} 把文件“{name}”（{size}）发给 {target}",
        "file_words": "通过 {channel} 把文件“{name}”（{size}）发给 {target}：“{message}”",
        "ask_emoji": "用哪个表情？",
        "edited": "已修改在 {channel} 上发给 {target} 的消息。",
        "deleted": "已撤回在 {channel} 上发给 {target} 的消息。",
        "reacted": "已用 {emoji} 回应。",
        "unreacted": "已取消 {emoji}。",
    },
)


@dataclass(frozen=True)
class Message:
    """`outbox` is asked for at each use, for tools are made before channels are open."""

    outbox: Callable[[], Outbox]

    @property
    def spec(self) -> ToolSpec:
        action: JsonValue = {"type": "string", "enum": ["send", "edit", "delete", "react"]}
        return ToolSpec(
            "message",
            "Write to somebody on a channel, change or take back what you wrote, or react.",
            arguments(
                ("channel", "target"),
                action=action,
                channel=text_argument(),
                target=text_argument("id of a person, or group:<id>, channel:<id>"),
                message={"type": "string", "maxLength": _LONGEST},
                messageId=text_argument("the last one if left out"),
                path=text_argument("a file of the workspace to send along"),
                emoji={"type": "string", "maxLength": _LONGEST_EMOJI},
                remove={"type": "boolean"},
                accountId=text_argument(),
            ),
            Effect.MESSAGE,
            core=False,
            path_arguments=("path",),
            keywords="send tell text chat contact group file picture react edit delete"
            " 发送 消息 联系人 群 文件 图片 撤回",
            aliases=(("media", "path"), ("filePath", "path")),
        )

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        """A reply where it is one. What a group gets, others get who have asked for nothing."""
        target = _target(given)
        if target is None or not self.outbox().is_here(context.session, target):
            return Effect.MESSAGE
        if not path_argument(given):
            return Effect.REPLY
        alone = target.peer is not None and target.peer.kind is PeerKind.DM
        return Effect.SEND_FILE if alone else Effect.MESSAGE

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        """See `ForeseeingTool`: which file the card is about."""
        target, path = _target(given), path_argument(given)
        if target is None or not path:
            return Foreseen("")
        found = _seen(path, context)
        if found is None:
            return Foreseen("", "nothing")  # the call says what is wrong
        text = " ".join(given.text("message").split())
        return Foreseen(
            _PHRASES.say(
                "file_words" if text else "file",
                context.language,
                name=path,
                size=shown_size(found.st_size),
                target=given.text("target"),
                channel=target.channel,
                message=text if len(text) <= _TITLE else f"{text[:_TITLE]}…",
            ),
            identity(found),
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        target = _target(given)
        if target is None:
            return ask("target", _PHRASES.say("ask_target", context.language))
        match given.text("action", "send"):
            case "delete":
                known = given.text("messageId")
                await self.outbox().delete(context.session, target, known)
                return self._done("deleted", given, target, context)
            case "react":
                return await self._react(given, target, context)
            case action:
                return await self._write(given, target, context, edit=action == "edit")

    async def _write(
        self, given: ToolInput, target: DeliveryTarget, context: ToolContext, *, edit: bool
    ) -> ToolResult:
        text, outbox = given.text("message"), self.outbox()
        path = "" if edit else path_argument(given)
        if not text and not path:
            return ask("message", _PHRASES.say("ask_message", context.language))
        if edit:
            await outbox.edit(context.session, target, text, given.text("messageId"))
            return self._done("edited", given, target, context)
        file = FileOut(context.workspace, path, context.judged) if path else None
        sent = await outbox.send(context.session, target, text, file)
        here = outbox.is_here(context.session, target)
        return self._done("sent", given, target, context, sent if here else "")

    async def _react(
        self, given: ToolInput, target: DeliveryTarget, context: ToolContext
    ) -> ToolResult:
        emoji = given.text("emoji").strip().strip(":")
        if not emoji or len(emoji.split()) > 1:
            return ask("emoji", _PHRASES.say("ask_emoji", context.language))
        remove = given.arguments.get("remove") is True
        known = given.text("messageId")
        await self.outbox().react(context.session, target, emoji, known, remove=remove)
        return self._done("unreacted" if remove else "reacted", given, target, context)

    def _done(
        self,
        what: str,
        given: ToolInput,
        target: DeliveryTarget,
        context: ToolContext,
        sent: str = "",
    ) -> ToolResult:
        to = given.text("target")
        emoji = given.text("emoji").strip().strip(":")
        slots = {"target": to, "channel": target.channel, "emoji": emoji}
        status = "queued" if what == "sent" else what
        return ToolResult(
            {"status": status, "channel": target.channel, "to": to},
            _PHRASES.say(what, context.language, **slots),
            sent=sent,
        )


def _seen(path: str, context: ToolContext) -> os.stat_result | None:
    try:
        return resolve_inside(context.workspace, path).stat()
    except (PathRefused, OSError):
        return None


def _target(given: ToolInput) -> DeliveryTarget | None:
    channel, to = given.text("channel").lower(), given.text("target")
    kind, colon, rest = to.partition(":")
    if not channel or not to:
        return None
    peer = Peer(PeerKind.DM, to)
    if colon and kind in set(PeerKind) and rest:
        peer = Peer(PeerKind(kind), rest)
    return DeliveryTarget(channel, given.text("accountId") or DEFAULT_ACCOUNT, peer)
