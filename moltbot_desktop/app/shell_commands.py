"""The commands that end in the shell: each with what carries it out.

    asked = Asked(arguments, paths, loaded, language, clock)
    if (command := COMMANDS.get(arguments.command)) is not None:
        code = command(asked)

All of them come late: a search in the shell is over sooner than the assistant would be loaded, and
none needs a window, nor the system libraries of one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from getpass import getpass
from types import MappingProxyType
from typing import TYPE_CHECKING

from moltbot_desktop.app.backup_start import before_start
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.secrets import Streams, run_secrets
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.files import disk_errors

if TYPE_CHECKING:
    from moltbot_desktop.app import (
        acp_command,
        agents_command,
        backup_command,
        channels_command,
        config_command,
        cron_command,
        doctor_command,
        hooks_command,
        library,
        mcp_command,
        models_command,
        modes,
        network_command,
        permissions_command,
        plugins_command,
        running_command,
        runs_command,
        serving,
        sessions_command,
        skills_command,
        undo_command,
    )
else:
    acp_command = LateModule("moltbot_desktop.app.acp_command")
    agents_command = LateModule("moltbot_desktop.app.agents_command")
    backup_command = LateModule("moltbot_desktop.app.backup_command")
    channels_command = LateModule("moltbot_desktop.app.channels_command")
    config_command = LateModule("moltbot_desktop.app.config_command")
    cron_command = LateModule("moltbot_desktop.app.cron_command")
    doctor_command = LateModule("moltbot_desktop.app.doctor_command")
    hooks_command = LateModule("moltbot_desktop.app.hooks_command")
    library = LateModule("moltbot_desktop.app.library")
    mcp_command = LateModule("moltbot_desktop.app.mcp_command")
    models_command = LateModule("moltbot_desktop.app.models_command")
    modes = LateModule("moltbot_desktop.app.modes")
    network_command = LateModule("moltbot_desktop.app.network_command")
    permissions_command = LateModule("moltbot_desktop.app.permissions_command")
    plugins_command = LateModule("moltbot_desktop.app.plugins_command")
    running_command = LateModule("moltbot_desktop.app.running_command")
    runs_command = LateModule("moltbot_desktop.app.runs_command")
    serving = LateModule("moltbot_desktop.app.serving")
    sessions_command = LateModule("moltbot_desktop.app.sessions_command")
    skills_command = LateModule("moltbot_desktop.app.skills_command")
    undo_command = LateModule("moltbot_desktop.app.undo_command")

_LARGEST_BATCH = 100_000_000
_OWN_CHANNELS = ("list", "login", "logout", "pairing")
"""What of `channels` is done here; the rest is asked of the program that runs."""


@dataclass(frozen=True)
class Asked:
    """What was typed, and what holds where it was typed."""

    arguments: Arguments
    paths: Paths
    loaded: LoadedConfig
    language: Language
    clock: Clock


def _memory(asked: Asked) -> int:
    queries = _queries(asked.arguments)
    return library.run_memory(
        asked.paths, asked.loaded, asked.clock, asked.arguments, queries, asked.language
    )


def _queries(arguments: Arguments) -> Iterator[str]:
    """The queries of `memory search`: the one given, a file's lines, or standard input's."""
    if arguments.batch is None:
        yield arguments.text
    elif str(arguments.batch) == "-":
        yield from sys.stdin
    else:
        with disk_errors(arguments.batch):
            text = read_named(arguments.batch, _LARGEST_BATCH).decode("utf-8-sig", "replace")
        yield from text.splitlines()


def _skills(asked: Asked) -> int:
    return skills_command.run_skills_command(
        asked.paths, asked.loaded, asked.arguments, asked.language, asked.clock
    )


def _secrets(asked: Asked) -> int:
    store = SecretStore(asked.paths.home / SECRET_NAMES_FILE)
    return run_secrets(
        store, asked.arguments, Streams(sys.stdin, sys.stdout, getpass), asked.language
    )


def _agents(asked: Asked) -> int:
    return agents_command.run_agents_command(
        asked.paths, asked.loaded, asked.arguments, asked.language
    )


def _hooks(asked: Asked) -> int:
    return hooks_command.run_hooks_command(
        asked.paths, asked.loaded, asked.arguments, asked.language
    )


def _plugins(asked: Asked) -> int:
    return plugins_command.run_plugins_command(
        asked.paths, asked.loaded, asked.arguments, asked.language
    )


def _mcp(asked: Asked) -> int:
    return mcp_command.run_mcp_command(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _models(asked: Asked) -> int:
    return models_command.run_models(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _sessions(asked: Asked) -> int:
    run = sessions_command.run_sessions_command
    return run(asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language)


def _runs(asked: Asked) -> int:
    return runs_command.run_runs_command(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _undo(asked: Asked) -> int:
    return undo_command.run_undo_command(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _cron(asked: Asked) -> int:
    return cron_command.run_cron_command(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _config(asked: Asked) -> int:
    return config_command.run_config_command(
        asked.paths, asked.clock, asked.arguments, asked.language
    )


def _mode(asked: Asked) -> int:
    return modes.run_mode_command(asked.paths, asked.loaded, asked.arguments, asked.language)


def _network(asked: Asked) -> int:
    return network_command.run_network_command(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _doctor(asked: Asked) -> int:
    return doctor_command.run_doctor_command(
        asked.paths, asked.clock, asked.arguments, asked.language
    )


def _backup(asked: Asked) -> int:
    return backup_command.run_backup_command(
        asked.paths, asked.clock, asked.arguments, asked.language
    )


def _permissions(asked: Asked) -> int:
    return permissions_command.run_permissions_command(
        asked.paths, asked.clock, asked.arguments, asked.language
    )


def _channels(asked: Asked) -> int:
    if asked.arguments.action not in _OWN_CHANNELS:
        return _of_the_running(asked)
    return channels_command.run_channels_command(
        asked.paths, asked.clock, asked.arguments, asked.language
    )


def _of_the_running(asked: Asked) -> int:
    return running_command.ask_running(asked.paths, asked.arguments, asked.language)


def _serve(asked: Asked) -> int:
    before_start(asked.paths, asked.clock, asked.language)
    return serving.run_serve(
        asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language
    )


def _acp(asked: Asked) -> int:
    """Raises UserInputInvalid: the package that speaks with editors is not there."""
    try:
        run = acp_command.run_acp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("acp", "pydantic"):
            raise
        raise UserInputInvalid(
            "Editors need one more part of the program.",
            hint="Run: pip install 'moltbot-desktop[acp]'",
        ) from error
    return run(asked.paths, asked.loaded, asked.clock, asked.arguments, asked.language)


COMMANDS: Mapping[str, Callable[[Asked], int]] = MappingProxyType(
    {
        "acp": _acp,
        "agents": _agents,
        "call": _of_the_running,
        "channels": _channels,
        "config": _config,
        "cron": _cron,
        "doctor": _doctor,
        "export": _backup,
        "health": _of_the_running,
        "hooks": _hooks,
        "import": _backup,
        "mcp": _mcp,
        "memory": _memory,
        "mode": _mode,
        "models": _models,
        "network": _network,
        "permissions": _permissions,
        "plugins": _plugins,
        "runs": _runs,
        "secrets": _secrets,
        "serve": _serve,
        "sessions": _sessions,
        "skills": _skills,
        "snapshots": _backup,
        "status": _of_the_running,
        "undo": _undo,
    }
)
"""Raise MoltbotError: it could not be done. They return the exit code."""
