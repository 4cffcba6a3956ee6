"""What is different about commands on another system, in one value that planning is handed.

posix_system.POSIX, windows_system.windows(os.environ); here.SYSTEM is the one of this computer
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.security.commands.dialect import Dialect
from moltbot_desktop.security.commands.lexer import Argv


@dataclass(frozen=True)
class System:
    """How programs are found, told from one another, and started.

    Attributes:
        find: a program by its name, as seen from a folder, with folders to search first; not
            followed to its end, for a program may look at the name it was started by.
        for_a_shell: what was found can only be started by a shell.
        is_systems: a real path is one of the system's own programs.
        is_odd: a path's spelling may mean another one than it says.
        shell: the words that hand a whole line to a shell; None where there is none.
        environment: variables that every program gets, with those folders first in its path.
        homes: variables for its home and its scratch folder.
        shown: one word as a person would write it.
        terminals: programs can have a terminal of their own.
        lasting: a yes may last; not where nothing holds a program.
    """

    dialect: Dialect
    find: Callable[[str, Path, Sequence[Path]], Path | None]
    for_a_shell: Callable[[Path], bool]
    is_systems: Callable[[Path], bool]
    is_odd: Callable[[str], bool]
    shell: Callable[[str], Argv | None]
    environment: Callable[[Sequence[Path]], Mapping[str, str]]
    homes: Callable[[str, str], Mapping[str, str]]
    shown: Callable[[str], str]
    terminals: bool = True
    lasting: bool = True
