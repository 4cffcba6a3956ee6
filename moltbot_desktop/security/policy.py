"""The one verdict. Every entry point (model, command, schedule, plugin) asks `decide`.

The table is design policy: one row per effect, one column per state of the context. Rules that
hold across rows: R1 tainted and side effect asks; R3 a base "ask" is never lowered; R8 anything
unknown, or nobody there to ask, is denied. The mode that the owner chose (`security.presets`) is
laid over the table. The rows of tools that this build lacks stand here already, so that a later
tool cannot arrive without a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.presets import asks, forbids, spares


class Decision(StrEnum):
    AUTO = "auto"
    ASK = "ask"
    DENY = "deny"


class Place(StrEnum):
    """Where a path argument points, as far as policy cares."""

    NONE = "none"
    WORKSPACE = "workspace"
    MEMORY_DAILY = "memory_daily"
    """memory/YYYY-MM-DD.md: append-only, carries provenance marks."""
    PROTECTED = "protected"
    """Files that steer the assistant or the computer: MEMORY.md, AGENTS.md, SKILL.md, rc files."""
    LIBRARY = "library"
    """The program's skills: the model reads how to do a thing, and changes nothing there."""
    OUTSIDE = "outside"
    APP_STATE = "app_state"
    """The program's own state, keys, ~/.ssh, browser profiles: nobody's business."""


class Presence(StrEnum):
    """Who wants this, and whether somebody can answer a card."""

    PRESENT = "present"
    """The owner asked and sits there."""
    SCRIPT = "script"
    """The owner asked, through a pipe or a script: what needs a card is denied."""
    NOBODY = "nobody"
    """A schedule or heartbeat runs by itself: the table's unattended column."""
    REPLAY = "replay"
    """A past run is told anew, to see how it would go: nothing may happen."""


@dataclass(frozen=True)
class Command:
    """Of a call that starts programs: what they can do, whether walls hold, whether the internet
    is open to them, and whether the settings want a card for each."""

    power: Power
    walled: bool = False
    network: bool = False
    wary: bool = False


@dataclass(frozen=True)
class Situation:
    """What the verdict depends on; `command` of calls that start programs and say which."""

    effect: Effect
    place: Place
    labels: Labels
    presence: Presence
    command: Command | None = None
    mode: Mode = Mode.NORMAL


class Why(StrEnum):
    """What to tell the owner on the card."""

    OUTSIDE = "outside"
    """The place is outside the workspace."""
    PROTECTED = "protected"
    """The file steers the assistant or the computer."""
    TAINTED = "tainted"
    """Text of others is in the conversation, and this has an effect."""
    MODE = "mode"
    """The owner chose a mode that wants it so."""
    PERMISSION = "permission"
    """This kind of thing always needs a yes."""


@dataclass(frozen=True)
class Verdict:
    """`rule` names the row or rule, for the audit; `why` is for the card; `anew`: the owner chose
    to be asked each time, so that no yes of another day answers."""

    decision: Decision
    rule: str
    why: Why = Why.PERMISSION
    anew: bool = False


@dataclass(frozen=True)
class _Row:
    clean: Decision
    tainted: Decision
    tainted_private: Decision
    unattended: Decision
    unattended_tainted: Decision = Decision.AUTO
    """Beside what the other columns say."""


_A, _Q, _D = Decision.AUTO, Decision.ASK, Decision.DENY
_HARMLESS = _Row(_A, _A, _A, _A)
_ASKING = _Row(_Q, _Q, _Q, _D)
_DENIED = _Row(_D, _D, _D, _D)

