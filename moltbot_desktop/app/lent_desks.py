"""Desks of the window that the assistant, while it runs, lends its own books to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from moltbot_desktop.app.activity_desk import StoredActivity
from moltbot_desktop.app.conversations_desk import KeptConversations
from moltbot_desktop.app.memory_desk import MemoryBooks
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.planned_desk import BookedPlans
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_now import SettingsNow
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language


@dataclass(frozen=True)
class LentDesks:
    """They are there before there is a window, and without one."""

    plugins: PluginsNow
    settings: SettingsNow
    activity: StoredActivity
    planned: BookedPlans
    memory: MemoryBooks
    conversations: KeptConversations


def lent_desks(paths: Paths, language: Language, clock: Clock) -> LentDesks:
    """Nothing is lent to them yet."""
    load = partial(load_config, paths.home, language=language)

    def settings() -> Config:
        return load().config

    return LentDesks(
        plugins=PluginsNow(language),
        settings=SettingsNow(paths.home, language),
        activity=StoredActivity(paths, load, language),
        planned=BookedPlans(paths, settings, clock, language),
        memory=MemoryBooks(paths, settings, clock, language),
        conversations=KeptConversations(paths.home, clock, language),
    )
