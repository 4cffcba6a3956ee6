"""What the commands need of the rest of the program, put together from the assistant's objects.

    ports = command_ports(outside, runs, own_memory)        # the desk gives the last two

`commands.config`, `commands.debug` and `commands.bash` of the settings are read at each use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.context_setup import ConversationContext
from moltbot_desktop.app.memory_slot import SlottedMemory
from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.app.skills_in_chat import SkillsInChat
from moltbot_desktop.config.messages import CommandsConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.access import access_rules
from moltbot_desktop.gateway.commands.ports import (
    AgentPorts,
    AllowedSenders,
    CommandPorts,
    LoadedModel,
    MemoryCommands,
    ModelChoice,
    Modes,
    Overrides,
    Planned,
    Runs,
    Settings,
)
from moltbot_desktop.gateway.desk_commands import ApprovalCards
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.mentions import shown_name
from moltbot_desktop.gateway.undo_desk import UndoDesk
from moltbot_desktop.models.catalogue import CHAT
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.audit import Finding
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer
from moltbot_desktop.sdk.models import ThinkingControl
from moltbot_desktop.sdk.pairing import Contact
from moltbot_desktop.sdk.schedule import Job, JobBook
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.skills.book import SkillBook

_HERE = "local"
_MOST_DIGITS = 16
"""Of a reminder's number; a longer one is none."""


@dataclass(frozen=True)
class Outside:
    """What the assistant is made of, as far as commands look at it.

    Attributes:
        contacts: who was let in on a channel; raises StorageError.
        by_hand: a person types the commands; not what is piped in.
        doctor: looks at what is not safe; blocks.
        model: what the agent's model is called; "" for the one that all have.
        of_agent: what the agent of a conversation has of its own.
    """

    brain: Brain
    setup: ModelSetup
    memory: SlottedMemory
    store: SessionStore
    reminders: ReminderStore
    jobs: JobBook
    approvals: Approvals
    clock: Clock
    in_thread: InThread
    skills: SkillBook
    files: UndoDesk
    conversations: ConversationContext
    commands: Callable[[], CommandsConfig]
    reset_words: Callable[[], tuple[str, ...]]
    raw: Callable[[], JsonObject]
    contacts: Callable[[], Sequence[Contact]]
    written: Settings
    live: Overrides
    seal: Seal
    modes: Modes
    permissions: Permissions
    doctor: Callable[[], Sequence[Finding]]
    by_hand: bool = True
    model: str = ""
    of_agent: Callable[[SessionKey], AgentPorts | None] = lambda _: None


def command_ports(outside: Outside, runs: Runs, own_memory: MemoryCommands) -> CommandPorts:
    """Everything that this build has."""
    return CommandPorts(
        runs=runs,
        sessions=outside.store,
        models=_Models(outside),
        memory=_Memory(outside),
        own_memory=own_memory,
        cards=ApprovalCards(outside.approvals),
        plans=_Plans(outside),
        allowlists=_Allowlists(outside.raw, outside.contacts),
        skills=_skills(outside),
        switches=lambda: _switches(outside.commands()),
        reset_words=outside.reset_words,
        settings=outside.written,
        overrides=outside.live,
        seal=outside.seal,
        modes=outside.modes,
        permissions=outside.permissions,
        doctor=lambda: outside.in_thread(outside.doctor),
        compaction=outside.conversations,
        context=outside.conversations,
        of_agent=outside.of_agent,
        files=outside.files,
    )


def agent_ports(outside: Outside, own_memory: MemoryCommands) -> AgentPorts:
    """What belongs to one agent, whose things `outside` has."""
    return AgentPorts(
        _Models(outside), _Memory(outside), own_memory, _skills(outside), outside.files
    )


def _skills(outside: Outside) -> SkillsInChat:
    return SkillsInChat(outside.skills, outside.in_thread, outside.raw, outside.by_hand)


def _switches(commands: CommandsConfig) -> frozenset[str]:
    shown = {"config": commands.config, "debug": commands.debug, "bash": commands.bash}
    return frozenset(name for name, on in shown.items() if on)