_BY_EFFECT: Mapping[Effect, _Row] = MappingProxyType(
    {
        Effect.NONE: _HARMLESS,
        Effect.MEMORY_READ: _HARMLESS,
        Effect.MEMORY_WRITE: _HARMLESS,
        # As any write that can be undone: a stranger's text must not make the owner's notes go.
        Effect.MEMORY_FORGET: _Row(_A, _Q, _Q, _D),
        Effect.REMINDER_READ: _HARMLESS,
        Effect.FILE_FIND: _HARMLESS,
        Effect.FILE_READ: _HARMLESS,
        Effect.FILE_WRITE: _Row(_A, _Q, _Q, _D),
        Effect.REMINDER_WRITE: _Row(_A, _Q, _Q, _D),
        Effect.SCHEDULE_READ: _HARMLESS,
        Effect.SCHEDULE_WRITE: _ASKING,
        Effect.MESSAGE: _ASKING,
        # Tainted: text alone (`gateway.outgoing_words`). Unattended: where the job says so.
        Effect.REPLY: _Row(_A, _A, _Q, _A),
        # "Text alone" (the row above): with words of others there a file is the owner's to send.
        Effect.SEND_FILE: _Row(_A, _Q, _Q, _A),
        Effect.SESSION_READ: _HARMLESS,
        # Another conversation's agent acts on it, with that conversation's labels as well.
        Effect.SESSION_SEND: _Row(_A, _Q, _Q, _D),
        # It can do less than whoever starts it, so starting it is no effect; but what nobody
        # watches starts nothing that nobody watches.
        Effect.HELPER: _Row(_A, _A, _A, _D),
        Effect.EXEC: _ASKING,
        # R6: words the model chose may carry what it has read to whoever is asked.
        Effect.WEB_READ: _Row(_A, _Q, _Q, _A),
        Effect.WEB_NAMED: _Row(_A, _A, _Q, _A, unattended_tainted=_D),
        # Nothing goes out, whatever was read before. What it shows taints, as when it was opened.
        Effect.BROWSER_LOOK: _Row(_A, _A, _A, _D),
        # As the web, and nobody's alone: the browser may be logged in somewhere.
        Effect.BROWSER_READ: _Row(_A, _A, _Q, _D),
        Effect.BROWSER_OPEN: _Row(_A, _Q, _Q, _D),
        Effect.BROWSER_ACT: _ASKING,
        Effect.OPEN_EXTERNAL: _ASKING,
        Effect.CLIPBOARD_READ: _ASKING,
        Effect.CLIPBOARD_NAMED: _Row(_A, _Q, _Q, _D),
        # What a stranger's text wants there may be pasted as if the owner had copied it.
        Effect.CLIPBOARD_WRITE: _Row(_A, _Q, _Q, _D),
        # Nor does it come up on the screen as if the assistant had found it out.
        Effect.NOTIFY: _Row(_A, _Q, _Q, _A),
        Effect.SCREENSHOT: _ASKING,
        Effect.DESKTOP: _ASKING,
        Effect.FOREIGN: _ASKING,
        # The owner's word holds for what the owner asks, not for what a stranger's text may want.
        Effect.FOREIGN_ALLOWED: _Row(_A, _Q, _Q, _D),
    }
)
_ADDING = _Row(_A, _Q, _Q, _A)
_STARTING = frozenset({Effect.EXEC, Effect.OPEN_EXTERNAL})
"""Effects whose tools say what would be started."""
_BY_PLACE: Mapping[Place, Mapping[Effect, _Row]] = MappingProxyType(
    {
        # memory_store keeps the mark of what others wrote; `write` and `edit` would lose it.
        Place.MEMORY_DAILY: {
            Effect.FILE_READ: _HARMLESS,
            Effect.FILE_WRITE: _Row(_A, _Q, _Q, _A),
        },
        Place.PROTECTED: {Effect.FILE_READ: _HARMLESS, Effect.FILE_WRITE: _ASKING},
        Place.LIBRARY: {Effect.FILE_READ: _HARMLESS, Effect.FILE_WRITE: _DENIED},
        Place.OUTSIDE: {Effect.FILE_READ: _ASKING, Effect.FILE_WRITE: _DENIED},
        Place.APP_STATE: {Effect.FILE_READ: _DENIED, Effect.FILE_WRITE: _DENIED},
    }
)

