"""How command lines are read on a system: its quotes, its programs, its paths.

HERE.read("ls -la")                  # Literal(…), or NotLiteral with the reason
WINDOWS.level(("findstr", "x", "a.txt"))
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from moltbot_desktop.security.commands import lexer, rules, windows
from moltbot_desktop.security.commands.lexer import Argv, Literal, NotLiteral
from moltbot_desktop.security.commands.rules import Level


@dataclass(frozen=True)
class Dialect:
    """All of it is pure.

    Attributes:
        read: a line as literal words.
        needs_shell: the first word is something that only a shell can do.
        level: what a program can do with its words.
        paths: words, and parts of words, that may name a file.
        far: words whose very look-up would reach another computer.
    """

    read: Callable[[str], Literal | NotLiteral]
    needs_shell: Callable[[Argv], bool]
    level: Callable[[Argv], Level]
    paths: Callable[[Argv], Iterable[str]]
    far: Callable[[str], bool]


POSIX = Dialect(
    lexer.read_command, lexer.needs_shell, rules.level_of, rules.paths_in, lambda _word: False
)
WINDOWS = Dialect(
    windows.read_command,
    windows.needs_shell,
    windows.level_of,
    windows.paths_in,
    windows.is_far,
)
HERE = WINDOWS if sys.platform == "win32" else POSIX
