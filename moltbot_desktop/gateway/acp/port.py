"""What the agent for editors needs of an assistant, whichever process it is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.client import CommandHelp, ConversationItem, Listener
from moltbot_desktop.gateway.editors import EditorSide
from moltbot_desktop.gateway.handed_files import HandedFile


@dataclass(frozen=True)
class KeptConversation:
    """One in an editor, begun earlier; `updated` is ISO 8601 or ""."""

    key: SessionKey
    title: str
    folder: str
    updated: str


class EditorAssistant(Protocol):
    """Lives on the event loop. Every call may raise MoltbotError.

    Attributes:
        answers_cards: cards are answered in the editor; else in the window of the Moltbot that
            runs already.
        bare: the model reads one request and nothing around it.
    """

    @property
    def answers_cards(self) -> bool: ...

    @property
    def bare(self) -> bool: ...

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with all that is told from now on."""
        ...

    async def ready(self, key: SessionKey) -> None:
        """The conversation can be used; StoreBusy where another process does."""
        ...

    async def known(self, key: SessionKey) -> bool:
        """Whether something was said there."""
        ...

    async def say(
        self,
        run_id: RunId,
        key: SessionKey,
        text: str,
        side: EditorSide,
        pictures: Sequence[HandedFile] = (),
    ) -> None:
        """`text` may be empty beside pictures."""
        ...

    async def stop(self, key: SessionKey) -> None: ...

    async def history(self, key: SessionKey) -> Sequence[ConversationItem]: ...

    async def kept(self) -> Sequence[KeptConversation]:
        """Those in editors, the latest first."""
        ...

    async def commands(self) -> Sequence[CommandHelp]: ...

    def answer(self, approval_id: ApprovalId, *, allow: bool, term: Term) -> None: ...