_WHY_BY_PLACE: Mapping[Place, Why] = MappingProxyType(
    {Place.OUTSIDE: Why.OUTSIDE, Place.PROTECTED: Why.PROTECTED}
)


def decide(situation: Situation) -> Verdict:
    """The verdict on one call. Pure and total: every situation has exactly one answer."""
    if situation.presence is Presence.REPLAY:
        return Verdict(Decision.DENY, "replay")
    row = _row(situation)
    if row is None:
        return Verdict(Decision.DENY, "R8 unknown effect or place")
    by_table = _cell(row, situation)
    decision = _in_mode(by_table, row, situation)
    if decision is Decision.ASK and situation.presence is not Presence.PRESENT:
        return Verdict(Decision.DENY, "R8 nobody there to ask")
    anew = asks(situation.mode, situation.effect, looks=_only_looks(situation.command))
    if _strictness(decision) > _strictness(by_table):
        return Verdict(decision, f"mode {situation.mode.value}", Why.MODE, anew)
    return Verdict(decision, _rule(situation), _why(row, situation), anew)


def _row(situation: Situation) -> _Row | None:
    if situation.effect in _STARTING and situation.command is not None:
        return _command_row(situation.command)
    if situation.place in (Place.NONE, Place.WORKSPACE):
        return _BY_EFFECT.get(situation.effect)
    return _BY_PLACE.get(situation.place, {}).get(situation.effect)


def _command_row(command: Command) -> _Row:
    """Literal words of known programs run unasked: those that only look everywhere, those that
    add something behind walls. Everything else is asked for."""
    if command.power is Power.NEVER:
        return _DENIED
    if command.network or command.wary:
        return _ASKING
    if command.power is Power.LOOKS:
        return _HARMLESS
    return _ADDING if command.power is Power.ADDS and command.walled else _ASKING


def _cell(row: _Row, situation: Situation) -> Decision:
    alone = situation.presence is Presence.NOBODY
    columns = [row.unattended if alone else row.clean]
    if situation.labels.untrusted:
        columns.append(row.tainted_private if situation.labels.private else row.tainted)
        columns += [row.unattended_tainted] * alone
    return max(columns, key=_strictness)


def _in_mode(decision: Decision, row: _Row, situation: Situation) -> Decision:
    mode, effect = situation.mode, situation.effect
    looks = _only_looks(situation.command)
    if forbids(mode, effect, looks=looks):
        return Decision.DENY
    if asks(mode, effect, looks=looks):
        return max(decision, Decision.ASK, key=_strictness)
    others_alone = decision is Decision.ASK and row.clean is Decision.AUTO
    in_workspace = situation.place in (Place.NONE, Place.WORKSPACE)
    there = situation.presence is Presence.PRESENT
    if others_alone and in_workspace and there and spares(mode, effect):
        return Decision.AUTO
    return decision


def _only_looks(command: Command | None) -> bool:
    return command is not None and command.power is Power.LOOKS and not command.network


def _why(row: _Row, situation: Situation) -> Why:
    if row.clean is Decision.AUTO and situation.labels.untrusted:
        return Why.TAINTED
    return _WHY_BY_PLACE.get(situation.place, Why.PERMISSION)


def _strictness(decision: Decision) -> int:
    return (Decision.AUTO, Decision.ASK, Decision.DENY).index(decision)


def _rule(situation: Situation) -> str:
    state = "tainted" if situation.labels.untrusted else "clean"
    if situation.command is not None:
        walls = "walled" if situation.command.walled else "without walls"
        return f"{situation.effect.value} {situation.command.power.value}, {walls}, {state}"
    place = "" if situation.place is Place.NONE else f" in {situation.place.value}"
    return f"{situation.effect.value}{place}, {state}"
