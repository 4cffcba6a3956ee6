"""What the owner has allowed, for one process: looked up, used, given, taken back; what was done.

    permissions = Permissions(PermissionBook(path), clock)
    permissions.covering(parts, "main")                  # ids of grants, or None
    permissions.give(parts, Term.HOUR, "main")
    with one deed: number = permissions.begin(deed); permissions.end(number, "ok")

Everything here blocks (SQLite) and is for any thread. An hour's yes ends by two clocks: the one on
the wall, so that every process sees when, and the one that nobody can put back; and it dies with
the process that it was given in (policy R4).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.permissions import Deed, Grant, Part
from moltbot_desktop.security.grants import covers
from moltbot_desktop.security.permission_book import PermissionBook

HOUR = timedelta(hours=1)


def _new_id() -> str:
    return uuid.uuid4().hex


class Permissions:
    """Each method raises StorageError when the book cannot be read or written."""

    def __init__(
        self, book: PermissionBook, clock: Clock, new_id: Callable[[], str] = _new_id
    ) -> None:
        self._book = book
        self._clock = clock
        self._new_id = new_id
        self._process = new_id()
        self._ends: dict[str, float] = {}
        book.tidy(clock.now())

    def covering(self, parts: Sequence[Part], agent: str) -> tuple[str, ...] | None:
        """The grants by which all of `parts` are allowed, noted as used; None where one is not."""
        now, found = self._clock.now(), []
        grants = [one for one in self._book.grants() if self._goes_on(one)]
        for part in parts:
            ids = (one.id for one in grants if covers(one, part, agent, now, self._process))
            grant_id = next(ids, None)
            if grant_id is None:
                return None
            found.append(grant_id)
        return tuple(found) if found and self._book.used(found, now) else None

    def give(self, parts: Sequence[Part], term: Term, agent: str, note: str = "") -> None:
        """Keep the owner's yes to `parts`, for an hour or for always."""
        for part in parts:
            self._give(part, term, agent, note)

    def grants(self) -> tuple[Grant, ...]:
        """Those that have not ended; the newest last."""
        now = self._clock.now()
        return tuple(
            one for one in self._book.grants() if one.until is None or one.given <= now < one.until
        )

    def revoke(self, begins: str) -> Grant | None:
        """Take back the one whose id begins so; None when there is none, or more than one."""
        found = [one for one in self._book.grants() if begins and one.id.startswith(begins)]
        if len(found) != 1 or not self._book.revoke(found[0].id):
            return None
        return found[0]

    def begin(self, deed: Deed) -> int:
        return self._book.begin(deed)

    def end(self, number: int, outcome: str) -> None:
        self._book.end(number, outcome)

    def deeds(self, most: int, run: str = "") -> tuple[Deed, ...]:
        """The newest first."""
        return self._book.deeds(most, run)

    def _give(self, part: Part, term: Term, agent: str, note: str) -> None:
        now, grant_id = self._clock.now(), self._new_id()[:8]
        hour = term is Term.HOUR
        if hour:
            self._ends[grant_id] = self._clock.monotonic() + HOUR.total_seconds()
        grant = Grant(
            *(grant_id, part, agent, term, now),
            until=now + HOUR if hour else None,
            process=self._process if hour else "",
            note=note,
        )
        self._book.add(grant)

    def _goes_on(self, grant: Grant) -> bool:
        if grant.process != self._process:
            return not grant.process
        return self._clock.monotonic() < self._ends.get(grant.id, 0.0)
