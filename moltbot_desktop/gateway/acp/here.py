"""The assistant of this very process, for an editor: `EditorAssistant` over the desks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.acp.port import KeptConversation
from moltbot_desktop.gateway.client import CommandHelp, ConversationItem, Listener
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.editors import EditorSide, is_editors
from moltbot_desktop.gateway.handed_files import HandedFile
from moltbot_desktop.gateway.looking_desk import command_help
from moltbot_desktop.gateway.socket_desk import SocketDesk
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.sessions.settings import SessionSettings

_MOST_HISTORY = 1_000


class Kept(Protocol):
    """The conversations that are kept."""

    async def current(self) -> Sequence[SessionInfo]: ...

    def settings(self, key: SessionKey) -> SessionSettings: ...


@dataclass
class HereAssistant:
    """Lives on the agent's event loop."""

    desk: SocketDesk
    sessions: Kept
    language: Language
    answers_cards: bool = True

    @property
    def bare(self) -> bool:
        return self.desk.front.parts.one_request()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        return self.desk.listeners.overhear(listener)

    async def ready(self, key: SessionKey) -> None:
        await self.desk.ready(key)
        self.desk.front.parts.desks.of(key)

    async def known(self, key: SessionKey) -> bool:
        return self.desk.front.parts.store.last_used(key) is not None

    async def say(
        self,
        run_id: RunId,
        key: SessionKey,
        text: str,
        side: EditorSide,
        pictures: Sequence[HandedFile] = (),
    ) -> None:
        if pictures:
            await self.desk.say_with(run_id, key, text, pictures, editor=side)
        else:
            self.desk.say(run_id, key, text, editor=side)

    async def stop(self, key: SessionKey) -> None:
        self.desk.stop(key)

    async def history(self, key: SessionKey) -> Sequence[ConversationItem]:
        return self.desk.history(key, _MOST_HISTORY).items

    async def kept(self) -> Sequence[KeptConversation]:
        return [
            KeptConversation(
                one.key, one.title, self.sessions.settings(one.key).editor_folder, one.updated
            )
            for one in await self.sessions.current()
            if is_editors(one.key)
        ]

    async def commands(self) -> Sequence[CommandHelp]:
        """Without those that only the person's own hand gives (`decisions.by_hand`)."""
        listed = self.desk.front.ports.listed(Who.OWNER)
        return [command_help(one, self.language) for one in listed if not one.by_hand]

    def answer(self, approval_id: ApprovalId, *, allow: bool, term: Term) -> None:
        self.desk.front.answer_approval(approval_id, allow, term)
