"""One run: what was asked, what surrounds it, and what it has gathered so far."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from moltbot_desktop.agent import follow_up
from moltbot_desktop.agent.dispatch import Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.recall import UsedMemories
from moltbot_desktop.agent.recorded import RecordedCalls
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.agent.texts import PHRASES
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import Usage
from moltbot_desktop.core.run_facts import PromptPiece
from moltbot_desktop.sdk.hooks import AgentContext, AgentStartAnswer
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.schedule import SystemNotice
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.store import Session

NOTHING_SAID = ChatMessage(Role.ASSISTANT, "")


class RunCancel(CancelToken):
    """Told once, stays told."""

    def __init__(self) -> None:
        self._cancelled = asyncio.Event()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        self._cancelled.set()


async def _are_there() -> None:
    """The words were flushed before their run was asked for."""


@dataclass(frozen=True)
class RunRequest:
    """One request of a person.

    Attributes:
        text: what they said; "" for a turn that tells what notices wait, which nobody asked for.
        presence: whether they can answer a card.
        channel: where it came from; "desktop" for the window and the terminal.
        said: what was said since the run began and is meant for it; each is told once.
        settings: what is set for it alone; what it does not set is the conversation's.
        on_disk: waits until the words it begins with are on the disk; raises StorageError when
            they may not be.
        recorded: of a replay, what came of the calls of then; None in every other run.
    """

    run_id: RunId
    key: SessionKey
    text: str
    presence: Presence
    channel: str = "desktop"
    said: Callable[[], tuple[str, ...]] = tuple
    settings: RunSettings = field(default_factory=RunSettings)
    on_disk: Callable[[], Awaitable[None]] = _are_there
    recorded: RecordedCalls | None = None


@dataclass(frozen=True)
class RunLimits:
    """When a run has to end."""

    seconds: int = 600
    tool_calls: int = 12
    reply_tokens: int = 1024
    temperature: float = 0.0


@dataclass
class Progress:
    """What a run has gathered so far.

    Attributes:
        turn: calls, results and corrections, as the model reads them.
        said: what the model said along with its last calls.
        asked: what extensions want of this run's prompt.
        notices: what happened since the last prompt, told with this one.
        stopped: the person stopped the run before this one, which is told too.
        relieved: room was made because the model refused a prompt; that happens once.
        pieces: what its first prompt was made of.
        noted: how it began stands in the transcript.
    """

    turn: list[ChatMessage] = field(default_factory=list)
    recalled: tuple[SearchHit, ...] = ()
    used: UsedMemories = field(default_factory=UsedMemories)
    usage: Usage = field(default_factory=Usage)
    streamed: str = ""
    said: ChatMessage = NOTHING_SAID
    asked: AgentStartAnswer = field(default_factory=AgentStartAnswer)
    notices: tuple[SystemNotice, ...] = ()
    stopped: bool = False
    relieved: bool = False
    pieces: tuple[PromptPiece, ...] = ()
    noted: bool = False


@dataclass(frozen=True)
class Run:
    """The fixed surroundings of one run; `settings` is what holds for it."""

    request: RunRequest
    session: Session
    language: Language
    emitter: RunEmitter
    cancel: RunCancel
    scope: Scope
    context: AgentContext
    progress: Progress
    ended: follow_up.Ended | None
    settings: RunSettings = field(default_factory=RunSettings)

    def say(self, key: str, **values: object) -> str:
        """A sentence of ours in the person's language."""
        return PHRASES.say(key, self.language, **values)
