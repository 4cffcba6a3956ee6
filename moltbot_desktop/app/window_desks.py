"""What the places of the window show and change.

A desk, and the part of the program that it belongs to, is loaded when its place is first shown.
"""

from __future__ import annotations

import os
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.app.attached_desk import KeptAttachments
from moltbot_desktop.app.lent_desks import LentDesks
from moltbot_desktop.app.model_setup import read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore

if TYPE_CHECKING:
    from moltbot_desktop.app import (
        backup_command,
        doctor,
        first_start_desk,
        models_desk,
        permits_desk,
        settings_desk,
        settings_pages,
        skills_desk,
    )
    from moltbot_desktop.app.activity_desk import StoredActivity
    from moltbot_desktop.app.conversations_desk import KeptConversations
    from moltbot_desktop.app.memory_desk import MemoryBooks
    from moltbot_desktop.app.planned_desk import BookedPlans
    from moltbot_desktop.sdk.backup import BackupDesk
else:
    backup_command = LateModule("moltbot_desktop.app.backup_command")
    doctor = LateModule("moltbot_desktop.app.doctor")
    first_start_desk = LateModule("moltbot_desktop.app.first_start_desk")
    models_desk = LateModule("moltbot_desktop.app.models_desk")
    permits_desk = LateModule("moltbot_desktop.app.permits_desk")
    settings_desk = LateModule("moltbot_desktop.app.settings_desk")
    settings_pages = LateModule("moltbot_desktop.app.settings_pages")
    skills_desk = LateModule("moltbot_desktop.app.skills_desk")


class HomeDesks:
    """`ui.desktop_parts.WindowDesks` over a home folder. Main thread only."""

    def __init__(
        self,
        paths: Paths,
        language: Language,
        clock: Clock,
        model: Path | None,
        lent: LentDesks,
    ) -> None:
        """`model`: a file that is used instead of the configured model."""
        self._paths, self._language, self._clock, self._lent = paths, language, clock, lent
        self._load = partial(load_config, paths.home, language=language)
        self.offline = read_model_setup(paths, self._load(), language).stays_here(model)
        self.attached = KeptAttachments(paths, self._config, language)

    def close(self) -> None:
        """End what they have under way. Any thread."""
        if "models" in vars(self):
            self.models.close()

    @property
    def planned(self) -> BookedPlans:
        return self._lent.planned()

    @property
    def activity(self) -> StoredActivity:
        return self._lent.activity()

    @property
    def memory(self) -> MemoryBooks:
        return self._lent.memory()

    @property
    def conversations(self) -> KeptConversations:
        return self._lent.conversations()

    @cached_property
    def models(self) -> models_desk.LibraryDesk:
        return models_desk.LibraryDesk(self._paths, self._load, self._clock, self._language)

    @cached_property
    def permits(self) -> permits_desk.BookedPermits:
        return permits_desk.BookedPermits(self._paths, self._clock)

    @cached_property
    def backup(self) -> BackupDesk:
        return backup_command.backup_desk(self._paths, self._clock, self._language)

    @cached_property
    def first_start(self) -> first_start_desk.FirstStart:
        written = self._lent.settings().written
        return first_start_desk.FirstStart(self._paths, self._config, self._language, written)

    @cached_property
    def skills(self) -> skills_desk.FolderSkills:
        return skills_desk.FolderSkills(
            *(self._paths, os.environ, self._clock, self._language, self._lent.settings().written)
        )

    @cached_property
    def settings(self) -> settings_desk.FileSettingsDesk:
        plugins = self._lent.plugins()
        pages = settings_pages.SettingsPages(
            *(self._paths, os.environ, self._language, self._clock, plugins)
        )
        keys = SecretStore(self._paths.home / SECRET_NAMES_FILE)
        return settings_desk.FileSettingsDesk(pages, keys, plugins, self._lent.settings())

    @cached_property
    def doctor(self) -> doctor.SecurityDoctor:
        written = self._lent.settings().written
        return doctor.SecurityDoctor(
            *(self._paths, self._load, self._clock, self._language), written=written
        )

    def _config(self) -> Config:
        """The settings as they are written now."""
        return self._load().config
