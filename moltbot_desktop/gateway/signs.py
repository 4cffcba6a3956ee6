"""That a message was seen and is being answered: a reaction under it, and the sign for typing.

    signs = desk.of(envelope, SignRules(ack="👀", typing=TypingMode.INSTANT))
    signs.begin()                       # the message goes to an agent
    signs.happened(event)               # what its run tells

Both are courtesies. One that a platform does not take is left out, and nobody is told.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from enum import StrEnum

from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import AssistantDelta, RunEnded, RunEvent, RunStarted
from moltbot_desktop.gateway.drafts import GetActions
from moltbot_desktop.sdk.channel_abilities import ChannelActions
from moltbot_desktop.sdk.channels import Envelope, PeerKind

LONGEST_SECONDS = 600.0
"""A sign that goes on for longer says nothing any more."""
USUAL_ACK = "👀"
_log = logging.getLogger(__name__)


class TypingMode(StrEnum):
    """When the sign for typing begins."""

    NEVER = "never"
    INSTANT = "instant"
    THINKING = "thinking"
    MESSAGE = "message"


@dataclass(frozen=True)
class SignRules:
    """Attributes:
    ack: emoji under a message that is answered, "" for none.
    remove_ack: it goes when the answer is there.
    again: seconds after which the sign for typing is shown again.
    """

    ack: str = ""
    remove_ack: bool = False
    typing: TypingMode = TypingMode.NEVER
    again: float = 6.0


def sign_rules(config: Config, envelope: Envelope, agent: str) -> SignRules:
    """What the settings say for a message that `agent` answers."""
    said = config.messages
    group = envelope.peer is not None and envelope.peer.kind is not PeerKind.DM
    # Where the platform cannot say who was addressed, a message that is answered was meant.
    named = group and envelope.mentioned is not False
    wanted = {
        "all": True,
        "direct": not group,
        "group-all": group,
        "group-mentions": named,
    }[said.ack_reaction_scope]
    usual = config.agent_entry(agent).identity.emoji or USUAL_ACK
    ack = usual if said.ack_reaction is None else said.ack_reaction
    mode = config.agent.typing_mode
    usual_mode = TypingMode.MESSAGE if group and not named else TypingMode.INSTANT
    return SignRules(
        ack if wanted else "",
        said.remove_ack_after_reply,
        usual_mode if mode is None else TypingMode(mode),
        float(config.agent.typing_interval_seconds),
    )


class SignDesk:
    """Lives on the agent's event loop."""

    def __init__(self, actions: GetActions) -> None:
        self._actions = actions
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, envelope: Envelope, rules: SignRules) -> Signs:
        """Those of one message."""
        return Signs(self, envelope, rules)

    def close(self) -> None:
        """Show nothing any more."""
        for task in self._tasks:
            task.cancel()

    def actions(self, envelope: Envelope) -> ChannelActions | None:
        """Of the account that the message came to, while it is connected."""
        return self._actions(envelope.channel, envelope.account)

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """See a courtesy through, whatever becomes of it."""
        task = asyncio.get_running_loop().create_task(_courteous(work), name="sign")
        self._tasks.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("a sign broke", exc_info=error)


@dataclass
class Signs:
    """Listens to the run that answers one message."""

    desk: SignDesk
    envelope: Envelope
    rules: SignRules
    _begun: bool = field(default=False, init=False)
    _over: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def begin(self) -> None:
        """The message was seen."""
        actions = self.desk.actions(self.envelope)
        if self.rules.ack and actions is not None and actions.capabilities.react:
            self.desk.start(self._react(actions, remove=False))

    def happened(self, event: RunEvent) -> None:
        """Begin and end with the run."""
        match event:
            case RunStarted() if self.rules.typing is TypingMode.INSTANT:
                self._type()
            case AssistantDelta(thinking=True) if self.rules.typing is TypingMode.THINKING:
                self._type()
            case AssistantDelta(thinking=False) if self.rules.typing is not TypingMode.NEVER:
                self._type()
            case RunEnded():
                self._end()

    def _type(self) -> None:
        actions = self.desk.actions(self.envelope)
        if self._begun or actions is None or not actions.capabilities.typing_seconds:
            return
        self._begun = True
        self.desk.start(self._type_on(actions))

    async def _type_on(self, actions: ChannelActions) -> None:
        # Again a moment before the platform would take it away.
        again = min(self.rules.again, max(1.0, actions.capabilities.typing_seconds - 1))
        for _ in range(int(LONGEST_SECONDS / again)):
            # A call that is on its way is let through: half a request costs a connection.
            await actions.show_typing(self.envelope.reply_target)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(again):
                    await self._over.wait()
            if self._over.is_set():
                return

    def _end(self) -> None:
        self._over.set()
        actions = self.desk.actions(self.envelope)
        if self.rules.ack and self.rules.remove_ack and actions is not None:
            self.desk.start(self._react(actions, remove=True))

    async def _react(self, actions: ChannelActions, *, remove: bool) -> None:
        target, emoji = self.envelope.reply_target, self.rules.ack
        if self.envelope.message_id:
            await actions.react(target, self.envelope.message_id, emoji, remove=remove)


async def _courteous(work: Coroutine[None, None, None]) -> None:
    try:
        await work
    except MoltbotError as error:
        _log.info("a sign is left out: %s", error)
