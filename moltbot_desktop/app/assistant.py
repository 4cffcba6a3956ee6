"""The assistant put together: every object is made here, in order, and closed in reverse.

`open_assistant` is an async context manager that lives on the agent's event loop, whether that
loop runs in the desktop's agent thread or in the terminal's main thread.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from moltbot_desktop.app.agents import AgentBook, AgentNeeds
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.app.companions import Companions
from moltbot_desktop.app.desk_parts import desk_parts, lane_limits
from moltbot_desktop.app.editor_desk import editor_desk
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.handed import handed_files
from moltbot_desktop.app.house import House
from moltbot_desktop.app.made import AssistantOptions, Made, make, new_id, problems
from moltbot_desktop.app.mcp import follow_mcp
from moltbot_desktop.app.memory_desk import RunningMemory
from moltbot_desktop.app.memory_upkeep import memory_keeper, telling
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_life import follow_plugins
from moltbot_desktop.app.replays import Replays
from moltbot_desktop.app.screen_setup import Screen
from moltbot_desktop.app.seal_watch import follow_seal
from moltbot_desktop.app.sessions_upkeep import keep_tidy, tidy_sessions
from moltbot_desktop.app.settings_live import take_over
from moltbot_desktop.app.skill_commands import AgentTools, OwnersShell, with_skills
from moltbot_desktop.app.skills_setup import Heard, follow_skills, lent_waiting
from moltbot_desktop.app.staying import stay
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.watch import ConfigWatcher, Reloaded
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.arrivals import Arrivals
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.ports import CommandPorts, MemoryCommands, Runs
from moltbot_desktop.gateway.commands.skill_start import SkillStarter
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.happenings import Places
from moltbot_desktop.gateway.helper_desk import HelperDesk
from moltbot_desktop.gateway.last_place import at_the_desk
from moltbot_desktop.gateway.looking_desk import LookingDesk
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.gateway.opening_desk import OpeningDesk
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.switch_desk import SwitchDesk
from moltbot_desktop.gateway.usage_line import UsageTeller
from moltbot_desktop.gateway.versions_desk import VersionsDesk
from moltbot_desktop.memory.keeper import MemoryKeeper
from moltbot_desktop.schedule.ticker import ReminderTicker
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.activity import StoredRuns
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore

__all__ = ["AssistantOptions", "open_assistant"]


@asynccontextmanager
async def open_assistant(
    paths: Paths, loaded: LoadedConfig, clock: Clock, options: AssistantOptions
) -> AsyncIterator[LoopClient]:
    """Start everything; leaving the context stops it, newest first.

    Raises:
        StorageError: the state folder cannot be used.
        ModelError: the file in `options.model` cannot be used.
    """
    somebody = options.presence is Presence.PRESENT or options.stays  # a script asks for itself
    async with AsyncExitStack() as stack:
        listeners = Listeners()
        made = await make(stack, paths, loaded, clock, options, listeners.tell)
        if options.model is not None:
            async with made.chat():
                pass  # a file that cannot be used is told before anything is asked
        keeper = memory_keeper(made.memory, made.plan.memory, clock)
        house = _built(stack, made, listeners, keeper)
        _open_desk(stack, house)
        await _bring_in(stack, house)
        if somebody and made.plan.memory.enabled:
            keeper.start()
            stack.push_async_callback(asyncio.to_thread, keeper.stop)
        _begin(
            stack, ReminderTicker(made.reminders, clock, house.desk.reminder_due).run(), "reminders"
        )
        if somebody:
            _keep_up(stack, house)
        if options.stays:
            await stay(stack, house)
        if somebody:
            _tell_hooks(stack, house)
        _lend(stack, house)
        yield _client(stack, house)


def _built(stack: AsyncExitStack, made: Made, listeners: Listeners, keeper: MemoryKeeper) -> House:
    """All who work inside, from those that know nobody to the desk that knows them."""
    loop, clock = asyncio.get_running_loop(), made.clock
    approvals = Approvals(new_id)
    commands = Commands(clock)
    stack.push_async_callback(commands.close)

    def cancel(session: SessionKey, run: RunId) -> None:
        loop.call_soon_threadsafe(_stop_run, parts.desks, session, run)

    screen = Screen(made.options.face, clock, file_hands(made.paths, clock), cancel)
    stack.callback(screen.close)
    companions = Companions(made, commands, screen, listeners.tell)
    needs = AgentNeeds(approvals, companions.tools, companions.lent, listeners.tell)
    book = AgentBook(made, needs, stack)
    tools = book.open_default().tools
    if (memory := made.options.memory) is not None:
        memory.attach(RunningMemory(loop, made, lambda agent: book.runtime(agent).made))
        stack.callback(memory.detach)
    parts = desk_parts(made, approvals, book)
    helpers = companions.open(parts.desks, lambda: desk, listeners)
    parts = _with_commands_of_skills(made, book, parts, helpers, lambda: desk)
    desk = FrontDesk(parts, telling(listeners.tell, keeper, made.plan.memory))
    _follow_runs(made, book, parts.desks, screen, listeners)
    happenings = made.hooks.watching(
        parts.desks,
        Places(book.workspace, made.paths.home),
        clock,
        lambda text: listeners.tell(Notice(text)),
    )
    stack.push_async_callback(happenings.close)
    return House(
        made=made,
        approvals=approvals,
        book=book,
        commands=commands,
        companions=companions,
        helpers=helpers,
        desk=desk,
        happenings=happenings,
        listeners=listeners,
        parts=parts,
        tools=tools,
    )


def _with_commands_of_skills(
    made: Made,
    book: AgentBook,
    parts: DeskParts,
    helpers: HelperDesk,
    desk: Callable[[], FrontDesk],
) -> DeskParts:
    """`parts` whose commands reach skills, helpers, plugins and the owner's shell as well."""
    skill_tools = AgentTools(
        book, lambda key: parts.desks.of(key).session, lambda event: desk().show(event), new_id
    )
    shell = OwnersShell(skill_tools, lambda: made.live.config.commands.bash_foreground_ms)
    starter = SkillStarter(skill_tools, parts.one_request)
    before = parts.command_ports

    def ports(runs: Runs, memory: MemoryCommands) -> CommandPorts:
        own = replace(
            before(runs, memory), helpers=helpers, further=made.plugins.commands, shell=shell
        )
        return with_skills(own, made.skills, starter, made.plugins.off)

    return replace(parts, command_ports=ports)


