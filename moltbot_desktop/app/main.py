"""The program's entry: decides between window, terminal and commands, and tells known errors.

Exit codes: 0 done, 1 not answered, 2 a known error (one line on stderr says which and what to
do), 70 the program had to end hard, 130 interrupted.
"""

from __future__ import annotations

import locale
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.app.backup_start import before_start
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.logs import CrashNotes, start_logging
from moltbot_desktop.app.paths import Paths, locate
from moltbot_desktop.app.shell_commands import COMMANDS, Asked
from moltbot_desktop.cli.parser import Arguments, is_command, parse
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.qt.display import display_available
from moltbot_desktop.qt.doorbell import ring
from moltbot_desktop.qt.wishes import SETTINGS, TOGGLE, WINDOW, Wish, is_link, wish_of_link

# Late: a terminal needs no Qt, nor a window the terminal, and a program that runs has answered
# without either.
if TYPE_CHECKING:
    from moltbot_desktop.app import arriving, plugin_cli, terminal
    from moltbot_desktop.ui.entrance import Entrance
else:
    arriving = LateModule("moltbot_desktop.app.arriving")
    plugin_cli = LateModule("moltbot_desktop.app.plugin_cli")
    terminal = LateModule("moltbot_desktop.app.terminal")

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
        clock = SystemClock(loaded.config.agent.user_timezone or "")
        asked = Asked(arguments, paths, loaded, language, clock)
        return _carried_out(asked, notes, entrance)
    except MoltbotError as error:
        return _refused(error, language)


def _of_a_plugin(words: Sequence[str]) -> int | None:
    """The exit status of a plugin's subcommand; None when it is none."""
    if not words or not _PLUGIN_COMMAND.fullmatch(words[0]) or is_command(words[0]):
        return None
    paths, system = locate(os.environ, _user_home()), _system_language()
    loaded = load_config(paths.home, language=system)
    start_logging(paths.logs)
    language = chosen_language(loaded, system)
    return plugin_cli.run_plugin_command(words, paths, loaded, SystemClock(), language)


def chosen_language(loaded: LoadedConfig, system: Language) -> Language:
    """Whoever has chosen one for the windows alone does not want half of them in another."""
    said = (loaded.config.agent.language, loaded.config.ui.language)
    return next((Language(one) for one in said if one != "auto"), system)


def _refused(error: MoltbotError, language: Language) -> int:
    sys.stderr.write(f"moltbot-desktop: {in_words(error, language)}\n")
    return 2


def _carried_out(asked: Asked, notes: CrashNotes, entrance: Entrance | None) -> int:
    """Raises:
    MoltbotError: it could not be done.
    """
    command = asked.arguments.command
    if (in_the_shell := COMMANDS.get(command)) is not None:
        return in_the_shell(asked)
    if command in ("toggle", "open"):
        return _shown(asked, notes)
    if command not in ("window", "settings"):
        return _terminal(asked)
    if display_available(os.environ, sys.platform):
        first = SETTINGS if command == "settings" else WINDOW
        wish = None if first == WINDOW and asked.arguments.start_hidden else first
        return _desktop(asked, notes, wish, entrance)
    if command == "settings":
        raise UserInputInvalid(
            "The settings need a screen, and there is none here.",
            hint="Change them with “moltbot-desktop config set”.",
        )
    return _terminal(asked)


def _desktop(
    asked: Asked, notes: CrashNotes, wish: Wish | None, entrance: Entrance | None = None
) -> int:
    return arriving.run_desktop_program(
        *(asked.arguments, asked.paths, asked.loaded, asked.language, asked.clock),
        *(notes, wish, entrance),
    )


def _terminal(asked: Asked) -> int:
    before_start(asked.paths, asked.clock, asked.language)
    return terminal.Terminal(
        asked.paths, asked.loaded, asked.clock, asked.language, asked.arguments
    ).run()


def _shown(asked: Asked, notes: CrashNotes) -> int:
    """Ask the running program to show something; without one, start it with that.

    Raises:
        UserInputInvalid: there is no such page or link, or no screen.
    """
    wish = _wish(asked.arguments)
    if ring(asked.paths.home, wish):
        return 0
    if not display_available(os.environ, sys.platform):
        raise UserInputInvalid(
            "Windows need a screen, and there is none here.",
            hint="Ask in the terminal with “moltbot-desktop ask”.",
        )
    return _desktop(asked, notes, wish)


def _wish(arguments: Arguments) -> Wish:
    if arguments.command == "toggle":
        return TOGGLE
    return wish_of_link(arguments.name) if is_link(arguments.name) else Wish.of_page(arguments.name)


def _user_home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None


def _system_language() -> Language:
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    name = name or locale.getlocale()[0] or ""
    return Language.CHINESE if name.lower().startswith(("zh", "chinese")) else Language.ENGLISH
