"""The ports of the commands, each in a few lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    LoadedModel,
    ModelChoice,
    Planned,
    RunState,
    SkillName,
    Trusted,
    WaitingCard,
)
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer
from moltbot_desktop.sdk.models import ModelInfo, ThinkingControl
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.memory import FakeMemory

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


@dataclass
class FakeRuns:
    """Says what it was told to say and keeps what was asked of it."""

    now: RunState = field(default_factory=RunState)
    done: list[str] = field(default_factory=list)

    def state(self, session: SessionKey) -> RunState:
        return self.now

    def stop(self, session: SessionKey) -> bool:
        self.done.append(f"stop {session}")
        return self.now.running

    def start_new(self, session: SessionKey) -> None:
        self.done.append(f"new {session}")


@dataclass
class FakeSessions:
    kept: SessionSettings = field(default_factory=SessionSettings)

    def settings(self, key: SessionKey) -> SessionSettings:
        return self.kept

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings:
        self.kept = change(self.kept)
        return self.kept


@dataclass
class FakeModels:
    info: Callable[[], ModelInfo | None] = lambda: None
    names: tuple[str, ...] = ("small", "lab/large")

    def loaded(self, name: str = "") -> LoadedModel | None:
        info = self.info()
        note = " ".join(filter(None, (info.kv_reason, info.gpu_reason))) if info else ""
        if info is None:
            return None
        thinks = info.thinking is not ThinkingControl.NONE
        return LoadedModel(info.name, info.context_tokens, note=note, thinks=thinks)

    def configured(self, agent: AgentId) -> str:
        return "starter"

    def known(self, name: str) -> bool:
        return name in self.names

    async def choices(self) -> Sequence[ModelChoice]:
        return [ModelChoice(name, name.partition("/")[0]) for name in self.names]


@dataclass
class FakeMemoryPort:
    memory: FakeMemory = field(default_factory=FakeMemory)

    async def status(self, language: Language) -> MemoryStatus:
        return self.memory.status(language)

    async def search(self, words: str) -> SearchAnswer:
        return self.memory.search(words)


@dataclass
class FakeOwnMemory:
    async def inbox(self, name: str, rest: str, language: Language) -> str:
        return f"{name} {rest}".strip()

    def unforget(self, language: Language) -> str:
        return "back"

    def erase(self, words: str, language: Language) -> str:
        return f"erased {words}"


@dataclass
class FakeCards:
    cards: tuple[WaitingCard, ...] = ()
    answers: list[tuple[str, str]] = field(default_factory=list)

    def waiting(self) -> Sequence[WaitingCard]:
        return self.cards

    def answer(self, card: str, *, allow: bool, term: Term) -> bool:
        self.answers.append((card, term.value if allow else "no"))
        return True


@dataclass
class FakePlans:
    kept: list[Planned] = field(default_factory=list)

    def planned(self) -> Sequence[Planned]:
        return self.kept

    def remove(self, id: str) -> bool:
        before = len(self.kept)
        self.kept = [one for one in self.kept if one.id != id]
        return len(self.kept) < before

    def run(self, id: str) -> bool:
        return id in {one.id for one in self.kept}


@dataclass
class FakeSkills:
    names: tuple[SkillName, ...] = (
        SkillName("weather", "Tells the weather"),
        SkillName("music", "Plays music", why_not="no player is installed"),
    )

    async def skills(self, session: SessionKey, language: Language) -> Sequence[SkillName]:
        return self.names

    async def trust(self, name: str, language: Language, *, anyway: bool) -> Trusted | None:
        if name == "shed":
            doubts = () if anyway else ("SKILL.md:3: it pipes to a shell",)
            return Trusted(name, "", doubts, waits=not anyway)
        return Trusted(name, "+new line", waits=not anyway) if name == "garden" else None

    async def untrust(self, name: str, language: Language) -> str | None:
        return name if name == "garden" else None


class FakeSkillStart:
    async def start(self, call: CommandCall, skill: SkillName, request: str) -> CommandReply:
        return CommandReply(f"{skill.name}: {request}")


def fake_ports() -> CommandPorts:
    """All that there must be; `replace` puts one's own in."""
    return CommandPorts(
        runs=FakeRuns(),
        sessions=FakeSessions(),
        models=FakeModels(),
        memory=FakeMemoryPort(),
        own_memory=FakeOwnMemory(),
        cards=FakeCards(),
        plans=FakePlans(),
        skills=FakeSkills(),
        switches=frozenset,
        reset_words=tuple,
    )


def desk_ports(info: Callable[[], ModelInfo | None], memory: FakeMemory) -> CommandPorts:
    """For a front desk, which puts its own parts in."""
    return replace(fake_ports(), models=FakeModels(info), memory=FakeMemoryPort(memory))