def _follow_runs(
    made: Made, book: AgentBook, desks: SessionDesks, screen: Screen, listeners: Listeners
) -> None:
    """What becomes known or free when a run is over, and how many may go on."""
    desks.on_over(book.ended)
    desks.on_over(lambda message, _: screen.over(message.run_id))
    desks.on_end(lambda message, _: at_the_desk(made.store, message))
    made.live.on_change(lambda: desks.limit(lane_limits(made.live.config)))
    desks.on_end(UsageTeller(made.store.settings, listeners.tell).ended)


def _open_desk(stack: AsyncExitStack, house: House) -> None:
    """From here on something can be said."""
    desk, happenings, approvals = house.desk, house.happenings, house.approvals
    desk.on_command(lambda call: happenings.command(call, desk.session))
    desk.on_said(happenings.said)
    desk.on_said(lambda _: approvals.go_on())
    desk.open()
    stack.push_async_callback(desk.close)
    stack.push_async_callback(house.helpers.close)


async def _bring_in(stack: AsyncExitStack, house: House) -> None:
    """Plugins and the servers of the settings; what the start has to tell is told before."""
    made, tell = house.made, house.listeners.tell
    for notice in problems(made):
        tell(notice)
    await follow_plugins(stack, made, tell)
    await follow_mcp(stack, made, tell)
    for notice in lent_waiting(made.skills.view(), made.options.language):
        tell(notice)


