"""What the first page needs of a home: `sdk.first_start.FirstStartDesk`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.backup.foreign import found_at
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.first_start import Beginning


@dataclass(frozen=True)
class FirstStart:
    """For worker threads.

    Attributes:
        settings: as they are now.
        written: called when the file says more; lets it hold (`app.settings_now`).
    """

    paths: Paths
    settings: Callable[[], Config]
    language: Language
    written: Callable[[], None] = lambda: None

    def look(self) -> Beginning:
        return Beginning(
            self.paths.home,
            self.paths.resources,
            found_at(self.paths.user_home, self.paths.home),
            self.settings().ui.autostart,
        )

    def speak(self, language: Language) -> None:
        self._put("ui.language", language.value)

    def start_with_computer(self, *, wanted: bool) -> None:
        self._put("ui.autostart", wanted)

    def _put(self, place: str, value: str | bool) -> None:
        SettingsFile(self.paths.home, os.environ, self.language).put(place, value)
        self.written()
