"""What has to be done so that a task's files stand as before it; pure.

    plan = planned(steps, {"a.md": State(...)})
    plan.restore["a.md"]      # the state it goes back to
    plan.changed_since        # others wrote there after the task: left alone

Each path went through a chain of states: before the task, after its first change, and so on. Where
it stands in that chain now, it goes back to the chain's beginning. So an undo that was killed in
the middle is simply done again, and a change that never happened needs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.tools.undo_records import MISSING, Item, Kind, State, Step

_REPLACED = frozenset({Kind.MISSING, Kind.FILE, Kind.LINK})
"""What of others is replaced when the person says so; never a folder."""


@dataclass(frozen=True)
class Source:
    """Where the content of a file that is gone is found.

    Attributes:
        step: id of the step whose folder keeps it under `path`; "" for another way.
        path: without a step, the file that holds it now: what was moved there.
        trashed: its name in the trash, when there is one.
    """

    step: str = ""
    path: str = ""
    trashed: str = ""


@dataclass(frozen=True)
class Plan:
    """Attributes:
    restore: path to the state it goes back to; folders too, the deepest of them first.
    sources: where contents are, for each file in `restore` that does not have its own.
    changed_since: paths that stand in none of their states.
    lost: paths whose content is nowhere.
    """

    restore: Mapping[str, State]
    sources: Mapping[str, Source]
    changed_since: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.restore or self.changed_since or self.lost)


def chains(steps: Sequence[Step]) -> dict[str, list[State]]:
    """The states of each path in the order of `steps`, oldest first, beginning with the first
    `before`."""
    found: dict[str, list[State]] = {}
    for step in steps:
        for item in step.items:
            found.setdefault(item.path, [item.before]).append(item.after)
    return found


def planned(steps: Sequence[Step], now: Mapping[str, State], *, anyway: bool = False) -> Plan:
    """How to take `steps` (oldest first, all of one task) back, where the files stand as `now`
    says.

    Args:
        anyway: also where others changed a file.
    """
    restore: dict[str, State] = {}
    changed: list[str] = []
    for path, states in chains(steps).items():
        here = now.get(path, MISSING)
        if states[0].stands(here):
            continue
        if states[0].kind is Kind.MISSING and states[-1].kind is Kind.FOLDER:
            restore[path] = states[0]  # taken away only when it is empty
        elif (anyway and here.kind in _REPLACED) or any(one.same(here) for one in states):
            restore[path] = states[0]
        else:
            changed.append(path)
    items = [(step.id, item) for step in steps for item in step.items]
    return _with_sources(items, restore, changed, now, anyway=anyway)


def _with_sources(
    items: Sequence[tuple[str, Item]],
    restore: dict[str, State],
    changed: list[str],
    now: Mapping[str, State],
    *,
    anyway: bool,
) -> Plan:
    """Drop what cannot be restored from `restore`, and what would lose its content by that."""
    sources: dict[str, Source] = {}
    lost: list[str] = []
    for path, state in tuple(restore.items()):
        if state.kind is not Kind.FILE:
            continue
        source = _source(path, state, items, now, anyway=anyway)
        if source is None:
            moved = [item.moved_to for _, item in items if item.path == path and item.moved_to]
            (changed if any(one in changed for one in moved) else lost).append(path)
            del restore[path]
        else:
            sources[path] = source
    # What stays where it was moved to is not taken away from there.
    stays = {item.moved_to for _, item in items if item.path in (*changed, *lost)}
    for path in stays & set(restore):
        if restore[path].kind is Kind.MISSING:
            del restore[path]
    deepest = sorted(restore, key=lambda path: path.count("/"), reverse=True)
    ordered = {path: restore[path] for path in deepest}
    return Plan(ordered, sources, tuple(sorted(changed)), tuple(sorted(lost)))


def _source(
    path: str,
    state: State,
    items: Sequence[tuple[str, Item]],
    now: Mapping[str, State],
    *,
    anyway: bool,
) -> Source | None:
    if state.same(now.get(path, MISSING)):
        return Source()
    own = [(step, item) for step, item in items if item.path == path]
    for step, item in own:
        if item.kept and item.before.same(state):
            return Source(step, path, item.trashed)
    # A move keeps no copy: the content is wherever it went from there, or was kept there later.
    for step, item in items:
        if item.kept and item.before.same(state):
            return Source(step, item.path)
    for _, item in items:
        if state.same(now.get(item.path, MISSING)):
            return Source(path=item.path)
    for _, item in own:
        if item.trashed and item.before.same(state):
            return Source(trashed=item.trashed)
        there = now.get(item.moved_to, MISSING) if item.moved_to else MISSING
        if anyway and there.kind is Kind.FILE:
            return Source(path=item.moved_to)
    return None
