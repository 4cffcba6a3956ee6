"""The program's entry: decides between window, terminal and commands, and tells known errors.

Exit codes: 0 done, 1 not answered, 2 a known error (one line on stderr says which and what to
do), 70 the program had to end hard, 130 interrupted.
"""

from __future__ import annotations

import locale
import os
import re
import sys
from collections.abc import Iterator, Sequence
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.app.backup_start import before_start
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.logs import CrashNotes, start_logging
from moltbot_desktop.app.paths import Paths, locate
from moltbot_desktop.cli.parser import Arguments, is_command, parse
from moltbot_desktop.cli.secrets import Streams, run_secrets
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.display import display_available
from moltbot_desktop.qt.doorbell import ring
from moltbot_desktop.qt.wishes import SETTINGS, TOGGLE, WINDOW, Wish, is_link, wish_of_link
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.files import disk_errors

if TYPE_CHECKING:
    from moltbot_desktop.ui.entrance import Entrance

_LARGEST_BATCH = 100_000_000
_PLUGIN_COMMAND = re.compile(r"[a-z][a-z0-9-]{0,63}")


def main(argv: Sequence[str] | None = None, entrance: Entrance | None = None) -> int:
    """Run the program; `argv` without its name, `sys.argv` by default.

    Args:
        entrance: what stands in the tray already, of the desktop program.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    words = sys.argv[1:] if argv is None else argv
    try:
        added = _of_a_plugin(words)
        if added is not None:
            return added
        arguments = parse(words, _system_language())
        code = _run(arguments, locate(os.environ, _user_home()), entrance)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except MoltbotError as error:
        return _refused(error, _system_language())
    except BrokenPipeError:
        # Whoever read our output has enough (`models list | head`); nothing may be flushed later.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: Arguments, paths: Paths, entrance: Entrance | None) -> int:
    system = _system_language()
    loaded = load_config(paths.home, language=system)
    notes = CrashNotes(paths.logs)
    if start_logging(paths.logs) is not None:
        notes.install()
    language = chosen_language(loaded, system)
    if language is not system:
        loaded = load_config(paths.home, language=language)  # its problems are told in it
    try:
        return _carried_out(arguments, paths, loaded, language, notes, entrance)
    except MoltbotError as error:
        return _refused(error, language)


def _of_a_plugin(words: Sequence[str]) -> int | None:
    """The exit status of a plugin's subcommand; None when it is none."""
    if not words or not _PLUGIN_COMMAND.fullmatch(words[0]) or is_command(words[0]):
        return None
    # Late: nobody else needs it.
    from moltbot_desktop.app.plugin_cli import run_plugin_command  # noqa: PLC0415

    paths, system = locate(os.environ, _user_home()), _system_language()
    loaded = load_config(paths.home, language=system)
    start_logging(paths.logs)
    language = chosen_language(loaded, system)
    return run_plugin_command(words, paths, loaded, SystemClock(), language)


def chosen_language(loaded: LoadedConfig, system: Language) -> Language:
    """Whoever has chosen one for the windows alone does not want half of them in another."""
    said = (loaded.config.agent.language, loaded.config.ui.language)
    return next((Language(one) for one in said if one != "auto"), system)


def _refused(error: MoltbotError, language: Language) -> int:
    sys.stderr.write(f"moltbot-desktop: {in_words(error, language)}\n")
    return 2


