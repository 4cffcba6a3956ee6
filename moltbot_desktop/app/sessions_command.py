"""`moltbot-desktop sessions`: the conversations without the assistant."""

from __future__ import annotations

import sys
from pathlib import Path

from moltbot_desktop.app.agent_plan import default_agent
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.sessions_upkeep import tidy_sessions
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.sessions import Shell, run_sessions
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.files import disk_errors, write_atomic
from moltbot_desktop.storage.jsonl import LARGEST_LOG


def run_sessions_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    library = StoredSessions(SessionStore(paths.home, clock), clock, default_agent(loaded.config))
    tidy_sessions(paths.home, loaded.config.session, clock)
    shell = Shell(language, sys.stdout, _text_of, _write)
    return run_sessions(library, arguments, shell)


def _text_of(path: Path) -> str:
    with disk_errors(path):
        try:
            return read_named(path, LARGEST_LOG).decode()
        except UnicodeDecodeError as error:
            raise UserInputInvalid(
                f"{path} is no text.", hint="Choose what “sessions export” wrote."
            ) from error


def _write(path: Path, text: str) -> None:
    write_atomic(path, text.encode("utf-8", "replace"))