def _keep_up(stack: AsyncExitStack, house: House) -> None:
    """What goes on beside the conversations while somebody is there."""
    made, tell = house.made, house.listeners.tell
    house.helpers.recover()
    if (settings_now := made.options.settings_now) is not None:
        settings_now.open(made.live, asyncio.get_running_loop())
        stack.callback(settings_now.close)
    _begin(stack, _watcher(made, house.book, tell).run(), "settings")
    following = follow_seal(
        made.paths.home, made.clock, made.seal, made.seal.closed, house.desk.status
    )
    _begin(stack, following, "seal")
    _begin(stack, house.commands.try_walls(house.desk.walls_tried), "walls")
    if (skills := made.live.config.skills).watch:
        on_roots = made.plugins.skills.on_change
        heard = Heard(made.in_thread, tell, made.options.language, on_roots)
        _begin(stack, follow_skills(made.skills, made.clock, skills, heard), "skills")
    tidying = keep_tidy(
        lambda: tidy_sessions(made.paths.home, made.live.config.session, made.clock),
        made.in_thread,
    )
    _begin(stack, tidying, "past conversations")


def _tell_hooks(stack: AsyncExitStack, house: House) -> None:
    """That the program has started, and later that it stops."""
    happenings, desk = house.happenings, house.desk
    happenings.started(
        main_session_key(house.made.plan.id), lambda text: desk.accept(RunId(new_id()), text)
    )
    stack.push_async_callback(happenings.stopping)


def _lend(stack: AsyncExitStack, house: House) -> None:
    """What those outside of this loop asked for: editors, and the desks of the window."""
    made, options, desks = house.made, house.made.options, house.parts.desks
    loop = asyncio.get_running_loop()
    if options.editors is not None:
        editors = editor_desk(made, house.desk, house.listeners, house.book)
        stack.push_async_callback(editors.desk.close)
        editors.desk.commands.on_call(
            lambda call: house.happenings.command(call, desks.session_of(call.session))
        )
        options.editors(editors)
    if (on_settings := options.on_settings) is not None:
        stack.callback(made.live.on_change(lambda: on_settings(made.live.config)))
        on_settings(made.live.config)
    if options.conversations is not None:
        live = StoredSessions(made.store, made.clock, made.plan.id)
        options.conversations.attach(loop, live, desks)
        stack.callback(options.conversations.detach)
    if options.activity is not None:
        options.activity.attach(loop, Replays(made, house.book, StoredRuns(made.paths.home)))
        stack.push_async_callback(options.activity.detach)


def _client(stack: AsyncExitStack, house: House) -> LoopClient:
    """The door for a window or a terminal, with the desks behind it that have no other."""
    made, desk, tell = house.made, house.desk, house.listeners.tell
    looking = LookingDesk(desk.ports, lambda: desk.session.key, made.options.language, tell)
    stack.push_async_callback(looking.close)
    switches = SwitchDesk(
        *(made.standby, made.reminders.add, made.brain.unload, made.clock),
        *(made.in_thread, desk.status, tell),
    )
    stack.push_async_callback(switches.close)
    made.standby.on_change(desk.status)
    _begin(stack, made.standby.run(), "standby")

    def library() -> StoredSessions:
        return StoredSessions(SessionStore(made.paths.home, made.clock), made.clock, made.plan.id)

    opening = OpeningDesk(desk, library, made.in_thread, tell)
    stack.push_async_callback(opening.close)
    files = handed_files(made, house.book.workspace)
    arrivals = Arrivals(desk, files, tell, made.options.language)
    stack.push_async_callback(arrivals.close)
    versions = VersionsDesk(desk, made.options.language)
    return LoopClient(
        *(asyncio.get_running_loop(), desk, looking, house.listeners, new_id),
        *(switches, opening, arrivals, versions),
    )


def _stop_run(desks: SessionDesks, session: SessionKey, run: RunId) -> None:
    desk = desks.known(session)
    if desk is not None:
        desk.stop_one(run)


def _watcher(made: Made, book: AgentBook, tell: Callable[[Notice], None]) -> ConfigWatcher:
    """Takes a changed moltbot.json over."""
    language = made.options.language

    def changed(found: Reloaded) -> None:
        for notice in (*take_over(made.live, found, language), *book.outdated()):
            tell(notice)

    return ConfigWatcher(
        made.paths.home, made.loaded, made.clock, made.in_thread, changed, language=language
    )


def _begin(stack: AsyncExitStack, work: Coroutine[None, None, None], name: str) -> None:
    """Do it in the background until `stack` ends."""
    stack.push_async_callback(_ended, asyncio.get_running_loop().create_task(work, name=name))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
