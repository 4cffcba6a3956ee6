"""What the places of the window show and change: made with the window, which a program that waits in
the tray does not have.
"""

from __future__ import annotations

import os
from functools import partial

from moltbot_desktop.app.backup_command import backup_desk
from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.first_start_desk import FirstStart
from moltbot_desktop.app.lent_desks import LentDesks
from moltbot_desktop.app.models_desk import LibraryDesk
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.permits_desk import BookedPermits
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.app.skills_desk import FolderSkills
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.ui.desktop_parts import PlaceDesks


class WindowDesks:
    """The desks of one window.

    Attributes:
        places: all of them.
    """

    def __init__(self, paths: Paths, language: Language, clock: Clock, lent: LentDesks) -> None:
        load = partial(load_config, paths.home, language=language)
        written = lent.settings.written
        pages = SettingsPages(paths, os.environ, language, clock, lent.plugins)
        keys = SecretStore(paths.home / SECRET_NAMES_FILE)
        self._models = LibraryDesk(paths, load, clock, language)

        def settings() -> Config:
            """As they are written now."""
            return load().config

        self.places = PlaceDesks(
            planned=lent.planned,
            activity=lent.activity,
            models=self._models,
            memory=lent.memory,
            permits=BookedPermits(paths, clock),
            backup=backup_desk(paths, clock, language),
            first_start=FirstStart(paths, settings, language, written),
            conversations=lent.conversations,
            skills=FolderSkills(paths, os.environ, clock, language, written),
            settings=FileSettingsDesk(pages, keys, lent.plugins, lent.settings),
            doctor=SecurityDoctor(paths, load, clock, language, written=written),
        )

    def close(self) -> None:
        """End what they have under way."""
        self._models.close()
