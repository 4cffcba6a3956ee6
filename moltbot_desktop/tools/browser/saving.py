"""Where what a page gives is put, and what is sent to one: files of the workspace alone.

    place = free_place(workspace, "example.org", "report.pdf")
    # workspace/downloads/example.org-report.pdf, or -2 when that is there

The name begins with the site: one sees where a file is from, and none of them can be called
``AGENTS.md`` or begin with a dot.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.security.paths import open_to_read, resolve_inside
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.tools.browser.trouble import BrowserTrouble
from moltbot_desktop.tools.origin import DOWNLOADS

FOLDER = DOWNLOADS
MOST_SENT = 40 * 1024 * 1024
_UNFIT = re.compile(r"[^\w.()+=@-]+")
_LONGEST = 100
_MOST_ALIKE = 1_000


@dataclass(frozen=True)
class FileToSend:
    """The very bytes that go."""

    name: str
    media: str
    data: bytes


def file_name(site: str, name: str) -> str:
    """A plain name of both."""
    host = _UNFIT.sub("_", site).strip(". ") or "page"
    stem, dot, ending = _UNFIT.sub("_", name).strip(". ").rpartition(".")
    ending = ending[:12]
    kept = f"{stem[: _LONGEST - len(ending)]}{dot}{ending}" if dot else ending or "file"
    return f"{host[:60]}-{kept}".rstrip(". ")


def free_place(workspace: Path, site: str, name: str) -> Path:
    """A path that is free, in the folder for such files, which is made.

    Raises:
        PathRefused: that folder is a link out of the workspace.
        StorageError: it cannot be made.
    """
    wanted = Path(file_name(site, name))
    folder = resolve_inside(workspace, FOLDER)
    make_private_dir(folder)
    for number in range(1, _MOST_ALIKE):
        shown = wanted.name if number == 1 else f"{wanted.stem}-{number}{wanted.suffix}"
        place = resolve_inside(workspace, f"{FOLDER}/{shown}")
        if not place.exists():
            return place
    raise PathRefused(f"There are too many files like “{wanted.name}”.", hint="Move some away.")


def files_to_send(workspace: Path, paths: Sequence[str]) -> tuple[FileToSend, ...]:
    """Read them through the guard: what was judged is what goes.

    Raises:
        BrowserTrouble: one is no file of the workspace, or all together are too large.
    """
    found = []
    room = MOST_SENT
    for text in paths:
        try:
            place = resolve_inside(workspace, text)
            with open_to_read(place, (workspace,)) as file:
                data = file.read(room + 1)
        except (PathRefused, OSError) as error:
            reason = error.message if isinstance(error, PathRefused) else error.strerror or "?"
            raise BrowserTrouble(
                f"{text!r} cannot be sent: {reason}", "no_upload", path=text[:80], reason=reason
            ) from error
        room -= len(data)
        if room < 0:
            megabytes = MOST_SENT // 1024**2
            raise BrowserTrouble("too large to be sent", "too_large", megabytes=megabytes)
        media = mimetypes.guess_type(place.name)[0] or "application/octet-stream"
        found.append(FileToSend(place.name, media, data))
    return tuple(found)


def shown(workspace: Path, place: Path) -> str:
    """As a tool names it."""
    return place.relative_to(workspace.resolve()).as_posix()
