"""Conversations by their ids, and which of them is whose current one.

A transcript only grows. So of two with the same id one may be how the other began: then the longer
one is the whole. Otherwise both are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moltbot_desktop.backup.manifest import LARGEST_FILE
from moltbot_desktop.backup.moves import Move, Offered, waits
from moltbot_desktop.backup.places import INDEX, Places
from moltbot_desktop.backup.transcripts import other_id, taken_in
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.sdk.backup import Does, Step, Why
from moltbot_desktop.sessions.index import IndexEntry, SessionIndex, is_session_id, parse_index
from moltbot_desktop.sessions.index_file import IndexFile
from moltbot_desktop.sessions.keys import normalise_agent_id, parse_session_key
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.sessions.transcript import read_header
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_ENDING = ".jsonl"


@dataclass(frozen=True)
class SessionMoves:
    """Of the conversations of all agents."""

    places: Places
    clock: Clock
    mine: bool

    def moves(self, offered: Sequence[Offered]) -> Iterator[Move]:
        """Raises:
        UserInputInvalid: the backup is damaged.
        StorageError: what is here cannot be read.
        """
        indexes = [one for one in offered if one.spot.rest == INDEX]
        keys = {one.spot.agent: _index_of(one) for one in indexes}
        there: set[tuple[str, str]] = set()
        for one in offered:
            if one.spot.rest != INDEX:
                there.add((one.spot.agent, one.spot.rest.removesuffix(_ENDING)))
                yield self._one(one, keys.get(one.spot.agent))
        for one in indexes:
            yield self._index(one, keys[one.spot.agent], there)

    def _one(self, offered: Offered, index: SessionIndex | None) -> Move:
        agent = normalise_agent_id(offered.spot.agent)
        name = SessionId(offered.spot.rest.removesuffix(_ENDING))
        if agent != offered.spot.agent or not offered.spot.rest.endswith(_ENDING):
            return waits(offered, Why.NAME)
        if not is_session_id(name):
            return waits(offered, Why.NAME)
        data, key = offered.data(), _key_of(index, name)
        taken = taken_in(data, agent, name, mine=self.mine, key=key)
        if taken is None:
            return waits(offered, Why.NOT_FITTING)
        folder = self.places.sessions(agent)
        if (folder / "trash" / f"{name}{_ENDING}").exists():
            return waits(offered, Why.REMOVED_HERE)
        path = folder / f"{name}{_ENDING}"
        here = _content(path)
        if here is None:
            return self._put(offered, path, taken, Does.NEW)
        if here.startswith(taken):
            return Move(Step(offered.item.part, offered.item.name, Does.SAME, str(path)))
        if taken.startswith(here) and here.endswith(b"\n"):
            return self._longer(offered, path, taken, len(here))
        return self._beside(offered, agent, data)

    def _beside(self, offered: Offered, agent: AgentId, data: bytes) -> Move:
        name = other_id(data)
        # Under a key of its own, whoever vouches for it: the other one goes on with theirs.
        taken = taken_in(data, agent, name, mine=False)
        path = self.places.sessions(agent) / f"{name}{_ENDING}"
        here = _content(path)
        if taken is None or (here is not None and not here.startswith(taken)):
            return waits(offered, Why.SET_HERE)
        if here is not None:
            return Move(Step(offered.item.part, offered.item.name, Does.SAME, str(path)))
        return self._put(offered, path, taken, Does.BESIDE)

    def _put(self, offered: Offered, path: Path, data: bytes, does: Does) -> Move:
        step = Step(offered.item.part, offered.item.name, does, str(path), None, len(data))
        return Move(step, partial(_written, path, data))

    def _longer(self, offered: Offered, path: Path, data: bytes, known: int) -> Move:
        step = Step(
            offered.item.part, offered.item.name, Does.LONGER, str(path), None, len(data) - known
        )
        header = read_header(path)
        if header is None:
            return waits(offered, Why.NOT_FITTING)
        store = SessionStore(self.places.home, self.clock)
        try:
            with store.holding(header.key, path.parent):
                pass
        except StoreBusy:
            return waits(offered, Why.OPEN)

        def act() -> None:
            with store.holding(header.key, path.parent):
                # Somebody may have said something meanwhile; then it is no longer how it began.
                if (now := _content(path)) is not None and data.startswith(now):
                    write_atomic(path, data)

        return Move(step, act)

    def _index(self, offered: Offered, index: SessionIndex, there: set[tuple[str, str]]) -> Move:
        agent = normalise_agent_id(offered.spot.agent)
        if not self.mine:
            return waits(offered, Why.LETS_MORE)
        folder = self.places.sessions(agent)
        file = IndexFile(folder)
        known = file.read().entries if folder.is_dir() else {}
        new = {
            key: entry
            for key, entry in index.entries.items()
            if key not in known
            and (parsed := parse_session_key(key)) is not None
            and parsed.agent == agent
            and (agent, entry.session_id) in there
        }
        to = str(folder / INDEX)
        if not new:
            return Move(Step(offered.item.part, offered.item.name, Does.SAME, to))
        step = Step(offered.item.part, offered.item.name, Does.LINES, to, None, len(new))
        return Move(step, partial(_pointed, folder, file, new))


def _pointed(folder: Path, file: IndexFile, new: Mapping[SessionKey, IndexEntry]) -> None:
    make_private_dir(folder)

    def change(index: SessionIndex) -> SessionIndex:
        for key, entry in new.items():
            if key not in index.entries and (folder / f"{entry.session_id}{_ENDING}").exists():
                index = index.with_entry(key, entry)
        return index

    file.change(change)


def _written(path: Path, data: bytes) -> None:
    make_private_dir(path.parent)
    write_atomic(path, data)


def _content(path: Path) -> bytes | None:
    with disk_errors(path):
        try:
            return read_plain(path, LARGEST_FILE)
        except FileNotFoundError:
            return None


def _index_of(offered: Offered) -> SessionIndex:
    """Of another program too: its session files may be called otherwise."""
    return parse_index(offered.data())


def _key_of(index: SessionIndex | None, session_id: SessionId) -> SessionKey | None:
    for key, entry in (index.entries if index is not None else {}).items():
        if entry.session_id == session_id:
            return key
    return None
