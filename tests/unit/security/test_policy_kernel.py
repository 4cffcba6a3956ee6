"""The policy against an oracle of its own: the table as the design states it, every situation and
every short sequence of calls through the real dispatcher; and mutants of it, each of which shows.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolResult
from moltbot_desktop.security import labels as labels_module
from moltbot_desktop.security import policy, presets
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation
from tests.fakes.tools import FakeTool, spec

# clean, tainted, tainted and private, unattended: A auto, Q ask, D deny
TABLE = {
    "none": "AAAA",
    "memory_read": "AAAA",
    "memory_write": "AAAA",
    "memory_forget": "AQQD",
    "file_read": "AAAA",
    "file_write": "AQQD",
    "file_find": "AAAA",
    "reminder_read": "AAAA",
    "reminder_write": "AQQD",
    "schedule_read": "AAAA",
    "schedule_write": "QQQD",
    "message": "QQQD",
    "reply": "AAQA",
    "send_file": "AQQA",
    "session_read": "AAAA",
    "session_send": "AQQD",
    "helper": "AAAD",
    "exec": "QQQD",
    "web_read": "AQQA",
    "web_named": "AAQA",
    "browser_look": "AAAD",
    "browser_read": "AAQD",
    "browser_open": "AQQD",
    "browser_act": "QQQD",
    "open_external": "QQQD",
    "screenshot": "QQQD",
    "desktop": "QQQD",
    "clipboard_read": "QQQD",
    "clipboard_named": "AQQD",
    "clipboard_write": "AQQD",
    "notify": "AQQA",
    "foreign": "QQQD",
    "foreign_allowed": "AQQD",
}
PLACES = {
    ("memory_daily", "file_read"): "AAAA",
    ("memory_daily", "file_write"): "AQQA",
    ("protected", "file_read"): "AAAA",
    ("protected", "file_write"): "QQQD",
    ("library", "file_read"): "AAAA",
    ("library", "file_write"): "DDDD",
    ("outside", "file_read"): "QQQD",
    ("outside", "file_write"): "DDDD",
}
ALONE_ONLY_CLEAN = ("web_named",)
TALKING = "none reply"
LOOKING = (
    f"{TALKING} memory_read reminder_read file_find file_read schedule_read session_read helper "
    "clipboard_read clipboard_named screenshot browser_look"
)
LOOKING_OUTSIDE = "web_read web_named browser_read browser_open"
UNDOABLE = "file_write memory_forget reminder_write"
ORDER = "AQD"
DECISIONS = {"A": Decision.AUTO, "Q": Decision.ASK, "D": Decision.DENY}


def expected(situation: Situation) -> Decision:
    """The design's words, said once more and differently."""
    if situation.presence is Presence.REPLAY:  # what is told anew does nothing
        return Decision.DENY
    effect, place = situation.effect.value, situation.place.value
    row = TABLE[effect] if place in ("none", "workspace") else PLACES.get((place, effect), "DDDD")
    found = [row[0]]
    if situation.presence is Presence.NOBODY:
        found = [row[3]]
    if situation.labels.untrusted:
        found.append(row[2] if situation.labels.private else row[1])
        if effect in ALONE_ONLY_CLEAN and situation.presence is Presence.NOBODY:
            found.append("D")
    strictest = max(found, key=ORDER.index)
    by_taint_alone = row[0] == "A" and strictest == "Q"
    match situation.mode.value:
        case "paused" if effect not in TALKING.split():
            return Decision.DENY
        case "read-only" if effect not in f"{LOOKING} {LOOKING_OUTSIDE}".split():
            return Decision.DENY
        case "careful" if effect not in LOOKING.split():
            strictest = max(strictest, "Q", key=ORDER.index)
        case "trusting" if by_taint_alone and situation.presence is Presence.PRESENT:
            undoable = effect in UNDOABLE.split() and place in ("none", "workspace")
            strictest = "A" if undoable else "Q"
    if strictest == "Q" and situation.presence is not Presence.PRESENT:
        strictest = "D"
    return DECISIONS[strictest]


def wrong_situations() -> int:
    flags = (False, True)
    every = itertools.product(Effect, Place, flags, flags, Presence, Mode)
    situations = (
        Situation(effect, place, Labels(untrusted, private), who, mode=mode)
        for effect, place, untrusted, private, who, mode in every
    )
    return sum(policy.decide(one).decision is not expected(one) for one in situations)


# ------------------------------------------------------------------ sequences

STEPS = {
    "page": (Effect.MEMORY_READ, Labels(untrusted=True)),
    "notes": (Effect.MEMORY_READ, Labels(private=True)),
    "write": (Effect.FILE_WRITE, Labels()),
    "fetch": (Effect.WEB_READ, Labels(untrusted=True)),
    "reply": (Effect.REPLY, Labels()),
}
LENGTH = 4


class NoCards:
    """Nobody answers: each card is refused at once."""

    def __init__(self) -> None:
        self.shown = 0

    def show(self, *_: object) -> None:
        self.shown += 1

    def close(self, _card: object, _answer: Answer) -> None:
        pass


async def at_once(call: Callable[[], ToolResult]) -> ToolResult:
    return call()


class _Refused(Approvals):
    async def wait(self, approval_id: object) -> Answer:
        return Answer(False, "owner")


class NeverCancelled:
    cancelled = False


def dispatcher(folder: Path) -> tuple[Dispatcher, dict[str, FakeTool]]:
    tools = {
        name: FakeTool(
            spec(name, effect),
            lambda _, got=got: ToolResult({}, "", taints=got.untrusted, private=got.private),
        )
        for name, (effect, got) in STEPS.items()
    }
    around = Surroundings(folder / "workspace", folder, folder)
    cards = _Refused(lambda: "card")
    return Dispatcher(list(tools.values()), {}, around, cards, at_once), tools


