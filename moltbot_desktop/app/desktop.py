"""The assistant with tray and window: gives the desktop its parts and runs it."""

from __future__ import annotations

import asyncio
import os
import traceback
from dataclasses import dataclass
from functools import partial

from moltbot_desktop.app.activity_desk import StoredActivity
from moltbot_desktop.app.arriving import THEMES
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.attached_desk import KeptAttachments
from moltbot_desktop.app.autostart import StartsWithComputer
from moltbot_desktop.app.backup_command import backup_desk
from moltbot_desktop.app.conversations_desk import KeptConversations
from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.first_start_desk import FirstStart, is_new
from moltbot_desktop.app.logs import CrashNotes
from moltbot_desktop.app.memory_desk import MemoryBooks
from moltbot_desktop.app.model_setup import read_model_setup
from moltbot_desktop.app.models_desk import LibraryDesk
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.permits_desk import BookedPermits
from moltbot_desktop.app.planned_desk import BookedPlans
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_now import SettingsNow
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.app.skills_desk import FolderSkills
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.qt.wishes import Wish
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.ui.application import DesktopParts, run_desktop
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.entrance import Entrance
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.place import WELCOME
from moltbot_desktop.ui.places import PlaceDesks


@dataclass(frozen=True)
class _Shared:
    """Desks of the window that the assistant, while it runs, lends its own books to."""

    plugins: PluginsNow
    settings: SettingsNow
    activity: StoredActivity
    planned: BookedPlans
    memory: MemoryBooks
    conversations: KeptConversations


def run_window(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    clock: Clock,
    notes: CrashNotes,
    entrance: Entrance,
) -> int:
    """Run the desktop program to its end, from the entrance on; returns the exit code."""
    if is_new(paths):
        entrance.welcome(Wish.of_page(WELCOME))
    shared = _shared(paths, language, clock)
    models = LibraryDesk(
        paths, partial(load_config, paths.home, language=language), clock, language
    )
    face = ScreenFace(Injections(clock))
    clipboard = WindowClipboard()
    habits = HabitsNow(_habits(loaded.config))
    starting = StartsWithComputer(paths, os.environ)

    def on_settings(config: Config) -> None:
        habits.tell(_habits(config))
        starting.follow(config.ui.autostart)

    async def assistant(ready: Ready, stopping: asyncio.Event) -> None:
        options = AssistantOptions(
            language=language,
            model=arguments.model,
            stays=True,
            face=face,
            plugins_now=shared.plugins,
            settings_now=shared.settings,
            planned=shared.planned,
            activity=shared.activity,
            memory=shared.memory,
            conversations=shared.conversations,
            clipboard=clipboard,
            on_settings=on_settings,
        )
        async with open_assistant(paths, loaded, clock, options) as client:
            ready(client)
            await stopping.wait()
        await asyncio.to_thread(models.close)

    def report(error: BaseException) -> None:
        notes.write("".join(traceback.format_exception(error)))

    parts = DesktopParts(
        assistant=assistant,
        home=paths.home,
        resources=paths.resources,
        clock=clock,
        face=face,
        clipboard=clipboard,
        report=report,
        language=entrance.language,
        theme=entrance.theme,
        desks=_desks(paths, language, clock, shared, models),
        habits=habits,
        attached=KeptAttachments(paths, partial(_settings, paths, language), language),
        offline=read_model_setup(paths, loaded, language).stays_here(arguments.model),
    )
    return run_desktop(parts, entrance)


def _shared(paths: Paths, language: Language, clock: Clock) -> _Shared:
    settings = partial(_settings, paths, language)
    return _Shared(
        plugins=PluginsNow(language),
        settings=SettingsNow(paths.home, language),
        activity=StoredActivity(
            paths, partial(load_config, paths.home, language=language), language
        ),
        planned=BookedPlans(paths, settings, clock, language),
        memory=MemoryBooks(paths, settings, clock, language),
        conversations=KeptConversations(paths.home, clock, language),
    )


def _desks(
    paths: Paths, language: Language, clock: Clock, shared: _Shared, models: LibraryDesk
) -> PlaceDesks:
    pages = SettingsPages(paths, os.environ, language, clock, shared.plugins)
    keys = SecretStore(paths.home / SECRET_NAMES_FILE)
    written = shared.settings.written
    return PlaceDesks(
        planned=shared.planned,
        activity=shared.activity,
        models=models,
        memory=shared.memory,
        permits=BookedPermits(paths, clock),
        backup=backup_desk(paths, clock, language),
        first_start=FirstStart(paths, partial(_settings, paths, language), language, written),
        conversations=shared.conversations,
        skills=FolderSkills(paths, os.environ, clock, language, written),
        settings=FileSettingsDesk(pages, keys, shared.plugins, shared.settings),
        doctor=SecurityDoctor(
            *(paths, partial(load_config, paths.home, language=language), clock, language),
            written=written,
        ),
    )


def _settings(paths: Paths, language: Language) -> Config:
    """As they are written now."""
    return load_config(paths.home, language=language).config


def _habits(config: Config) -> Habits:
    ui = config.ui
    look = THEMES[ui.theme]
    return Habits(ui.hotkey, config.reminders.notifications, ui.notification_text, look)
