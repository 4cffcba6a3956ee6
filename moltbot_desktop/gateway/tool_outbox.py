"""What the `message` tool may send, and how: `sdk.outbox.Outbox` over the mail book.

    outbox = ToolOutbox(desks, current, new_id)
    outbox.post = post            # once channels are open

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
from moltbot_desktop.gateway.known_targets import is_known, is_with
from moltbot_desktop.gateway.outgoing_words import without_new_links
from moltbot_desktop.gateway.reply_gate import heard_in
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.sdk.channels import DeliveryTarget
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.security.labels import Labels


@dataclass
class ToolOutbox:
    """Lives on the agent's event loop.

    Attributes:
        current: the conversations there are.
        post: None while no channel is set up.
    """

    desks: SessionDesks
    current: Callable[[], Awaitable[Sequence[SessionInfo]]]
    new_id: Callable[[], str]
    post: Post | None = None

    def is_here(self, session: SessionKey, target: DeliveryTarget) -> bool:
        return is_with(session, target)

    async def send(self, session: SessionKey, target: DeliveryTarget, text: str) -> str:
        if self.post is None:
            raise ChannelRefused("No channel is set up here.", hint="Say it to the person here.")
        if not is_known([one.key for one in await self.current()], target):
            raise UserInputInvalid(
                "The assistant has no conversation there.",
                hint="They write first; then it may write back.",
            )
        words = self._outgoing(session, text)
        await self.post(RunId(f"message-{self.new_id()}"), target, words)
        return words

    def _outgoing(self, session: SessionKey, text: str) -> str:
        """What is not known counts as tainted, and as said by nobody."""
        known = self.desks.session_of(session)
        if known is None:
            return without_new_links(text, (), language_of(text))
        if not Labels.from_mapping(known.transcript.labels()).untrusted:
            return text
        return without_new_links(text, heard_in(known.transcript.entries()), language_of(text))
