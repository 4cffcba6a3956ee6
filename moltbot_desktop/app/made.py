"""What the assistant is made of, before anybody talks to it: model, memory, stores, hooks.

    made = await make(stack, paths, loaded, clock, options, tell)
    ... made.brain, made.memory, made.store ...
    for notice in problems(made): ...

`stack` closes it all, newest first.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.app.activity_desk import StoredActivity
from moltbot_desktop.app.agent_plan import (
    AgentPlan,
    agent_ids,
    agent_plan,
    agent_problems,
    model_name,
    named_agent,
)
from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.browser_setup import browser_house
from moltbot_desktop.app.conversations_desk import KeptConversations
from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.hooks import Hooks, open_hooks, problem_words, workspaces_of
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.memory_desk import MemoryBooks
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.memory_slot import SlotNeeds, SlottedMemory, memory_way
from moltbot_desktop.app.model_setup import ModelSetup, OpenEmbedder, read_model_setup
from moltbot_desktop.app.model_texts import PHRASES
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.planned_desk import BookedPlans
from moltbot_desktop.app.plugin_effects import PluginEffects
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.room_skills import skill_list_problems
from moltbot_desktop.app.schedule import (
    Schedule,
    open_schedule,
)
from moltbot_desktop.app.settings_now import SettingsNow
from moltbot_desktop.app.skills_setup import open_skills, waiting_notices
from moltbot_desktop.app.tool_policies import ToolPolicies
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.config.agent_list import AgentEntry
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.acp.here import HereAssistant
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.rpc.door import Door
from moltbot_desktop.gateway.standby import STANDBY_FILE, Standby
from moltbot_desktop.memory.engine import (
    MarkdownMemory,
    indexed_with,
)
from moltbot_desktop.memory.inbox import FileInbox
from moltbot_desktop.models.remote.fallback import ModelSwitched
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.clipboard import Clipboard
from moltbot_desktop.sdk.desktop import ControlFace
from moltbot_desktop.sdk.models import ChatModel, ModelInfo
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.skills.book import SkillBook
from moltbot_desktop.tools.browser.house import BrowserHouse

T = TypeVar("T")
_WORKERS = 4
SEARCH_READS_SECONDS = 2.0
"""How long a search may wait for files that are not in the index; the keeper reads the others."""


@dataclass(frozen=True)
class AssistantOptions:
    """How this process uses the assistant.

    Attributes:
        model: a file to use instead of the configured model.
        key_suffix: "" for the main conversation, else a conversation of its own.
        fresh: start with an empty conversation.
        presence: whether a person is there to answer cards.
        stays: it is there for more than this conversation: channels run in it.
        agent: who answers, "" for the default agent.
        face: shows the owner that the screen is used; None where nothing can.
        plugins_now: told of the plugins that run; None where nobody shows them.
        settings_now: is lent the settings that hold; None where no window changes them.
        activity: is lent what tells runs anew; None where nobody shows them.
        planned: is lent the books of what is planned; None where nobody shows them.
        memory: is lent the memory of all agents; None where nobody shows it.
        conversations: is lent what changes past conversations; None where nobody shows them.
        clipboard: of the desktop; None where there is no window.
        editors: gets the conversations in an editor; None where none is served.
        on_settings: hears what holds now, at the start and whenever something else does.
        door: where commands in a shell are answered; None for one of its own.
    """

    language: Language
    model: Path | None = None
    key_suffix: str = ""
    fresh: bool = False
    presence: Presence = Presence.PRESENT
    stays: bool = False
    agent: str = ""
    plugins_now: PluginsNow | None = None
    settings_now: SettingsNow | None = None
    planned: BookedPlans | None = None
    activity: StoredActivity | None = None
    memory: MemoryBooks | None = None
    conversations: KeptConversations | None = None
    face: ControlFace | None = None
    clipboard: Clipboard | None = None
    editors: Callable[[HereAssistant], None] | None = None
    on_settings: Callable[[Config], None] | None = None
    door: Door | None = None


@dataclass(frozen=True)
class Made:
    """What the later objects are made of. `plan`, and what follows from it, are one agent's: the
    default one's, and with other values that of each other one (`app.agents`).

    Attributes:
        memory: what keeps the notes, whichever engine answers.
        answering: what is asked about them: the engine in the slot.
    """

    paths: Paths
    loaded: LoadedConfig
    live: LiveConfig
    clock: Clock
    options: AssistantOptions
    plan: AgentPlan
    workspace: Path
    setup: ModelSetup
    brain: Brain
    memory: MarkdownMemory
    answering: SlottedMemory
    inbox: FileInbox
    store: SessionStore
    forgetter: Forgetter
    reminders: ReminderStore
    schedule: Schedule
    workers: ThreadPoolExecutor
    hooks: Hooks
    plugins: PluginEffects
    skills: SkillBook
    browser: BrowserHouse
    permissions: Permissions
    standby: Standby

    @property
    def model(self) -> str:
        """What this agent's model is called now; "" for the one that all have."""
        return "" if self.options.model is not None else model_name(self.entry)

    @property
    def seal(self) -> Seal:
        """What asks whether anything may leave this computer, and counts it."""
        return self.setup.seal

    @property
    def entry(self) -> AgentEntry:
        """This agent in the settings as they are now."""
        return self.live.config.agent_entry(self.plan.id)

    @property
    def info(self) -> ModelInfo | None:
        """Of this agent's model; None before its first use."""
        return self.brain.info_of(self.model, self._fallbacks)

    def chat(self, name: str = "") -> AbstractAsyncContextManager[ChatModel]:
        """A model for the length of one run, this agent's own for ""; see `Brain.chat`."""
        return self.brain.chat(name) if name else self.brain.chat(self.model, self._fallbacks)

    @property
    def _fallbacks(self) -> tuple[str, ...]:
        """Of this agent's own model; those of all agents where its entry says nothing."""
        own = self.entry.model.fallbacks if self.entry.model is not None else None
        return tuple(map(str, self.setup.remote.choice.fallbacks)) if own is None else own

    async def in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.workers, call)