def _carried_out(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    notes: CrashNotes,
    entrance: Entrance | None,
) -> int:
    """Raises:
    MoltbotError: it could not be done.
    """
    clock = SystemClock(loaded.config.agent.user_timezone or "")
    # Late: a search in the shell is over sooner than the assistant would be loaded, and a terminal
    # needs no window, nor the system libraries of one.
    match arguments.command:
        case "skills":
            from moltbot_desktop.app.skills_command import run_skills_command  # noqa: PLC0415

            return run_skills_command(paths, loaded, arguments, language, clock)
        case "memory":
            from moltbot_desktop.app.library import run_memory  # noqa: PLC0415

            return run_memory(paths, loaded, clock, arguments, _queries(arguments), language)
        case "secrets":
            store = SecretStore(paths.home / SECRET_NAMES_FILE)
            streams = Streams(sys.stdin, sys.stdout, getpass)
            return run_secrets(store, arguments, streams, language)
        case "agents":
            from moltbot_desktop.app.agents_command import run_agents_command  # noqa: PLC0415

            return run_agents_command(paths, loaded, arguments, language)
        case "hooks":
            from moltbot_desktop.app.hooks_command import run_hooks_command  # noqa: PLC0415

            return run_hooks_command(paths, loaded, arguments, language)
        case "plugins":
            from moltbot_desktop.app.plugins_command import run_plugins_command  # noqa: PLC0415

            return run_plugins_command(paths, loaded, arguments, language)
        case "mcp":
            from moltbot_desktop.app.mcp_command import run_mcp_command  # noqa: PLC0415

            return run_mcp_command(paths, loaded, clock, arguments, language)
        case "models":
            from moltbot_desktop.app.models_command import run_models  # noqa: PLC0415

            return run_models(paths, loaded, clock, arguments, language)
        case "sessions":
            from moltbot_desktop.app.sessions_command import run_sessions_command  # noqa: PLC0415

            return run_sessions_command(paths, loaded, clock, arguments, language)
        case "runs":
            from moltbot_desktop.app.runs_command import run_runs_command  # noqa: PLC0415

            return run_runs_command(paths, loaded, clock, arguments, language)
        case "undo":
            from moltbot_desktop.app.undo_command import run_undo_command  # noqa: PLC0415

            return run_undo_command(paths, loaded, clock, arguments, language)
        case "cron":
            from moltbot_desktop.app.cron_command import run_cron_command  # noqa: PLC0415

            return run_cron_command(paths, loaded, clock, arguments, language)
        case "config":
            from moltbot_desktop.app.config_command import run_config_command  # noqa: PLC0415

            return run_config_command(paths, clock, arguments, language)
        case "mode":
            from moltbot_desktop.app.modes import run_mode_command  # noqa: PLC0415

            return run_mode_command(paths, loaded, arguments, language)
        case "network":
            from moltbot_desktop.app.network_command import run_network_command  # noqa: PLC0415

            return run_network_command(paths, loaded, clock, arguments, language)
        case "doctor":
            from moltbot_desktop.app.doctor_command import run_doctor_command  # noqa: PLC0415

            return run_doctor_command(paths, clock, arguments, language)
        case "export" | "import" | "snapshots":
            from moltbot_desktop.app.backup_command import run_backup_command  # noqa: PLC0415

            return run_backup_command(paths, clock, arguments, language)
        case "permissions":
            from moltbot_desktop.app.permissions_command import (  # noqa: PLC0415
                run_permissions_command,
            )

            return run_permissions_command(paths, clock, arguments, language)
        case "channels" if arguments.action in ("list", "login", "logout", "pairing"):
            from moltbot_desktop.app.channels_command import run_channels_command  # noqa: PLC0415

            return run_channels_command(paths, clock, arguments, language)
        case "status" | "health" | "call" | "channels":
            from moltbot_desktop.app.running_command import ask_running  # noqa: PLC0415

            return ask_running(paths, arguments, language)
        case "serve":
            before_start(paths, clock, language)
            from moltbot_desktop.app.serving import run_serve  # noqa: PLC0415

            return run_serve(paths, loaded, clock, arguments, language)
        case "acp":
            return _run_acp(paths, loaded, clock, arguments, language)
        case "toggle" | "open":
            return _shown(arguments, paths, loaded, language, clock, notes)
        case "settings" if not display_available(os.environ, sys.platform):
            raise UserInputInvalid(
                "The settings need a screen, and there is none here.",
                hint="Change them with “moltbot-desktop config set”.",
            )
        case "window" | "settings" if display_available(os.environ, sys.platform):
            from moltbot_desktop.app.arriving import run_desktop_program  # noqa: PLC0415

            first = SETTINGS if arguments.command == "settings" else WINDOW
            wish = None if first == WINDOW and arguments.start_hidden else first
            return run_desktop_program(
                arguments, paths, loaded, language, clock, notes, wish, entrance
            )
        case _:
            before_start(paths, clock, language)
            from moltbot_desktop.app.terminal import Terminal  # noqa: PLC0415

            return Terminal(paths, loaded, clock, language, arguments).run()


def _shown(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    clock: Clock,
    notes: CrashNotes,
) -> int:
    """Ask the running program to show something; without one, start it with that.

    Raises:
        UserInputInvalid: there is no such page or link, or no screen.
    """
    wish = _wish(arguments)
    if ring(paths.home, wish):
        return 0
    if not display_available(os.environ, sys.platform):
        raise UserInputInvalid(
            "Windows need a screen, and there is none here.",
            hint="Ask in the terminal with “moltbot-desktop ask”.",
        )
    # Late: a program that runs has answered without it.
    from moltbot_desktop.app.arriving import run_desktop_program  # noqa: PLC0415

    return run_desktop_program(arguments, paths, loaded, language, clock, notes, wish, None)


def _wish(arguments: Arguments) -> Wish:
    if arguments.command == "toggle":
        return TOGGLE
    return wish_of_link(arguments.name) if is_link(arguments.name) else Wish.of_page(arguments.name)


def _run_acp(
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    arguments: Arguments,
    language: Language,
) -> int:
    """Raises UserInputInvalid: the package that speaks with editors is not there."""
    try:
        from moltbot_desktop.app.acp_command import run_acp  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("acp", "pydantic"):
            raise
        raise UserInputInvalid(
            "Editors need one more part of the program.",
            hint="Run: pip install 'moltbot-desktop[acp]'",
        ) from error
    return run_acp(paths, loaded, clock, arguments, language)


def _user_home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None


def _system_language() -> Language:
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    name = name or locale.getlocale()[0] or ""
    return Language.CHINESE if name.lower().startswith(("zh", "chinese")) else Language.ENGLISH


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