@dataclass(frozen=True)
class _Models:
    """The models of this computer, and those the settings name elsewhere."""

    outside: Outside

    def loaded(self, name: str = "") -> LoadedModel | None:
        info = self.outside.brain.info_of(name or self.outside.model)
        if info is None:
            return None
        note = " ".join(filter(None, (info.kv_reason, info.gpu_reason)))
        thinks = info.thinking is not ThinkingControl.NONE
        return LoadedModel(info.name, info.context_tokens, note=note, thinks=thinks)

    def configured(self, agent: AgentId) -> str:
        if self.outside.model:
            return self.outside.model
        primary = self.outside.setup.remote.choice.primary
        if primary is not None:
            return str(primary)
        try:
            return self.outside.setup.chat_file().stem
        except ModelError as error:
            return error.message

    def known(self, name: str) -> bool:
        setup = self.outside.setup
        ref = setup.remote_named(name)
        if ref is not None:
            if (provider := setup.remote.providers.get(ref.provider)) is None:
                return ref.model in setup.plugin_models.known[ref.provider].chat_models
            listed = {one.id for one in provider.models}
            return ref in setup.remote.choice.all or ref.model in listed
        path = setup.library().path_of(name)
        return path is not None and path != self._embedding_file()

    def _embedding_file(self) -> Path | None:
        try:
            return self.outside.setup.embedding_file()
        except ModelError:
            return None

    async def choices(self) -> Sequence[ModelChoice]:
        return await self.outside.in_thread(self._choices)

    def _choices(self) -> tuple[ModelChoice, ...]:
        setup, remote = self.outside.setup, self.outside.setup.remote
        elsewhere = remote.choice.primary
        try:
            used = setup.chat_file() if elsewhere is None else None
        except ModelError:
            used = None
        here = (
            ModelChoice(one.name, _HERE, current=one.path == used, note=one.problem)
            for one in setup.library().installed()
            if one.kind == CHAT
        )
        there = (
            ModelChoice(str(ref), ref.provider, current=ref == elsewhere)
            for ref in remote.choice.all
        )
        chosen = {str(ref) for ref in remote.choice.all}
        of_plugins = (
            ModelChoice(name, name.partition("/")[0])
            for name in setup.plugin_models.names()
            if name not in chosen
        )
        return (*here, *there, *of_plugins)


@dataclass(frozen=True)
class _Memory:
    outside: Outside

    async def status(self, language: Language) -> MemoryStatus:
        return await self.outside.in_thread(lambda: self.outside.memory.status(language))

    async def search(self, words: str) -> SearchAnswer:
        return await self.outside.in_thread(lambda: self.outside.memory.search(words))


@dataclass(frozen=True)
class _Plans:
    """Reminders, each by its number, and jobs, each by its id or the beginning of it."""

    outside: Outside

    def planned(self) -> Sequence[Planned]:
        here = self.outside.clock.now().tzinfo
        reminders = (
            Planned(str(one.id), one.text, one.due) for one in self.outside.reminders.pending()
        )
        jobs = (
            Planned(job.id, job.draft.name, _due(job, here)) for job in self.outside.jobs.jobs()
        )
        return (*reminders, *jobs)

    def remove(self, id: str) -> bool:
        if id.isdecimal() and len(id) < _MOST_DIGITS and self.outside.reminders.cancel(int(id)):
            return True
        return self.outside.jobs.remove(self.outside.jobs.find(id).id)

    def run(self, id: str) -> bool:
        """A job; a reminder tells itself when it is due, not before."""
        self.outside.jobs.run_soon(self.outside.jobs.find(id).id)
        return True


def _due(job: Job, here: tzinfo | None) -> datetime | None:
    milliseconds = job.state.next_ms
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, here)


@dataclass(frozen=True)
class _Allowlists:
    """Who may write: what the settings of the channels say as they are written, and who was let
    in with a code."""

    raw: Callable[[], JsonObject]
    contacts: Callable[[], Sequence[Contact]]

    def allowed(self) -> Sequence[AllowedSenders]:
        found = []
        channels, contacts = self.raw().get("channels"), self.contacts()
        for channel, settings in channels.items() if isinstance(channels, Mapping) else ():
            if channel == "defaults" or not isinstance(settings, Mapping):
                continue
            accounts = settings.get("accounts")
            for account in accounts if isinstance(accounts, Mapping) else (DEFAULT_ACCOUNT,):
                rules = access_rules(settings, account, name=channel)
                let_in = tuple(
                    shown_name(one.sender)
                    for one in contacts
                    if (one.channel, one.account) == (channel, account)
                )
                found.append(
                    AllowedSenders(channel, account, rules.dm_policy, rules.allow_from, let_in)
                )
        return found