async def make(
    stack: AsyncExitStack,
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    options: AssistantOptions,
    tell: Callable[[Notice], None],
) -> Made:
    """All of it, opened in this order; `stack` closes it.

    Raises:
        StorageError: the state folder cannot be used.
    """
    agent = named_agent(loaded.config, options.agent, options.language)
    plan = agent_plan(paths, loaded.config, agent, options.language)
    workspace = made_workspace(paths.home, plan.workspace)
    seal = Seal(paths.home, clock)
    stack.callback(seal.close)
    setup = read_model_setup(paths, loaded, options.language, seal=seal)
    setup.plugin_models.settled.clear()  # until `follow_plugins` has brought them in
    brain = _brain(stack, setup, clock, options, tell)
    opened = await asyncio.to_thread(brain.embedder, indexed_with(plan.index))
    memory = _memory(stack, paths, clock, plan, workspace, opened)
    reminders = ReminderStore(paths.state_database, clock)
    stack.callback(reminders.close)
    permissions = _permissions(stack, paths, clock, options, tell)
    live = LiveConfig(paths.home, loaded, options.language)
    browser = browser_house(paths.home, lambda: live.config, seal)
    stack.push_async_callback(asyncio.to_thread, browser.close)
    schedule = open_schedule(paths, lambda: live.config, clock)
    stack.callback(schedule.close)
    if options.planned is not None:
        options.planned.attach(reminders, schedule.book)
        stack.callback(options.planned.detach)
    workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker")
    stack.callback(workers.shutdown, cancel_futures=True)
    store = SessionStore(paths.home, clock)
    workspaces = workspaces_of(paths, loaded.config, agent, options.language)
    hooks = open_hooks(paths, loaded.config.hooks, workspaces, options.language)
    plugins = _plugins(hooks, setup, live, options.language)
    answering = SlottedMemory(
        memory, plugins.memory, slot_needs(plan, workspace, clock, options, seal)
    )
    stack.callback(answering.close)
    inbox = open_inbox(
        *(plan.folder, plan.memory, workspace, memory, opened.embedder, clock),
        lambda: plugins.memory.captures,
    )
    return Made(
        paths=paths,
        loaded=loaded,
        live=live,
        clock=clock,
        options=options,
        plan=plan,
        workspace=workspace,
        setup=setup,
        brain=brain,
        memory=memory,
        answering=answering,
        inbox=inbox,
        store=store,
        forgetter=Forgetter(paths, workspace, clock, memory, inbox, store, plan.folder),
        reminders=reminders,
        schedule=schedule,
        workers=workers,
        hooks=hooks,
        plugins=plugins,
        skills=open_skills(
            *(paths, workspace, plan.id, lambda: live.config, clock, options.language),
            plugins.skills.roots,
        ),
        permissions=permissions,
        standby=Standby(paths.home / STANDBY_FILE, clock),
        browser=browser,
    )


