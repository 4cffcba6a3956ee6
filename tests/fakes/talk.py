"""A conversation with a runner and real transcripts, without desk or window.

async with Talk(tmp_path, model) as talk:
    outcome = await talk.say("What is tea?")
    talk.session.transcript, talk.events
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

from moltbot_desktop.agent.context import ContextLimits
from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.agent.runner import AgentParts, AgentRunner, RunCancel, RunLimits, RunRequest
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.schedule import SystemNotices
from moltbot_desktop.sdk.tools import Tool
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.store import Session, SessionStore

T = TypeVar("T")
MAIN = SessionKey("agent:main:main")


class Prompts(Protocol):
    """What makes the frozen part of prompts, when it is more than a persona."""

    async def prepare(self, session: Session) -> bool: ...

    def mark(self, session: Session) -> str: ...

    def frozen(self, session: Session) -> Sequence[PromptSegment]: ...


async def at_once(call: Callable[[], T]) -> T:
    return call()


@dataclass
class Talk:
    """Opened and closed with `async with`; `session` is the open conversation."""

    home: Path
    model: ChatModel
    tools: tuple[Tool, ...] = ()
    persona: str = "You are Moltbot."
    context: ContextLimits = field(default_factory=ContextLimits)
    limits: RunLimits = field(default_factory=RunLimits)
    key: SessionKey = MAIN
    presence: Presence = Presence.PRESENT
    events: list[RunEvent] = field(default_factory=list)
    usual: RunSettings = field(default_factory=RunSettings)
    lent: list[str] = field(default_factory=list)
    hooks: HookBus = field(default_factory=HookBus)
    notices: SystemNotices | None = None
    found: FoundTools | None = None
    prompts: Prompts | None = None
    approvals: Approvals = field(default_factory=lambda: Approvals(lambda: "card"))
    mode: Mode = Mode.NORMAL

    async def __aenter__(self) -> Talk:
        clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
        self.store = SessionStore(self.home, clock)
        self.session = self.store.open(self.key)
        self.numbers = count(len(self.session.transcript.entries()))
        around = Surroundings(self.home / "workspace", self.home, self.home)
        dispatcher = Dispatcher(
            self.tools, {}, around, self.approvals, at_once, mode=lambda: self.mode
        )
        segments = [PromptSegment("persona", self.persona, Stability.FROZEN)]
        self.runner = AgentRunner(
            AgentParts(
                model=self._lend,
                recaller=None,
                dispatcher=dispatcher,
                workspace=self.home,
                clock=clock,
                frozen_prompt=self.prompts.frozen if self.prompts else lambda _: segments,
                prepare=self.prompts.prepare if self.prompts else None,
                frozen_mark=self.prompts.mark if self.prompts else lambda _: "",
                limits=self.limits,
                book=self.store,
                context=self.context,
                hooks=self.hooks,
                notices=self.notices,
                found=self.found,
                usual=lambda: self.usual,
            )
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.hooks.close()
        self.store.close(self.session)

    @asynccontextmanager
    async def _lend(self, name: str) -> AsyncIterator[ChatModel]:
        self.lent.append(name)
        yield self.model

    async def say(
        self,
        text: str,
        said: Callable[[], tuple[str, ...]] = tuple,
        settings: RunSettings | None = None,
    ) -> RunOutcome:
        run_id = RunId(f"run-{next(self.numbers)}")
        self.session.transcript.append_user(text, run_id)
        request = RunRequest(
            run_id, self.key, text, self.presence, said=said, settings=settings or RunSettings()
        )
        return await self.runner.run(request, self.session, self.events.append, RunCancel())
