"""The desk of the place "Permissions": its books, opened for each look.

A running assistant looks at each call anew, so what is taken back here is asked for again there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.permissions import Deed, Grant
from moltbot_desktop.sdk.permits import Network
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.seal import Seal

_DAYS = 30


@dataclass(frozen=True)
class BookedPermits:
    """A `PermitsDesk`."""

    paths: Paths
    clock: Clock

    def grants(self) -> tuple[Grant, ...]:
        with self._opened() as permissions:
            return permissions.grants()

    def take_back(self, grant_id: str) -> bool:
        with self._opened() as permissions:
            return permissions.revoke(grant_id) is not None

    def deeds(self, most: int) -> tuple[Deed, ...]:
        with self._opened() as permissions:
            return permissions.deeds(most)

    def network(self) -> Network:
        with Seal(self.paths.home, self.clock) as seal:
            return Network(seal.closed, seal.sent_today(), seal.passages(_DAYS))

    @contextmanager
    def _opened(self) -> Iterator[Permissions]:
        with contextlib.closing(PermissionBook(self.paths.permissions_database)) as book:
            yield Permissions(book, self.clock)
