"""Words taken out of what is neither memory nor conversation: books, names, helpers, copies, log.

    places = OtherPlaces(paths, workspace)
    places.look("My dentist is Dr. Okafor")        # Elsewhere(places=((Place.REMINDERS, 1),))
    places.take_out("My dentist is Dr. Okafor")    # the same, and the files that are left

The books are opened here for the moment, beside whoever has them open: so it is the same from the
shell, from the window, and for each agent, and nobody has to be asked for them. What this program
wrote for itself is changed; what a person may have written in an editor is told and left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.backup.snapshots import copies_in
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import in_one_line
from moltbot_desktop.gateway import mail_schema
from moltbot_desktop.gateway.helper_book import HelperBook
from moltbot_desktop.schedule import job_rows
from moltbot_desktop.schedule import store as reminders
from moltbot_desktop.sdk.forgetting import Elsewhere, Place
from moltbot_desktop.security import permission_book
from moltbot_desktop.sessions.blotting import blotted_fields, blotted_object, blotted_text
from moltbot_desktop.sessions.index import SessionIndex, load_index
from moltbot_desktop.sessions.index_file import IndexFile
from moltbot_desktop.sessions.same_words import spans
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic
from moltbot_desktop.storage.redacting import Change, TextColumn, counted, redacted
from moltbot_desktop.tools.undo_journal import UNDO_FOLDER

_PAGE_FIELDS = frozenset({"text", "name"})
_NAME_FIELDS = frozenset({"label", "displayName", "subject"})
_PAGE = ".words.jsonl"
"""What a plugin keeps of conversations: objects of JSON with the words in ``text``."""
_MOST_BYTES = 4_000_000
_LARGEST_COPY = 64_000_000
"""Bytes of a copy or a log of ours; the largest that undo keeps has a third."""
_MOST_FILES = 5_000
"""Of a look through the folders: a workspace may be any folder of the person's."""


class _Spot(NamedTuple):
    """One place: `look` counts and `take_out` changes, both for given words."""

    place: Place
    look: Callable[[str], int]
    take_out: Callable[[str], int]


@dataclass(frozen=True)
class OtherPlaces:
    """Attributes:
    workspace: of the agent who was asked; those below the home folder are looked through too.
    """

    paths: Paths
    workspace: Path

    def look(self, words: str) -> Elsewhere:
        return _gathered((spot.place, partial(spot.look, words)) for spot in self._spots())

    def take_out(self, words: str) -> Elsewhere:
        done = _gathered((spot.place, partial(spot.take_out, words)) for spot in self._spots())
        return replace(done, files=tuple(self._left(words)))

    def _spots(self) -> Iterator[_Spot]:
        yield self._helpers()
        home = self.paths.home
        mail = (self.paths.mail_database, mail_schema.MIGRATIONS, mail_schema.WORDS)
        yield _book(Place.MAIL, *mail, fields=mail_schema.WORD_FIELDS)
        for page in sorted(home.glob(f"plugins/*/*/*{_PAGE}")):
            yield _Spot(Place.MAIL, partial(_on_page, page), partial(_off_page, page))
        jobs = (home / "cron" / "jobs.sqlite", job_rows.MIGRATIONS, job_rows.WORDS)
        yield _book(Place.JOBS, *jobs, fields=job_rows.WORD_FIELDS)
        state = (self.paths.state_database, reminders.MIGRATIONS, reminders.WORDS)
        yield _book(Place.REMINDERS, *state)
        deeds = (self.paths.permissions_database, permission_book.MIGRATIONS, permission_book.WORDS)
        yield _book(Place.PERMISSIONS, *deeds)
        for index in sorted(home.glob("agents/*/sessions/sessions.json")):
            yield _Spot(Place.NAMES, partial(_names, index), partial(_rename, index))
        for workspace in self._workspaces():
            for copy in _files(workspace / UNDO_FOLDER):
                yield _file(Place.COPIES, copy)
        yield from self._snapshots()
        for log in _files(self.paths.logs):
            yield _file(Place.LOG, log)

    def _snapshots(self) -> Iterator[_Spot]:
        """Copies of files, each once however many snapshots share it, and of books."""
        books = {
            "state.sqlite": (reminders.MIGRATIONS, reminders.WORDS, frozenset[str]()),
            "jobs.sqlite": (job_rows.MIGRATIONS, job_rows.WORDS, job_rows.WORD_FIELDS),
        }
        seen: set[int] = set()
        for copy, path in copies_in(self.paths.home / "snapshots"):
            number = copy.stat().st_ino
            if number in seen:
                continue
            seen.add(number)
            if path.name in books:
                migrations, columns, fields = books[path.name]
                yield _book(Place.COPIES, copy, migrations, columns, fields)
            else:
                yield _file(Place.COPIES, copy)

    def _helpers(self) -> _Spot:
        book = HelperBook(self.paths.home / "subagents" / "runs.json")
        return _Spot(
            Place.HELPERS,
            lambda words: book.counted(_change(words)),
            lambda words: book.redacted(_change(words)),
        )

    def _workspaces(self) -> tuple[Path, ...]:
        below = sorted(self.paths.home.glob("workspace*/"))
        return tuple(dict.fromkeys([self.workspace, *below]))

    def _left(self, words: str) -> Iterator[str]:
        """Files that a person may have written; the settings and set aside books among them."""
        home = self.paths.home
        folders = dict.fromkeys([home, *(one for one in self._workspaces() if home not in
                                         one.parents)])  # fmt: skip
        for folder in folders:
            for path in islice(self._own_files(folder), _MOST_FILES):
                if _says(path, words):
                    yield str(path.relative_to(folder)) if folder == home else str(path)

    def _own_files(self, folder: Path) -> Iterator[Path]:
        for at, folders, names in os.walk(folder):
            here = Path(at)
            folders[:] = sorted(one for one in folders if self._looked_into(here / one))
            for name in sorted(names):
                if ".sqlite" not in name or ".damaged" in name:
                    yield here / name

    def _looked_into(self, folder: Path) -> bool:
        """Not where the words were seen to already, nor the index, which is a cache."""
        snapshots = self.paths.home / "snapshots"
        seen_to = (snapshots, self.paths.logs, self.paths.model_state, self.paths.home / "memory")
        is_sessions = folder.name == "sessions" and folder.parent.parent.name == "agents"
        return not folder.name.startswith(".") and folder not in seen_to and not is_sessions


