"""What the `message` tool may send, and how: `sdk.outbox.Outbox` over the mail book.

    outbox = ToolOutbox(desks, current, new_id)
    outbox.post = post            # once channels are open
    outbox.messages = own_messages

Whom it goes to must be somebody the assistant has a conversation with; the verdict was given
before, by the dispatcher. A message lies in the outbox when the tool has its result, and is sent
from there, once, also after a restart.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.errors import ChannelRefused, UserInputInvalid
from moltbot_desktop.core.i18n import language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.drafts import GetActions
from moltbot_desktop.gateway.hooked_outgoing import Edit
from moltbot_desktop.gateway.known_targets import is_known, is_with
from moltbot_desktop.gateway.outgoing_words import without_new_links
from moltbot_desktop.gateway.reply_gate import heard_in
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.sdk.channel_abilities import ChannelActions
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage
from moltbot_desktop.sdk.outbox import FileOut
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.security.labels import Labels

Keep = Callable[[FileOut, DeliveryTarget], Awaitable[Attachment]]
"""A copy of a file that may go there (`OutgoingFiles.keep`)."""


@dataclass(frozen=True)
class OwnMessages:
    """What can be done with messages that are there; of the open channels.

    Attributes:
        actions: an account's, while it is connected.
        own, heard: the platform's id of a message that the assistant wrote to a target, or that
            came from there: of the one that is asked for, or else the last; "" for none.
        edit: how words of an account's message are changed, extensions asked.
    """

    actions: GetActions
    own: Callable[[DeliveryTarget, str], Awaitable[str]]
    heard: Callable[[DeliveryTarget, str], Awaitable[str]]
    edit: Callable[[ChannelActions], Edit]


@dataclass
class ToolOutbox:
    """Lives on the agent's event loop.

    Attributes:
        current: the conversations there are.
        post, messages, keep: None while no channel is set up.
    """

    desks: SessionDesks
    current: Callable[[], Awaitable[Sequence[SessionInfo]]]
    new_id: Callable[[], str]
    post: Post | None = None
    messages: OwnMessages | None = None
    keep: Keep | None = None

    def is_here(self, session: SessionKey, target: DeliveryTarget) -> bool:
        return is_with(session, target)

    async def send(
        self, session: SessionKey, target: DeliveryTarget, text: str, file: FileOut | None = None
    ) -> str:
        if self.post is None:
            raise _no_channel()
        await self._check(target)
        words = self._outgoing(session, text)
        run_id = RunId(f"message-{self.new_id()}")
        if file is None:
            await self.post(run_id, target, words)
        elif self.keep is None:
            raise _no_channel()
        else:
            await self.post(run_id, target, words, (await self.keep(file, target),))
        return words

    async def edit(
        self, session: SessionKey, target: DeliveryTarget, text: str, message_id: str = ""
    ) -> str:
        actions, known = await self._found(target, message_id, own=True)
        words = self._outgoing(session, text)
        if (size := actions.capabilities.unit.size(words)) > actions.capabilities.text_limit:
            raise UserInputInvalid(
                f"{size} is more than one message takes there.", hint="Say it in fewer words."
            )
        return await self._there.edit(actions)(known, OutboundMessage(target, words))

    async def delete(self, session: SessionKey, target: DeliveryTarget, message_id: str) -> None:
        actions, known = await self._found(target, message_id, own=True)
        await actions.delete(target, known)

    async def react(
        self,
        session: SessionKey,
        target: DeliveryTarget,
        emoji: str,
        message_id: str = "",
        *,
        remove: bool = False,
    ) -> None:
        actions, known = await self._found(target, message_id, own=False)
        await actions.react(target, known, emoji, remove=remove)

    @property
    def _there(self) -> OwnMessages:
        if self.messages is None:
            raise _no_channel()
        return self.messages

    async def _found(
        self, target: DeliveryTarget, message_id: str, *, own: bool
    ) -> tuple[ChannelActions, str]:
        """Who can do it, and with which message."""
        there = self._there
        await self._check(target)
        actions = there.actions(target.channel, target.account)
        if actions is None:
            raise ChannelRefused(
                "That channel is not connected, or can do nothing with what was sent.",
                hint="moltbot-desktop channels status says how it stands.",
            )
        look = there.own if own else there.heard
        known = await look(target, message_id)
        if not known:
            raise UserInputInvalid(
                "No such message of mine is known there."
                if own
                else "No such message is known there.",
                hint="Leave the id out for the last one.",
            )
        return actions, known

    async def _check(self, target: DeliveryTarget) -> None:
        if not is_known([one.key for one in await self.current()], target):
            raise UserInputInvalid(
                "The assistant has no conversation there.",
                hint="They write first; then it may write back.",
            )

    def _outgoing(self, session: SessionKey, text: str) -> str:
        """What is not known counts as tainted, and as said by nobody."""
        known = self.desks.session_of(session)
        if known is None:
            return without_new_links(text, (), language_of(text))
        if not Labels.from_mapping(known.transcript.labels()).untrusted:
            return text
        return without_new_links(text, heard_in(known.transcript.entries()), language_of(text))


def _no_channel() -> ChannelRefused:
    return ChannelRefused("No channel is set up here.", hint="Say it to the person here.")
