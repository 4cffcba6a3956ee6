"""`moltbot-desktop export`, `import` and `snapshots`, put together."""

from __future__ import annotations

import sys

from moltbot_desktop.app.backup_desk import FileBackupDesk
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.backup import run_backup
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore


def run_backup_command(paths: Paths, clock: Clock, arguments: Arguments, language: Language) -> int:
    """The exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    return run_backup(backup_desk(paths, clock, language), arguments, language, sys.stdout)


def backup_desk(paths: Paths, clock: Clock, language: Language) -> FileBackupDesk:
    """The desk of this home, for commands and for the window."""

    def load() -> LoadedConfig:
        return load_config(paths.home, language=language)  # anew after an import

    secrets = SecretStore(paths.home / SECRET_NAMES_FILE)
    return FileBackupDesk(paths, load, clock, language, secrets)