def _gathered(works: Iterator[tuple[Place, Callable[[], int]]]) -> Elsewhere:
    counts: dict[Place, int] = {}
    problems: list[str] = []
    for place, work in works:
        try:
            count = work()
        except StorageError as error:
            problems.append(in_one_line(error.message, error.hint))
            continue
        if count:
            counts[place] = counts.get(place, 0) + count
    return Elsewhere(tuple(counts.items()), tuple(dict.fromkeys(problems)))


def _change(words: str, fields: frozenset[str] = frozenset()) -> Change:
    if fields:
        return lambda text: blotted_fields(text, words, fields)
    return lambda text: blotted_text(text, words)


def _book(
    place: Place,
    path: Path,
    migrations: tuple[str, ...],
    columns: tuple[TextColumn, ...],
    fields: frozenset[str] = frozenset(),
) -> _Spot:
    return _Spot(
        place,
        lambda words: counted(path, columns, _change(words, fields)),
        lambda words: redacted(path, migrations, columns, _change(words, fields)),
    )


# ------------------------------------------------------------------ names of conversations


def _names(path: Path, words: str) -> int:
    return _renamed(load_index(path), words)[1]


def _rename(path: Path, words: str) -> int:
    count = _names(path, words)
    if count:
        IndexFile(path.parent).change(lambda index: _renamed(index, words)[0])
    return count


def _renamed(index: SessionIndex, words: str) -> tuple[SessionIndex, int]:
    places = 0
    for key, entry in index.entries.items():
        other, count = blotted_object(entry.other, words, _NAME_FIELDS)
        if count:
            index = index.with_entry(key, replace(entry, other=other))
            places += count
    return index, places


# ------------------------------------------------------------------ pages of plugins


def _on_page(path: Path, words: str) -> int:
    return _blotted_page(path, words)[1]


def _off_page(path: Path, words: str) -> int:
    text, count = _blotted_page(path, words)
    if count:
        write_atomic(path, text.encode("utf-8", "surrogateescape"))
    return count


def _blotted_page(path: Path, words: str) -> tuple[str, int]:
    lines = [blotted_fields(line, words, _PAGE_FIELDS) for line in _text(path).split("\n")]
    return "\n".join(line for line, _ in lines), sum(count for _, count in lines)


# ------------------------------------------------------------------ files


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _file(place: Place, path: Path) -> _Spot:
    return _Spot(
        place,
        lambda words: blotted_text(_text(path), words)[1],
        lambda words: _blot_file(path, words),
    )


def _blot_file(path: Path, words: str) -> int:
    """In its place, because a log is being written on."""
    with disk_errors(path), path.open("r+b") as file:
        data = file.read(_LARGEST_COPY + 1)
        if len(data) > _LARGEST_COPY:
            raise UnfitFile(_LARGEST_COPY)
        text = data.decode("utf-8", "surrogateescape")
        after, count = blotted_text(text, words)
        if count:
            file.seek(0)
            file.write(after.encode("utf-8", "surrogateescape"))
            file.truncate()
    return count


def _text(path: Path) -> str:
    with disk_errors(path):
        return read_plain(path, _LARGEST_COPY).decode("utf-8", "surrogateescape")


def _says(path: Path, words: str) -> bool:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return False
        return bool(spans(_text(path), words))
    except (OSError, StorageError):
        return False
