"""The assistant with tray and window: gives the desktop its parts and runs it."""

from __future__ import annotations

import asyncio
import os
import traceback

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

    def settings() -> Config:
        return load_config(paths.home, language=language).config

    if is_new(paths):
        entrance.welcome(Wish.of_page(WELCOME))
    plugins = PluginsNow(language)
    settings_now = SettingsNow(paths.home, language)
    activity = StoredActivity(paths, lambda: load_config(paths.home, language=language), language)
    planned = BookedPlans(paths, settings, clock, language)
    models = LibraryDesk(paths, lambda: load_config(paths.home, language=language), clock, language)
    memory = MemoryBooks(paths, settings, clock, language)
    conversations = KeptConversations(paths.home, clock, language)
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
            plugins_now=plugins,
            settings_now=settings_now,
            planned=planned,
            activity=activity,
            memory=memory,
            conversations=conversations,
            clipboard=clipboard,
            on_settings=on_settings,
        )
        async with open_assistant(paths, loaded, clock, options) as client:
            ready(client)
            await stopping.wait()
        await asyncio.to_thread(models.close)

    def report(error: BaseException) -> None:
        notes.write("".join(traceback.format_exception(error)))

    return run_desktop(
        DesktopParts(
            assistant=assistant,
            home=paths.home,
            resources=paths.resources,
            clock=clock,
            face=face,
            clipboard=clipboard,
            report=report,
            language=entrance.language,
            theme=entrance.theme,
            desks=PlaceDesks(
                planned=planned,
                activity=activity,
                models=models,
                memory=memory,
                permits=BookedPermits(paths, clock),
                backup=backup_desk(paths, clock, language),
                first_start=FirstStart(paths, settings, language),
                conversations=conversations,
                skills=FolderSkills(paths, os.environ, clock, language),
                settings=FileSettingsDesk(
                    SettingsPages(paths, os.environ, language, clock, plugins),
                    SecretStore(paths.home / SECRET_NAMES_FILE),
                    plugins,
                    settings_now,
                ),
                doctor=SecurityDoctor(
                    paths, lambda: load_config(paths.home, language=language), clock, language
                ),
            ),
            habits=habits,
            attached=KeptAttachments(paths, settings, language),
            offline=read_model_setup(paths, loaded, language).stays_here(arguments.model),
        ),
        entrance,
    )


def _habits(config: Config) -> Habits:
    ui = config.ui
    look = THEMES[ui.theme]
    return Habits(ui.hotkey, config.reminders.notifications, ui.notification_text, look)
