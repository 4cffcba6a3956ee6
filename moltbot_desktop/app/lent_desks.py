"""Desks of the window that the assistant, while it runs, lends its own books to.

Each is made when window or assistant first asks for it, in whichever thread that is.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from moltbot_desktop.app.once import Once
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    from moltbot_desktop.app import (
        activity_desk,
        conversations_desk,
        memory_desk,
        planned_desk,
        plugins_now,
        settings_now,
    )
else:
    activity_desk = LateModule("moltbot_desktop.app.activity_desk")
    conversations_desk = LateModule("moltbot_desktop.app.conversations_desk")
    memory_desk = LateModule("moltbot_desktop.app.memory_desk")
    planned_desk = LateModule("moltbot_desktop.app.planned_desk")
    plugins_now = LateModule("moltbot_desktop.app.plugins_now")
    settings_now = LateModule("moltbot_desktop.app.settings_now")


class LentDesks:
    """They are there before there is a window, and without one. Nothing is lent to them yet."""

    def __init__(self, paths: Paths, language: Language, clock: Clock) -> None:
        load = partial(load_config, paths.home, language=language)

        def settings() -> Config:
            return load().config

        self.plugins = Once(lambda: plugins_now.PluginsNow(language))
        self.settings = Once(lambda: settings_now.SettingsNow(paths.home, language))
        self.activity = Once(lambda: activity_desk.StoredActivity(paths, load, language))
        self.planned = Once(lambda: planned_desk.BookedPlans(paths, settings, clock, language))
        self.memory = Once(lambda: memory_desk.MemoryBooks(paths, settings, clock, language))
        self.conversations = Once(
            lambda: conversations_desk.KeptConversations(paths.home, clock, language)
        )
