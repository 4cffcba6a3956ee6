"""The skills of one agent as they stand now, kept between turns.

    book = SkillBook(reader, trust, lambda: roots, surroundings, clock)
    view = book.view()          # any thread; the very same value while nothing changed
    view.usable                 # those a turn may use
    view.waiting                # those that wait for their owner's word
    book.watched(book.roots)      # a watch lies on these and is sound
    book.touched()                # it says when there is something to look at
    book.unchanged()            # the view where nothing is to be looked at, else None

A turn begins with a view. While a watch is sound and saw nothing, that costs no look at the disk;
otherwise a stat for each file. What a skill needs is looked for each time: a program that was
installed a minute ago counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.skills.discovery import (
    BUNDLED,
    Skill,
    SkillProblem,
    SkillReader,
    SkillRoot,
    SkillSnapshot,
)
from moltbot_desktop.skills.eligibility import (
    EligibilityReport,
    Gate,
    Surroundings,
    eligibility,
    says_yes,
)
from moltbot_desktop.skills.trust import TrustBook


@dataclass(frozen=True)
class Standing:
    """A skill and whether it can be used."""

    skill: Skill
    report: EligibilityReport

    @property
    def waits(self) -> bool:
        """Nothing but its owner's word is missing."""
        gates = {one.gate for one in self.report.reasons}
        return bool(gates) and gates <= {Gate.UNTRUSTED, Gate.CHANGED}

    @property
    def trusted(self) -> bool:
        """Its owner has said yes to it as it is now, or it came with the program."""
        return {Gate.UNTRUSTED, Gate.CHANGED}.isdisjoint(one.gate for one in self.report.reasons)


@dataclass(frozen=True)
class SkillView:
    """All skills at one moment, sorted by name.

    Attributes:
        version: greater than that of every view before; milliseconds of the clock where it can be.
        usable: the skills that a turn may use.
        problems: files that are no skills, with the reason.
    """

    version: int
    standings: tuple[Standing, ...]
    usable: tuple[Skill, ...]
    problems: tuple[SkillProblem, ...]

    @property
    def waiting(self) -> tuple[Standing, ...]:
        return tuple(one for one in self.standings if one.waits)

    def standing(self, name: str) -> Standing | None:
        """Of the skill with that name, whatever its capitals; spaces and underscores are dashes."""
        wanted = _plain(name)
        return next((one for one in self.standings if _plain(one.skill.name) == wanted), None)


class SkillBook:
    """See the module."""

    def __init__(
        self,
        reader: SkillReader,
        trust: TrustBook,
        roots: Callable[[], Sequence[SkillRoot]],
        surroundings: Callable[[], Surroundings],
        clock: Clock,
    ) -> None:
        """`surroundings` and `roots` are asked for each time: settings change, plugins bring
        folders and take them away. `roots` gives the same value while they are the same."""
        self._reader = reader
        self.trust = trust
        self._roots = roots
        self._surroundings = surroundings
        self._clock = clock
        self._lock = threading.Lock()
        self._touched = True
        self._watched: Sequence[SkillRoot] | None = None
        self._read_from: Sequence[SkillRoot] | None = None
        self._snapshot: SkillSnapshot | None = None
        self._key: Hashable = None
        self._view: SkillView | None = None

    def view(self) -> SkillView:
        """The skills as they are now. May read files."""
        with self._lock:
            snapshot, around = self._read(), self._surroundings()
            key = (self.trust.version, *_seen(snapshot, around))
            if self._view is not None and snapshot is self._snapshot and key == self._key:
                return self._view
            standings = tuple(Standing(one, eligibility(one, around)) for one in snapshot.skills)
            now = int(self._clock.now().timestamp() * 1_000)
            before = self._view.version if self._view is not None else 0
            self._snapshot, self._key = snapshot, key
            usable = tuple(one.skill for one in standings if one.report.eligible)
            self._view = SkillView(max(now, before + 1), standings, usable, snapshot.problems)
            return self._view

    def holds(self, path: Path) -> bool:
        """Whether `path`, a real path, lies where skills lie."""
        return any(path.is_relative_to(root.path.resolve()) for root in self.roots)

    def of_stranger(self, path: Path) -> bool:
        """Whether `path`, a real path, lies among the skills and in none that is trusted: whoever
        wrote it, what it says must not be obeyed. May read files."""
        roots = (root.path.resolve() for root in self.roots if root.source != BUNDLED)
        if not any(path.is_relative_to(root) for root in roots):
            return False
        trusted = (one.skill.folder.resolve() for one in self.view().standings if one.trusted)
        return not any(path.is_relative_to(folder) for folder in trusted)

    def unchanged(self) -> SkillView | None:
        """The view of before, where a sound watch says that it still holds; None where somebody has
        to look. Never waits for a look that goes on, so it may be asked on an event loop."""
        if not self._is_still() or not self._lock.acquire(blocking=False):
            return None
        try:
            if self._view is None or self._snapshot is None:
                return None
            key = (self.trust.version, *_seen(self._snapshot, self._surroundings()))
            return self._view if key == self._key else None
        finally:
            self._lock.release()

    def touched(self) -> None:
        """A watch noticed something."""
        self._touched = True

    @property
    def roots(self) -> Sequence[SkillRoot]:
        """Where the skills lie now, the weakest first."""
        return self._roots()

    def watched(self, roots: Sequence[SkillRoot] | None) -> None:
        """A sound watch lies on `roots` and would notice; None: on none."""
        self._watched = roots

    def _is_still(self) -> bool:
        """Whether nothing can have changed since the last look."""
        return (
            not self._touched
            and self._watched is not None
            and (self._watched == self._read_from == self.roots)
        )

    def _read(self) -> SkillSnapshot:
        if self._snapshot is not None and self._is_still():
            return self._snapshot
        self._touched = False  # before the look: what is touched meanwhile is looked at again
        self._read_from = self.roots
        return self._reader.read(self._read_from)


def _seen(snapshot: SkillSnapshot, around: Surroundings) -> tuple[Hashable, ...]:
    """What of the surroundings the verdicts come from."""
    needs = [one.metadata.requires for one in snapshot.skills if not one.metadata.always]
    bins = {name for one in needs for name in (*one.bins, *one.any_bins)}
    env = {name for one in needs for name in one.env}
    config = {name for one in needs for name in one.config}
    entries = tuple(
        (key, one.enabled, one.api_key, tuple(sorted(one.env.items())))
        for key, one in around.entries.items()
    )
    return (
        entries,
        around.allow_bundled,
        around.only,
        tuple(sorted(filter(around.has_binary, bins))),
        tuple(sorted(filter(around.has_env, env))),
        tuple(sorted(name for name in config if says_yes(around.config(name), name))),
    )


def _plain(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())