def _brain(
    stack: AsyncExitStack,
    setup: ModelSetup,
    clock: Clock,
    options: AssistantOptions,
    tell: Callable[[Notice], None],
) -> Brain:
    def switched(switch: ModelSwitched) -> None:
        tell(_switch_notice(switch, options.language))

    brain = Brain(setup, options.model, clock, switched)
    stack.callback(brain.close)
    stack.push_async_callback(brain.leave)
    return brain


def _memory(
    stack: AsyncExitStack,
    paths: Paths,
    clock: Clock,
    plan: AgentPlan,
    workspace: Path,
    opened: OpenEmbedder,
) -> MarkdownMemory:
    memory = configured_memory(
        *(paths, plan.memory, workspace, clock, opened.embedder, opened.reason),
        patience=SEARCH_READS_SECONDS,
        agent=plan.id,
    )
    stack.callback(memory.close)
    return memory


def _permissions(
    stack: AsyncExitStack,
    paths: Paths,
    clock: Clock,
    options: AssistantOptions,
    tell: Callable[[Notice], None],
) -> Permissions:
    """What was allowed for longer; a book that cannot be read is told, and begun anew."""
    book = PermissionBook(paths.permissions_database)
    stack.callback(book.close)
    if book.set_aside is not None:
        tell(Notice(PHRASES.say("permissions_lost", options.language), serious=True))
    return Permissions(book, clock)


def _plugins(
    hooks: Hooks, setup: ModelSetup, live: LiveConfig, language: Language
) -> PluginEffects:
    """What plugins will have brought in; none is opened yet."""
    plugins = PluginEffects(
        *(hooks.bus, hooks.internal, language, setup.plugin_models),
        lambda: live.loaded.environment,
    )
    plugins.memory.keeps_none = lambda: live.config.plugins.keeps_no_memory
    return plugins


def slot_needs(
    plan: AgentPlan, workspace: Path, clock: Clock, options: AssistantOptions, seal: Seal
) -> SlotNeeds:
    """What engines of plugins are made with, for one agent."""
    way = memory_way(seal)
    return SlotNeeds(plan.id, workspace, plan.index, clock, options.language, way)


def problems(made: Made) -> list[Notice]:
    """What the start has to tell: config sections that fell back, skills that cannot be used."""
    config = [
        Notice(problem.message, problem.hint, serious=problem.serious)
        for problem in (*made.loaded.warnings, *made.setup.problems)
    ]
    language = made.options.language
    config += [Notice(*problem_words(one, language)) for one in made.hooks.problems]
    config += _agent_problems(made)
    config += [Notice(*one) for one in skill_list_problems(made.live.config.raw, language)]
    skills = made.skills.view()
    if made.reminders.set_aside is not None:
        config.append(
            Notice(
                f"The reminder book was damaged and set aside as {made.reminders.set_aside}.",
                "Reminders that were in it will not fire; please set them again.",
                serious=True,
            )
        )
    broken = [Notice(f"{one.path}: {one.reason}", one.hint) for one in skills.problems]
    return [*config, *broken, *waiting_notices(skills.waiting, language)]


def _agent_problems(made: Made) -> list[Notice]:
    """Agents that cannot work as the settings have it; each of them, and nobody else."""
    config, language = made.loaded.config, made.options.language
    found = [
        Notice(one.message, one.hint, serious=one.serious)
        for one in agent_problems(made.paths, config, language)
    ]
    for agent in agent_ids(config):
        found += [Notice(*told) for told in ToolPolicies(lambda: config, agent).problems(language)]
        try:
            made.setup.check_named(model_name(config.agent_entry(agent)))
        except ModelError as error:
            found.append(Notice(f"{agent}: {error.message}", error.hint, serious=True))
    return found


def _switch_notice(switch: ModelSwitched, language: Language) -> Notice:
    names = {"chosen": switch.chosen, "before": switch.before, "reason": switch.reason}
    if not switch.reason:
        return Notice(PHRASES.say("switched_back", language, **names))
    text = PHRASES.say("switched", language, **names)
    return Notice(text, PHRASES.say("switched_hint", language))


def new_id() -> str:
    """For a run, a card, a message: never the same twice."""
    return uuid.uuid4().hex
