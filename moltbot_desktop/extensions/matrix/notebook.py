"""What an account has to know again after a restart, in a file that only its owner reads.

    notebook = Notebook.opened(folder)
    notebook.since, notebook.device = "s72_1", "ABCDEFGH"
    notebook.save()

The place to read on from is written after the messages before it are kept, so a file that is older
than it could be gives messages twice, and the program knows them again. No token stands in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

_NAME = "account.json"
_MOST_BYTES = 4_000_000
MOST_UNREAD = 200
MOST_TALKS = 5_000


@dataclass
class Notebook:
    """Belongs to the account's thread.

    Attributes:
        folder: of the account, for its keys too.
        since: the sync token to read on from, "" before the first time.
        device: the device id that a login with a password has got, "" for none yet.
        talks: the room in which somebody wrote last to us alone.
        unread: encrypted events whose key is not there yet: event id to room and session.
    """

    folder: Path
    since: str = ""
    device: str = ""
    talks: dict[str, str] = field(default_factory=dict)
    unread: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def opened(cls, folder: Path) -> Notebook:
        """The one in `folder`, which is made; an empty one where none can be read.

        Raises:
            OSError: the folder cannot be made.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        book = cls(folder)
        try:
            with (folder / _NAME).open("rb") as file:
                told = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return book
        if isinstance(told, Mapping):
            book.since, book.device = str(told.get("since", "")), str(told.get("device", ""))
            book.talks = _texts(told.get("talks"))
            waiting = told.get("unread")
            for event, place in (waiting if isinstance(waiting, Mapping) else {}).items():
                if isinstance(place, list) and len(place) == 2:
                    book.unread[str(event)] = (str(place[0]), str(place[1]))
        return book

    def talked(self, person: str, room: str) -> None:
        """`person` wrote to us alone in `room`."""
        self.talks.pop(person, None)
        self.talks[person] = room
        while len(self.talks) > MOST_TALKS:
            del self.talks[next(iter(self.talks))]

    def wait_for(self, event: str, room: str, session: str) -> None:
        """An event cannot be read before the key of `session` comes."""
        self.unread[event] = (room, session)
        while len(self.unread) > MOST_UNREAD:
            del self.unread[next(iter(self.unread))]

    def save(self) -> None:
        """Write it down, whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        told = {k: v for k, v in asdict(self).items() if k != "folder"}
        fresh = self.folder / f"{_NAME}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps(told))  # json.dump is the slow encoder
        fresh.replace(self.folder / _NAME)


def _texts(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {str(k): v for k, v in pairs if isinstance(v, str)}
