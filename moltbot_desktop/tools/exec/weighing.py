"""How much the words of a command can do, seen together with the places they name.

    power_of(("cat", "notes.md"), Path("/usr/bin/cat"), workspace, around, filters)   # Power.LOOKS

The rules know programs (`security.commands`), the places are judged as those of any other tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.security.commands.lexer import Argv
from moltbot_desktop.security.commands.rules import Level
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place
from moltbot_desktop.tools.exec.system import System

_OWN_PROGRAM = re.compile(r"(?i)(?:moltbot|clawdbot|openclaw)(?:[-_]?desktop)?(?:\.\w+)?")
_OWN_MODULE = re.compile(r"(?i)moltbot[-_]desktop")
_OTHER_FOLDERS = re.compile(r".*[\\/]", re.DOTALL)
_BETWEEN_WORDS = re.compile(r"""[\s'"=;|&<>()`,]+""")


def power_of(
    argv: Argv,
    program: Path,
    folder: Path,
    around: Surroundings,
    filters: Sequence[str],
    system: System,
) -> Power:
    if _is_ourselves(argv, program, system):
        return Power.NEVER
    named = tuple(system.dialect.paths(argv))
    places = {place_of(str(folder / word), around) for word in named}
    if Place.APP_STATE in places:
        return Power.NEVER
    level = system.dialect.level(argv)
    if level is Level.OTHER and argv[0] in filters and _only_filters(argv):
        level = Level.LOOKS
    if level is Level.OTHER or Place.OUTSIDE in places or not _is_trusted(program, around, system):
        return Power.ANYTHING
    if any(system.is_odd(word) for word in named if not _is_option(word)):
        return Power.ANYTHING
    if level is not Level.ADDS:
        return Power.LOOKS
    return Power.ADDS if places <= {Place.WORKSPACE} else Power.ANYTHING


def _is_option(word: str) -> bool:
    return word.startswith(("-", "/"))


def _only_filters(argv: Argv) -> bool:
    return not any("/" in word or "\\" in word or word.startswith((".", "@")) for word in argv[1:])


def _is_trusted(program: Path, around: Surroundings, system: System) -> bool:
    """A program of the system, whatever links lead to it: not one that somebody put somewhere."""
    real = program.resolve()
    return system.is_systems(real) and not real.is_relative_to(around.workspace.resolve())


def _is_ourselves(argv: Argv, program: Path, system: System) -> bool:
    """No tool changes settings, trust or plugins (R5): the model does not run this program, nor
    has another one run it."""
    names = (argv[0], program.name, program.resolve().name)
    if any(_OWN_PROGRAM.fullmatch(_OTHER_FOLDERS.sub("", one)) for one in names):
        return True
    if system.dialect.level(argv) is not Level.OTHER:
        return False  # it only reads: a folder may be called so
    return any(_OWN_MODULE.search(word) for word in argv[1:])


def words_of_line(text: str) -> list[str]:
    """What may be a path in a line for a shell."""
    return _BETWEEN_WORDS.split(text)


def power_of_line(text: str, folder: Path, around: Surroundings) -> Power:
    """Of a line for a shell: whatever it does is asked for, but what names keys, our state or our
    own program is not even that. The walls hold what a line does not name."""
    if _OWN_MODULE.search(text):
        return Power.NEVER
    for word in words_of_line(text):
        own = word if word.startswith("~") else str(folder / word)
        if word and place_of(own, around) is Place.APP_STATE:
            return Power.NEVER
    return Power.ANYTHING


def power_of_folder(folder: Path, around: Surroundings) -> Power:
    match place_of(str(folder), around):
        case Place.APP_STATE:
            return Power.NEVER
        case Place.OUTSIDE:
            return Power.ANYTHING
    return Power.LOOKS
