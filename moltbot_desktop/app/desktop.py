"""The assistant with tray and window: gives the desktop its parts and runs it."""

from __future__ import annotations

import asyncio
import os
import traceback
from functools import partial
from typing import TYPE_CHECKING

from moltbot_desktop.app.arriving import THEMES
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.attached_desk import KeptAttachments
from moltbot_desktop.app.autostart import StartsWithComputer
from moltbot_desktop.app.first_start_desk import is_new
from moltbot_desktop.app.lent_desks import lent_desks
from moltbot_desktop.app.logs import CrashNotes
from moltbot_desktop.app.model_setup import read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule, load_now
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.qt.wishes import Wish
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.ui.application import run_desktop
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.desktop_parts import DesktopParts, PlaceDesks
from moltbot_desktop.ui.entrance import Entrance
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.place import WELCOME

if TYPE_CHECKING:
    from moltbot_desktop.app import window_desks
    from moltbot_desktop.ui import windows
else:
    window_desks = LateModule("moltbot_desktop.app.window_desks")
    windows = LateModule("moltbot_desktop.ui.windows")


def load_window() -> None:
    """What a window is made of, for a start that shows one at once."""
    load_now(window_desks, windows)


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
    shared = lent_desks(paths, language, clock)
    made: list[window_desks.WindowDesks] = []
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
        for one in made:
            await asyncio.to_thread(one.close)

    def desks() -> PlaceDesks:
        made.append(window_desks.WindowDesks(paths, language, clock, shared))
        return made[-1].places

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
        desks=desks,
        habits=habits,
        attached=KeptAttachments(paths, partial(_settings, paths, language), language),
        offline=read_model_setup(paths, loaded, language).stays_here(arguments.model),
    )
    return run_desktop(parts, entrance)


def _settings(paths: Paths, language: Language) -> Config:
    """As they are written now."""
    return load_config(paths.home, language=language).config


def _habits(config: Config) -> Habits:
    ui = config.ui
    look = THEMES[ui.theme]
    return Habits(ui.hotkey, config.reminders.notifications, ui.notification_text, look)
