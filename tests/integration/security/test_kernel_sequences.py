"""What may happen after what: every sequence of six events by an oracle written from the design's
words, and long walks of the same events through real runs, transcripts and restarts.

Events: words of the owner, a page (others' words), notes (private words), a summary, a helper that
comes back, another start, a new conversation, a yes to a card, the next mode, the next presence.
After each, a call of every row is judged.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import pytest

from moltbot_desktop.agent.runner import RunCancel
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.security import labels as labels_module
from moltbot_desktop.security import policy
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.labels import Labels, joined_stored
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation
from moltbot_desktop.security.sources import Source, SourceKind
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, calls, says
from tests.fakes.talk import MAIN, Talk
from tests.fakes.tools import FakeTool, spec
from tests.unit.security.test_policy_kernel import expected

LENGTH = 6
MODES, PRESENCES = tuple(Mode), tuple(Presence)


@dataclass(frozen=True)
class Oracle:
    """What the design says is true now."""

    untrusted: bool = False
    private: bool = False
    mode: int = MODES.index(Mode.NORMAL)
    presence: int = 0

    def after(self, event: str) -> Oracle:
        match event:
            case "page":
                return replace(self, untrusted=True)
            case "notes":
                return replace(self, private=True)
            case "new":
                return replace(self, untrusted=False, private=False)
            case "mode":
                return replace(self, mode=(self.mode + 1) % len(MODES))
            case "presence":
                return replace(self, presence=(self.presence + 1) % len(PRESENCES))
        return self  # owner, summary, helper, start, yes: nothing falls, nothing rises

    def situation(self, effect: Effect, place: Place = Place.NONE) -> Situation:
        labels = Labels(self.untrusted, self.private)
        who, mode = PRESENCES[self.presence], MODES[self.mode]
        return Situation(effect, place, labels, who, mode=mode)


# ------------------------------------------------------------------ every sequence, in pure values


def _stored(labels: Labels) -> Labels:
    return Labels.from_mapping(labels.as_mapping())


def _summarised(labels: Labels) -> Labels:
    """Two lines of a transcript, of which the second knows less."""
    again = joined_stored(labels.as_mapping(), Labels().as_mapping())
    return Labels.from_mapping(joined_stored(again, {}))


def _by_helper(labels: Labels) -> Labels:
    return labels.joined(_stored(labels).joined(Labels()))


PAGE = Labels(True, False, (Source(SourceKind.PAGE, "e.org"),))
EVENTS: Mapping[str, Callable[[Labels], Labels]] = MappingProxyType(
    {
        "owner": lambda labels: labels.joined(Labels()),
        "page": lambda labels: labels.joined(PAGE),
        "notes": lambda labels: labels.joined(Labels(private=True)),
        "summary": _summarised,
        "helper": _by_helper,
        "start": _stored,
        "new": lambda _: Labels.from_mapping({}),
        "yes": lambda labels: labels,
        "mode": lambda labels: labels,
        "presence": lambda labels: labels,
    }
)


def wrong_after_all_sequences(length: int) -> int:
    """States that differ from the oracle's, or get other verdicts, after any sequence of events.

    What follows depends on the state alone, so each pair of states is looked at once: that is every
    sequence up to `length`.
    """
    wrong = 0
    reached = {(Labels(), Oracle())}
    seen = set(reached)
    for _ in range(length + 1):
        for labels, oracle in reached:
            wrong += (labels.untrusted, labels.private) != (oracle.untrusted, oracle.private)
            wrong += bool(labels.sources) != oracle.untrusted
            for effect, place in itertools.product(Effect, Place):
                situation = replace(oracle.situation(effect, place), labels=labels)
                wrong += policy.decide(situation).decision is not expected(
                    oracle.situation(effect, place)
                )
        reached = {
            (EVENTS[event](labels), oracle.after(event))
            for labels, oracle in reached
            for event in EVENTS
        } - seen
        seen |= reached
    return wrong


def test_after_every_sequence_of_six_events_each_call_has_the_designs_verdict() -> None:
    assert wrong_after_all_sequences(LENGTH) == 0


def falls_with_a_summary(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(f"{__name__}.joined_stored", lambda _before, more: more)


def is_not_stored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(labels_module.Labels, "as_mapping", lambda self: {})


def forgets_others(patch: pytest.MonkeyPatch) -> None:
    real = labels_module.Labels.joined
    patch.setattr(
        labels_module.Labels,
        "joined",
        lambda self, other: replace(real(self, other), untrusted=self.untrusted),
    )


def forgets_private(patch: pytest.MonkeyPatch) -> None:
    real = labels_module.Labels.joined
    patch.setattr(
        labels_module.Labels,
        "joined",
        lambda self, other: replace(real(self, other), private=other.private),
    )


def forgets_the_source(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(labels_module, "joined_sources", lambda before, more: ())


def knows_one_mode(patch: pytest.MonkeyPatch) -> None:
    real = policy.decide
    patch.setattr(policy, "decide", lambda one: real(replace(one, mode=Mode.NORMAL)))


def thinks_the_owner_is_there(patch: pytest.MonkeyPatch) -> None:
    real = policy.decide
    patch.setattr(policy, "decide", lambda one: real(replace(one, presence=Presence.PRESENT)))


def trusts_what_nobody_knows(patch: pytest.MonkeyPatch) -> None:
    real = policy._row
    patch.setattr(policy, "_row", lambda one: real(one) or policy._HARMLESS)


MUTANTS = (
    falls_with_a_summary,
    is_not_stored,
    forgets_others,
    forgets_private,
    forgets_the_source,
    knows_one_mode,
    thinks_the_owner_is_there,
    trusts_what_nobody_knows,
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.__name__)
def test_a_kernel_that_forgets_something_shows(
    mutant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutant(monkeypatch)
    assert wrong_after_all_sequences(LENGTH) > 0


# ------------------------------------------------------------------ walks through real runs


class Asked(Approvals):
    """The owner says what `yes` says; the cards are counted, and never too many."""

    def __init__(self) -> None:
        super().__init__(lambda: f"card-{self.shown}")
        self.shown = 0
        self.yes = False

    def may_show(self) -> bool:
        return True

    async def wait(self, approval_id: object) -> Answer:
        self.shown += 1
        return Answer(self.yes, "owner")


@dataclass
class World:
    """A home on the disk, with one assistant after the other."""

    folder: Path
    oracle: Oracle = Oracle()

    async def walk(self, chance: random.Random) -> list[str]:
        """Six events, each followed by a call of any row; what was other than foretold."""
        wrong: list[str] = []
        names = chance.choices([name for name in EVENTS if name != "helper"], k=LENGTH)
        rest = list(names)
        while rest:
            rest = await self._until_the_end(rest, chance, wrong)
        return [f"{' '.join(names)}: {one}" for one in wrong]

    async def _until_the_end(
        self, names: list[str], chance: random.Random, wrong: list[str]
    ) -> list[str]:
        asked, tools = Asked(), {one.value: FakeTool(spec(one.value, one)) for one in Effect}
        page = FakeTool(spec("page"), lambda _: ToolResult({}, "", taints=True))
        notes = FakeTool(spec("notes"), lambda _: ToolResult({}, "", private=True))
        script: list[ScriptedTurn] = []
        model = ScriptedChatModel(script)
        every = (page, notes, *tools.values())
        async with Talk(self.folder, model, tools=every, approvals=asked) as talk:
            while names:
                name, *names = names
                talk.presence, talk.mode = PRESENCES[self.oracle.presence], Mode.NORMAL
                match name:
                    case "owner":
                        script += [says("yes?")]
                        await talk.say("hello")
                    case "page" | "notes":
                        script += [calls(name, {"text": "x"}), says("read")]
                        await talk.say(name)
                    case "summary":
                        script += [says("They talked.")]
                        await talk.runner.compact(talk.session, "", RunCancel())
                        del script[len(model.requests) :]
                    case "new":
                        talk.store.close(talk.session)
                        talk.session = talk.store.new(MAIN)
                self.oracle = self.oracle.after(name)
                if name == "start":
                    return names
                asked.yes = name == "yes"
                effect = chance.choice(list(Effect))
                wrong += await self._tried(talk, script, tools[effect.value], asked)
        return []

    async def _tried(
        self, talk: Talk, script: list[ScriptedTurn], tool: FakeTool, asked: Asked
    ) -> list[str]:
        effect = tool.spec.effect
        talk.presence = PRESENCES[self.oracle.presence]
        talk.mode = MODES[self.oracle.mode]
        cards, made = asked.shown, len(tool.got)
        script += [calls(effect.value, {"text": "x"}), says("done")]
        await talk.say("do it")
        decision = expected(self.oracle.situation(effect))
        found = (asked.shown - cards, len(tool.got) - made)
        foretold = {
            Decision.AUTO: (0, 1),
            Decision.ASK: (1, int(asked.yes)),
            Decision.DENY: (0, 0),
        }[decision]
        return [] if found == foretold else [f"{effect} at {self.oracle}: {found}"]


@pytest.mark.parametrize("seed", range(6))
def test_walks_through_real_runs_go_as_the_oracle_says(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)

    async def walks() -> list[str]:
        wrong: list[str] = []
        for number in range(8):
            wrong += await World(tmp_path / str(number)).walk(chance)
        return wrong

    assert asyncio.run(walks()) == []


def test_another_agents_conversation_takes_the_labels_with_the_sources(tmp_path: Path) -> None:
    """What a helper's conversation is begun with (`gateway.helper_desk`), and what it brings."""

    async def scenario() -> None:
        async with Talk(tmp_path, ScriptedChatModel([])) as talk:
            talk.session.transcript.append_labels(PAGE.as_mapping())
            stored = Labels.from_mapping(talk.session.transcript.labels())
            other = talk.store.open(SessionKey("agent:main:subagent:1"))
            other.transcript.append_labels(stored.as_mapping())
            assert Labels.from_mapping(other.transcript.labels()) == PAGE
            talk.store.close(other)

    asyncio.run(scenario())
