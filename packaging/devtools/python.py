"""Which Pythons will do, and how to get one that does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

from devtools.places import SetupError

OLDEST = (3, 11)
NEWEST = (3, 14)  # the newest for which every pinned package has a wheel


def dotted(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def require_python(
    version: Sequence[int], arguments: Sequence[str], can_start: Callable[[str], bool]
) -> None:
    """Raise SetupError, with the command to use instead, unless `version` fits the pins."""
    if OLDEST <= tuple(version[:2]) <= NEWEST:
        return
    text = (
        f"This is Python {dotted(version[:2])}; "
        f"Moltbot Desktop needs {dotted(OLDEST)} to {dotted(NEWEST)}.\n"
    )
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        if can_start(f"python3.{minor}"):
            again = " ".join((f"python3.{minor} packaging/dev.py", *arguments))
            raise SetupError(f"{text}This computer has one that fits. Run: {again}")
    raise SetupError(text + install_hint(sys.platform))


def install_hint(system: str) -> str:
    """How to get a Python that fits on `system` (a sys.platform)."""
    if system == "darwin":
        return "Install one: brew install python@3.12, then run: python3.12 packaging/dev.py"
    if system == "win32":
        return "Install one: winget install Python.Python.3.12, then: py -3.12 packaging\\dev.py"
    return (
        "Install one, for example: sudo apt-get install -y python3.12 python3.12-venv "
        "(or with pyenv), then run: python3.12 packaging/dev.py"
    )