async def ran(folder: Path, names: Sequence[str], presence: Presence) -> tuple[list[str], int]:
    """Which of the calls were carried out, and how many were asked about."""
    made, tools = dispatcher(folder)
    cards = NoCards()
    context = ToolContext(
        RunId("r"), SessionKey("agent:main:main"), folder, "x", Language.ENGLISH, NeverCancelled()
    )
    scope = Scope(context, presence, cards)
    done = []
    for name in names:
        before = len(tools[name].got)
        await made.run(ToolCall("c", name, {"text": "x"}), scope)
        if len(tools[name].got) > before:
            done.append(name)
    return done, cards.shown


def foretold(names: Sequence[str], presence: Presence) -> tuple[list[str], int]:
    tainted = private = False
    done, asked = [], 0
    for name in names:
        effect, got = STEPS[name]
        situation = Situation(effect, Place.NONE, Labels(tainted, private), presence)
        decision = expected(situation)
        asked += decision is Decision.ASK
        if decision is Decision.AUTO:
            done.append(name)
            tainted, private = tainted or got.untrusted, private or got.private
    return done, asked


def wrong_sequences(folder: Path, length: int) -> int:
    async def all_of_them() -> int:
        wrong = 0
        for size in range(1, length + 1):
            for names in itertools.product(STEPS, repeat=size):
                for presence in Presence:
                    got = await ran(folder, names, presence)
                    wrong += got != foretold(names, presence)
        return wrong

    return asyncio.run(all_of_them())


def test_the_table_is_the_designs(tmp_path: Path) -> None:
    assert {effect.value for effect in Effect} == set(TABLE)
    assert wrong_situations() == 0


def test_no_sequence_of_calls_gets_more_than_the_table_gives(tmp_path: Path) -> None:
    assert wrong_sequences(tmp_path, LENGTH) == 0


# ------------------------------------------------------------------ mutants

Patch = pytest.MonkeyPatch
_cell, _row, _decide = policy._cell, policy._row, policy.decide


def clean_always(patch: Patch) -> None:
    patch.setattr(policy, "_cell", lambda row, _: row.clean)


def attended_always(patch: Patch) -> None:
    patch.setattr(
        policy, "_cell", lambda row, one: _cell(row, replace(one, presence=Presence.PRESENT))
    )


def never_private(patch: Patch) -> None:
    patch.setattr(
        policy,
        "_cell",
        lambda row, one: _cell(row, replace(one, labels=Labels(one.labels.untrusted))),
    )


def weakest_column(patch: Patch) -> None:
    stricter = policy._strictness
    patch.setattr(policy, "_strictness", lambda one: -stricter(one))


def unknown_is_harmless(patch: Patch) -> None:
    patch.setattr(policy, "_row", lambda one: _row(one) or policy._HARMLESS)


def anywhere_is_the_workspace(patch: Patch) -> None:
    patch.setattr(policy, "_row", lambda one: _row(replace(one, place=Place.WORKSPACE)))


def scripts_are_asked(patch: Patch) -> None:
    patch.setattr(
        policy,
        "decide",
        lambda one: _decide(
            replace(one, presence=Presence.PRESENT) if one.presence is Presence.SCRIPT else one
        ),
    )


def labels_are_forgotten(patch: Patch) -> None:
    patch.setattr(labels_module.Labels, "joined", lambda self, other: other)


def labels_do_not_rise(patch: Patch) -> None:
    patch.setattr(labels_module.Labels, "joined", lambda self, other: self)


def writing_is_harmless(patch: Patch) -> None:
    rows = {**policy._BY_EFFECT, Effect.FILE_WRITE: policy._HARMLESS}
    patch.setattr(policy, "_BY_EFFECT", rows)


def modes_mean_nothing(patch: Patch) -> None:
    patch.setattr(policy, "_in_mode", lambda decision, _row, _situation: decision)


def a_pause_lets_look(patch: Patch) -> None:
    patch.setattr(presets, "_TALKS", presets._LOOKS)


def trust_reaches_commands(patch: Patch) -> None:
    patch.setattr(presets, "_UNDOABLE", frozenset(Effect))


def trust_reaches_what_always_asks(patch: Patch) -> None:
    real = policy._in_mode

    def weaker(decision: Decision, row: policy._Row, situation: Situation) -> Decision:
        trusted = situation.mode is Mode.TRUSTING and decision is Decision.ASK
        return Decision.AUTO if trusted else real(decision, row, situation)

    patch.setattr(policy, "_in_mode", weaker)


def care_stops_at_the_web(patch: Patch) -> None:
    patch.setattr(presets, "_LOOKS", presets._LOOKS | presets._LOOKS_OUTSIDE)


MUTANTS = (
    modes_mean_nothing,
    a_pause_lets_look,
    trust_reaches_commands,
    trust_reaches_what_always_asks,
    care_stops_at_the_web,
    clean_always,
    attended_always,
    never_private,
    weakest_column,
    unknown_is_harmless,
    anywhere_is_the_workspace,
    scripts_are_asked,
    labels_are_forgotten,
    labels_do_not_rise,
    writing_is_harmless,
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.__name__)
def test_a_weaker_policy_shows(
    mutant: Callable[[Patch], None], monkeypatch: Patch, tmp_path: Path
) -> None:
    mutant(monkeypatch)
    assert wrong_situations() + wrong_sequences(tmp_path, 3) > 0
