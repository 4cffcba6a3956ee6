"""The mode that holds: read at each use, changed by /mode and `moltbot-desktop mode`.

modes = ModeSwitch(live, SettingsFile(home, environment, language), home, language)
modes.mode                    # Mode.NORMAL
modes.choose(Mode.PAUSED)     # stands in moltbot.json and holds from the next call on
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.modes import told_mode
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.modes import Mode, mode_named

_PLACE = "security.mode"


def mode_of(config: Config, loaded: LoadedConfig) -> Mode:
    """What holds by `config`. A mode that the file names and nobody knows was meant to be another
    than the usual one: until it is right, the assistant asks."""
    mode = Mode(config.security.mode)
    misspelt = any(one.serious and one.path == _PLACE for one in loaded.warnings)
    return Mode.CAREFUL if misspelt and Mode.CAREFUL.stricter_than(mode) else mode


@dataclass(frozen=True)
class ModeSwitch:
    """Of a running assistant; for the loop's thread."""

    live: LiveConfig
    file: SettingsFile
    home: Path
    language: Language

    @property
    def mode(self) -> Mode:
        return mode_of(self.live.config, self.live.loaded)

    def choose(self, mode: Mode) -> None:
        """Write it down and let it hold at once, also over what /debug said.

        Raises:
            ConfigInvalid: moltbot.json cannot be read.
            StorageError: it cannot be written.
        """
        self.file.put(_PLACE, mode.value)
        self.live.unset(_PLACE)
        self.live.take(load_config(self.home, language=self.language))


def run_mode_command(
    paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
) -> int:
    """`mode` and `mode NAME`; a running assistant sees it when it next looks at its settings.

    Raises:
        UserInputInvalid: there is no such mode.
        ConfigInvalid: moltbot.json cannot be read.
        StorageError: it cannot be written.
    """
    mode = mode_of(loaded.config, loaded)
    if arguments.name:
        mode = mode_named(arguments.name, language)
        SettingsFile(paths.home, os.environ, language).put(_PLACE, mode.value)
    return told_mode(mode, arguments.json, language, sys.stdout)
