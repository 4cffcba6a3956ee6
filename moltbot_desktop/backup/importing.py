"""An import as a whole: what it would do, doing it, and looking whether it was done.

    work = Import(places, desk, offer, parts, mine=False)
    steps = work.planned()
    work.carry_out()              # raises StorageError; doing it again goes on where it stopped

Everything is judged by what is here at that moment and nothing by what was done before. So the same
work can be begun again after a crash, and when it is done, the same judgement finds nothing to do:
that is the check at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from moltbot_desktop.backup.book_moves import BookMoves
from moltbot_desktop.backup.books import model_names, pairing_names
from moltbot_desktop.backup.file_moves import file_move
from moltbot_desktop.backup.going import along
from moltbot_desktop.backup.manifest import Item
from moltbot_desktop.backup.moves import Move, Offered
from moltbot_desktop.backup.package_moves import package_moves
from moltbot_desktop.backup.places import (
    HOOKS,
    INBOX,
    JOBS,
    KEYS,
    MODELS,
    PAIRINGS,
    PLUGINS,
    REMINDERS,
    SESSIONS,
    SETTINGS,
    SKILLS,
    WORKSPACES,
    Places,
    part_of,
    spot_of,
)
from moltbot_desktop.backup.session_moves import SessionMoves
from moltbot_desktop.backup.settings_moves import settings_moves
from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.places import Place
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ConfigInvalid, StorageError, UserInputInvalid
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import UNWATCHED, Does, Going, Part, Step, Why
from moltbot_desktop.sessions.keys import normalise_agent_id

_IDLE = (Does.SAME, Does.WAITS)


class Offer(Protocol):
    """What comes from elsewhere, in the form of a backup, whatever it is made of.

    Attributes:
        made: ISO 8601, "" when nobody knows.
        told: what cannot be taken over, and why.
    """

    @property
    def made(self) -> str: ...

    @property
    def program(self) -> str: ...

    @property
    def items(self) -> Sequence[Item]: ...

    @property
    def told(self) -> Sequence[Step]: ...

    def read(self, item: Item) -> bytes:
        """Raises UserInputInvalid: it is not what it was."""
        ...


@dataclass(frozen=True)
class SettingsHere:
    """The settings of this computer.

    Attributes:
        written: what stands in the file, with all files; raises ConfigInvalid, StorageError.
        put: writes one; raises ConfigInvalid, UserInputInvalid, StorageError.
    """

    written: Callable[[], JsonObject]
    put: Callable[[Place, JsonValue], None]


@dataclass(frozen=True)
class Import:
    """One import. Attributes:
    parts: what of it is wanted.
    new_id: for jobs.
    """

    places: Places
    clock: Clock
    settings: SettingsHere
    offer: Offer
    parts: frozenset[Part]
    mine: bool
    new_id: Callable[[], str]

    def planned(self, going: Going = UNWATCHED) -> tuple[Step, ...]:
        """What would be done, the told things last.

        Raises:
            NotWanted: of `going`.
            UserInputInvalid: the backup is damaged.
            ConfigInvalid, StorageError: what is here cannot be read.
        """
        moves = along(self.moves(), len(self.offer.items), going)
        return (*(move.step for move in moves), *self._told())

    def carry_out(self, going: Going = UNWATCHED) -> tuple[Step, ...]:
        """Do it; what was done.

        Raises:
            UserInputInvalid, ConfigInvalid: as `planned`.
            StorageError: some of it was done, or did not come to stand as it should.
        """
        steps: list[Step] = []
        unfit: set[tuple[Part, str]] = set()
        for move in along(self.moves(), len(self.offer.items), going):
            step = _carried_out(move)
            steps.append(step)
            if step.does is Does.WAITS:
                unfit.add((step.part, step.name))
        for move in self.moves():
            open_still = move.step.does not in _IDLE
            if open_still and (move.step.part, move.step.name) not in unfit:
                raise StorageError(
                    f"“{move.step.name}” did not come to stand as it should.",
                    hint="Import again, or restore the snapshot that was made before.",
                )
        return (*steps, *self._told())

    def moves(self) -> Iterator[Move]:
        """In the order in which they are to be carried out."""
        by_kind: dict[str, list[Offered]] = {}
        for item in self.offer.items:
            spot = spot_of(item.name)
            if spot is None or part_of(item.name) is not item.part:
                yield Move(Step(item.part, item.name, Does.WAITS, why=Why.NAME))
            elif item.part in self.parts:
                read = partial(self.offer.read, item)
                by_kind.setdefault(spot.kind, []).append(Offered(item, spot, read))
        for one in by_kind.get(SETTINGS, ()):
            yield from self._settings(one)
        for one in by_kind.get(WORKSPACES, ()):
            yield self._file(one)
        apart = self.places.home / "imported"
        for kind, folder, allowed in (
            (SKILLS, "skills", True),  # none is used before the owner trusts it
            (PLUGINS, "extensions", self.mine),
            (HOOKS, "hooks", self.mine),
        ):
            files = by_kind.get(kind, [])
            yield from package_moves(files, self.places.home / folder, apart, allowed=allowed)
        sessions = SessionMoves(self.places, self.clock, self.mine)
        yield from sessions.moves(by_kind.get(SESSIONS, []))
        books = BookMoves(self.places, self.clock, self.new_id, self.mine)
        for one in by_kind.get(INBOX, ()):
            yield from books.inbox(one)
        for one in by_kind.get(REMINDERS, ()):
            yield from books.reminders(one)
        for one in by_kind.get(JOBS, ()):
            yield from books.jobs(one)

    def _settings(self, one: Offered) -> Iterator[Move]:
        try:
            there = parse_settings(one.data())
        except UnusableText:
            yield Move(Step(Part.SETTINGS, one.item.name, Does.WAITS, why=Why.UNREADABLE))
            return
        yield from settings_moves(there, self.settings.written(), self.settings.put, mine=self.mine)

    def _file(self, one: Offered) -> Move:
        agent = AgentId(normalise_agent_id(one.spot.agent))
        if agent != one.spot.agent:
            return Move(Step(one.item.part, one.item.name, Does.WAITS, why=Why.NAME))
        return file_move(one, self.places.workspace(agent), mine=self.mine)

    def _told(self) -> Iterator[Step]:
        """What the owner has to do anew, from the lists that came along."""
        yield from self.offer.told
        for item in self.offer.items:
            if item.part is not Part.TOLD:
                continue
            data = self.offer.read(item)
            if item.name == PAIRINGS:
                names, why = pairing_names(data), Why.TRUST
            elif item.name == MODELS:
                names, why = model_names(data), Why.CACHE
            elif item.name == KEYS:
                names, why = key_names(data), Why.SECRET
            else:
                continue
            yield from (Step(Part.TOLD, name, Does.WAITS, why=why) for name in names)


def key_names(data: bytes) -> tuple[str, ...]:
    """Where in the settings keys stood that did not go along."""
    lines = data.decode("utf-8", "replace").splitlines()
    return tuple(line[:200] for line in lines[:1_000] if line.isprintable() and line.strip())


def _carried_out(move: Move) -> Step:
    """A setting that does not fit here waits; everything else is an error of its own."""
    if move.act is None:
        return move.step
    if move.step.part is not Part.SETTINGS:
        move.act()
        return move.step
    try:
        move.act()
    except (ConfigInvalid, UserInputInvalid):
        return Step(move.step.part, move.step.name, Does.WAITS, why=Why.NOT_FITTING)
    return move.step
