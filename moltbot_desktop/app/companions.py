"""Helpers and the other conversations, put together for the agents' tools and for /subagents.

companions = Companions(made, commands, screen, tell)
book = AgentBook(made, AgentNeeds(approvals, companions.tools, companions.lent, tell), stack)
helpers = companions.open(desks, lambda: front, listeners)      # CommandPorts.helpers
...                                                             # the front desk is opened
helpers.recover()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.app.agent_setup import agent_tools
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.app.desk_tools import desk_tools
from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.app.screen_setup import Screen
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.helper_book import HelperBook
from moltbot_desktop.gateway.helper_desk import HelperDesk, HelperParts, HelperRules
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.gateway.other_sessions import AgentsTalk, OtherParts, OtherSessions
from moltbot_desktop.gateway.own_turns import OwnTurns
from moltbot_desktop.gateway.session_desks import DeskRuns, SessionDesks
from moltbot_desktop.gateway.tool_outbox import Keep, OwnMessages, ToolOutbox
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.sdk.session_access import SessionAccess
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.sdk.tools import AnyTool, Effect
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import normalise_agent_id
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.tools.message import Message
from moltbot_desktop.tools.sessions import session_tools

LENT_EFFECTS = MappingProxyType({"message": Effect.MESSAGE})
"""What the tools of `Companions.lent` do, by name; `message` may leave the world different."""


@dataclass
class Companions:
    """Lives on the agent's event loop."""

    made: Made
    commands: Commands
    screen: Screen
    tell: Callable[[ClientEvent], None]
    _access: OtherSessions | None = field(default=None, init=False)
    _mail: ToolOutbox | None = field(default=None, init=False)
    _message: tuple[AnyTool, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._message = (Message(self._outbox),)

    def tools(self, made: Made) -> Sequence[AnyTool]:
        """All tools of an agent. A script has ended before a helper could say anything."""
        hands = (*self.commands.tools(made), *desk_tools(made, self.tell), *self.screen.tools())
        own = (*agent_tools(made), *hands)
        if made.options.presence is Presence.SCRIPT:
            return own
        return [*own, *session_tools(self._opened)]

    def lent(self) -> Sequence[AnyTool]:
        """Tools that come and go with the settings: `message`, while they have a channel."""
        stays = self.made.options.stays
        return self._message if stays and self.made.live.config.raw.get("channels") else ()

    def channels_are_open(self, post: Post, messages: OwnMessages, keep: Keep) -> None:
        """`post`: sends something that answers no message. `messages`: what can be done with those
        that were sent. `keep`: copies a file to send."""
        outbox = self._outbox()
        outbox.post, outbox.messages, outbox.keep = post, messages, keep

    def open(
        self, desks: SessionDesks, front: Callable[[], FrontDesk], listeners: Listeners
    ) -> HelperDesk:
        """Call it once, before the front desk is made."""
        made = self.made

        def tell(event: ClientEvent) -> None:
            OwnTurns(front(), listeners, new_id).tell(event)

        def take_turn(key: SessionKey) -> bool:
            return OwnTurns(front(), listeners, new_id).take(key)

        async def put_away(key: SessionKey, delete: bool) -> None:
            desks.let_go(key)
            if delete:
                await made.in_thread(lambda: self._library().delete(key))
            else:
                await made.in_thread(lambda: self._library().archive(key, away=True))

        async def status(key: SessionKey, language: Language) -> str:
            commands = CommandDesk(replace(front().ports, runs=DeskRuns(desks)))
            return (await commands.answer(CommandCall("status", "", key, language))).text

        helpers = HelperDesk(
            HelperParts(
                desks=desks,
                store=made.store,
                book=HelperBook(made.paths.home / "subagents" / "runs.json"),
                clock=made.clock,
                new_id=new_id,
                rules=self._rules,
                model_known=lambda name: front().ports.models.known(name),
                tell=tell,
                warn=listeners.tell,
                notify=made.schedule.notices.add,
                take_turn=take_turn,
                put_away=put_away,
                language=made.options.language,
            )
        )
        self._mail = ToolOutbox(desks, self._current, new_id)
        self._access = OtherSessions(
            OtherParts(
                desks=desks,
                clock=made.clock,
                new_id=new_id,
                current=self._current,
                talk=self._talk,
                status=status,
                tell=tell,
                notify=made.schedule.notices.add,
                take_turn=take_turn,
                language=made.options.language,
            ),
            helpers,
        )
        return helpers

    def _opened(self) -> SessionAccess:
        assert self._access is not None  # no run begins before the desks are open
        return self._access

    def _outbox(self) -> ToolOutbox:
        assert self._mail is not None
        return self._mail

    def _library(self) -> StoredSessions:
        """For one use: a store belongs to one thread."""
        return StoredSessions(SessionStore(self.made.paths.home, self.made.clock), self.made.clock)

    async def _current(self) -> Sequence[SessionInfo]:
        found = await self.made.in_thread(lambda: self._library().sessions())
        return tuple(one for one in found if one.current and one.key)

    def _rules(self, agent: AgentId) -> HelperRules:
        config = self.made.live.config
        own = next((one for one in config.agents if normalise_agent_id(one.id) == agent), None)
        settings = config.agent.subagents
        return HelperRules(
            at_once=settings.max_concurrent,
            archive_minutes=settings.archive_after_minutes,
            agents=own.subagents.allow_agents if own is not None else (),
            known=frozenset(normalise_agent_id(one.id) for one in config.agents) | {agent},
            model=(own.subagents.model if own is not None else None) or settings.model or "",
        )

    def _talk(self) -> AgentsTalk:
        config = self.made.live.config
        between = config.tools.agent_to_agent
        turns = config.session.agent_to_agent_max_ping_pong
        return AgentsTalk(between.enabled, between.allow, turns)
