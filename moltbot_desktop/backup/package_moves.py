"""Skills, plugins and hooks: whole folders, because half of one is none.

    moves = package_moves(group, home / "skills", home / "imported", allowed=True)

A folder of that name that says something else stays; the other one is kept whole in `imported`,
from where it can be installed. So is what would run without anybody's yes.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path, PurePosixPath

from moltbot_desktop.backup.file_moves import content, put
from moltbot_desktop.backup.moves import Move, Offered, waits
from moltbot_desktop.backup.names import unpacked_name
from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.sdk.backup import Does, Step, Why
from moltbot_desktop.storage.bounded import UnfitFile


def package_moves(
    offered: Sequence[Offered], target: Path, apart: Path, *, allowed: bool
) -> Iterator[Move]:
    """Of all files of one kind.

    Args:
        target: the folder in which the packages lie here.
        apart: where one is kept that may not, or cannot, lie there.
        allowed: they may come to lie in `target`.

    Raises:
        UserInputInvalid: the backup is damaged.
        StorageError: what is here cannot be read.
    """
    ordered = sorted(offered, key=lambda one: one.spot.rest)
    for _, files in groupby(ordered, key=lambda one: one.spot.rest.partition("/")[0]):
        yield from _package([*files], target, apart, allowed=allowed)


def _package(
    files: Sequence[Offered], target: Path, apart: Path, *, allowed: bool
) -> Iterator[Move]:
    paths = [unpacked_name(one.spot.rest, windows=sys.platform == "win32") for one in files]
    if None in paths:
        yield from (waits(one, Why.NAME) for one in files)
        return
    named = [(one, path) for one, path in zip(files, paths, strict=True) if path is not None]
    fits = [_fits(target, path, one) for one, path in named]
    if all(fit == "same" for fit in fits):
        yield from (Move(_step(one, Does.SAME, target / path)) for one, path in named)
        return
    does, root = Does.NEW, target
    if "other" in fits or not allowed:
        does, root = Does.BESIDE, apart / _mark(named)
        fits = [_fits(root, path, one) for one, path in named]
    for (one, path), fit in zip(named, fits, strict=True):
        if fit == "same":
            yield Move(_step(one, Does.SAME, root / path))
        elif fit == "other":
            yield waits(one, Why.SET_HERE)
        else:
            mode = 0o700 if one.item.runnable else 0o600
            yield Move(_step(one, does, root / path), partial(_put, root, path, one, mode))


def _fits(root: Path, path: str, offered: Offered) -> str:
    """Whether what is here is ``same``, ``none`` or ``other``."""
    try:
        here = content(root, path)
    except (PathRefused, NotADirectoryError, IsADirectoryError, UnfitFile):
        return "other"
    if here is None:
        return "none"
    return "same" if hashlib.sha256(here).hexdigest() == offered.item.sha256 else "other"


def _put(root: Path, path: str, offered: Offered, mode: int) -> None:
    put(root, path, offered.data(), mode)


def _mark(named: Sequence[tuple[Offered, str]]) -> str:
    """The same for the same files."""
    whole = hashlib.sha256()
    for one, path in named:
        whole.update(f"{path}\0{one.item.sha256}\0".encode())
    return f"{PurePosixPath(named[0][0].spot.kind).name}-{whole.hexdigest()[:8]}"


def _step(one: Offered, does: Does, to: Path) -> Step:
    return Step(one.item.part, one.item.name, does, str(to), None, one.item.size)
