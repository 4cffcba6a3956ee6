"""The desktop program put together: what stands in the tray, and what is made when it is needed."""

from __future__ import annotations

import asyncio
import os
import traceback
from typing import TYPE_CHECKING

from moltbot_desktop.app.arriving import THEMES
from moltbot_desktop.app.autostart import StartsWithComputer
from moltbot_desktop.app.first_start import is_new
from moltbot_desktop.app.logs import CrashNotes
from moltbot_desktop.app.once import Once
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.rest import rest_of
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule, load_now
from moltbot_desktop.gateway.rpc.door import Door, socket_path
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.qt.wishes import Wish
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.ui.application import run_desktop
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.entrance import Entrance
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.place import WELCOME

if TYPE_CHECKING:
    from moltbot_desktop.app import assistant, awake, window_desks
    from moltbot_desktop.ui import windows
else:
    assistant = LateModule("moltbot_desktop.app.assistant")
    awake = LateModule("moltbot_desktop.app.awake")
    window_desks = LateModule("moltbot_desktop.app.window_desks")
    windows = LateModule("moltbot_desktop.ui.windows")


def load_window() -> None:
    """What a window and its assistant are made of, for a start that shows one at once."""
    load_now(assistant, awake, window_desks)
    windows.load_window()


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
    face = ScreenFace(Injections(clock))
    clipboard = WindowClipboard()
    habits = HabitsNow(_habits(loaded.config))
    starting = StartsWithComputer(paths, os.environ)
    door = Door(socket_path(paths.home))

    def on_settings(config: Config) -> None:
        habits.tell(_habits(config))
        starting.follow(config.ui.autostart)

    def wake() -> awake.Awake:
        return awake.Awake(
            awake.AwakeNeeds(
                paths=paths,
                loaded=loaded,
                language=language,
                clock=clock,
                model=arguments.model,
                face=face,
                clipboard=clipboard,
                on_settings=on_settings,
                door=door,
            )
        )

    awoken = Once(wake)

    async def life(ready: Ready, stopping: asyncio.Event) -> None:
        await awoken().run(ready, stopping)

    def report(error: BaseException) -> None:
        notes.write("".join(traceback.format_exception(error)))

    asked = entrance.wish is not None or arguments.model is not None
    parts = DesktopParts(
        assistant=life,
        home=paths.home,
        resources=paths.resources,
        clock=clock,
        face=face,
        clipboard=clipboard,
        report=report,
        language=entrance.language,
        theme=entrance.theme,
        desks=lambda: awoken().desks(),
        habits=habits,
        rest=None if asked else rest_of(paths, loaded, door),
    )
    return run_desktop(parts, entrance)


def _habits(config: Config) -> Habits:
    ui = config.ui
    look = THEMES[ui.theme]
    return Habits(ui.hotkey, config.reminders.notifications, ui.notification_text, look)
