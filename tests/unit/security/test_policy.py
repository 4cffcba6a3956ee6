"""The verdict: every situation has one, and none is weaker than the table allows."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation, decide

STRICTNESS = {Decision.AUTO: 0, Decision.ASK: 1, Decision.DENY: 2}
CLEAN, TAINTED = Labels(), Labels(untrusted=True)
TAINTED_PRIVATE = Labels(untrusted=True, private=True)
SIDE_EFFECTS = {
    Effect.FILE_WRITE,
    Effect.MEMORY_FORGET,
    Effect.REMINDER_WRITE,
    Effect.SCHEDULE_WRITE,
    Effect.MESSAGE,
    Effect.SESSION_SEND,
    Effect.EXEC,
    Effect.OPEN_EXTERNAL,
    Effect.SCREENSHOT,
    Effect.DESKTOP,
}


def every_situation() -> list[Situation]:
    labels = [Labels(u, p) for u, p in itertools.product((False, True), repeat=2)]
    return [Situation(*parts) for parts in itertools.product(Effect, Place, labels, Presence)]


def verdict(effect: Effect, place: Place, labels: Labels) -> Decision:
    return decide(Situation(effect, place, labels, Presence.PRESENT)).decision


def test_nobody_there_means_nothing_is_asked() -> None:
    alone = [s for s in every_situation() if s.presence is not Presence.PRESENT]
    assert all(decide(s).decision is not Decision.ASK for s in alone)


def test_a_script_may_do_what_the_owner_may_do_unasked_and_nothing_else() -> None:
    for situation in every_situation():
        if situation.presence is Presence.SCRIPT:
            there = replace(situation, presence=Presence.PRESENT)
            expected = decide(there).decision
            expected = Decision.DENY if expected is Decision.ASK else expected
            assert decide(situation).decision is expected, situation


def test_what_runs_by_itself_never_gets_more_than_the_owner() -> None:
    for situation in every_situation():
        if situation.presence is Presence.NOBODY:
            there = replace(situation, presence=Presence.PRESENT)
            mine, theirs = decide(situation).decision, decide(there).decision
            assert STRICTNESS[mine] >= STRICTNESS[theirs], situation


def test_taint_never_makes_a_verdict_weaker() -> None:
    for situation in every_situation():
        clean = Situation(situation.effect, situation.place, CLEAN, situation.presence)
        now = STRICTNESS[decide(situation).decision]
        assert now >= STRICTNESS[decide(clean).decision], situation


def test_r1_a_tainted_side_effect_never_runs_unasked() -> None:
    for situation in every_situation():
        if situation.labels.untrusted and situation.effect in SIDE_EFFECTS:
            assert decide(situation).decision is not Decision.AUTO, situation


def test_the_programs_own_state_is_nobodys_business() -> None:
    for situation in every_situation():
        if situation.place is Place.APP_STATE:
            assert decide(situation).decision is Decision.DENY, situation


def test_an_effect_the_table_does_not_know_is_denied() -> None:
    strange = Situation("teleport", Place.NONE, CLEAN, Presence.PRESENT)  # type: ignore[arg-type]
    assert decide(strange).decision is Decision.DENY


@pytest.mark.parametrize(
    ("effect", "place", "labels", "expected"),
    [
        (Effect.MEMORY_READ, Place.NONE, TAINTED_PRIVATE, Decision.AUTO),
        (Effect.MEMORY_WRITE, Place.NONE, TAINTED_PRIVATE, Decision.AUTO),
        (Effect.MEMORY_FORGET, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.MEMORY_FORGET, Place.NONE, TAINTED, Decision.ASK),
        (Effect.FILE_READ, Place.WORKSPACE, TAINTED, Decision.AUTO),
        (Effect.FILE_READ, Place.OUTSIDE, CLEAN, Decision.ASK),
        (Effect.FILE_WRITE, Place.WORKSPACE, CLEAN, Decision.AUTO),
        (Effect.FILE_WRITE, Place.WORKSPACE, TAINTED, Decision.ASK),
        (Effect.FILE_WRITE, Place.PROTECTED, CLEAN, Decision.ASK),
        (Effect.FILE_WRITE, Place.OUTSIDE, CLEAN, Decision.DENY),
        (Effect.FILE_READ, Place.LIBRARY, TAINTED_PRIVATE, Decision.AUTO),
        (Effect.FILE_WRITE, Place.LIBRARY, CLEAN, Decision.DENY),
        (Effect.REMINDER_WRITE, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.REMINDER_WRITE, Place.NONE, TAINTED, Decision.ASK),
        (Effect.SCHEDULE_READ, Place.NONE, TAINTED, Decision.AUTO),
        (Effect.SCHEDULE_WRITE, Place.NONE, CLEAN, Decision.ASK),
        (Effect.MESSAGE, Place.NONE, CLEAN, Decision.ASK),
        (Effect.EXEC, Place.NONE, CLEAN, Decision.ASK),
        (Effect.WEB_READ, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.WEB_READ, Place.NONE, TAINTED, Decision.ASK),
        (Effect.WEB_READ, Place.NONE, TAINTED_PRIVATE, Decision.ASK),
        (Effect.WEB_NAMED, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.WEB_NAMED, Place.NONE, TAINTED, Decision.AUTO),
        (Effect.WEB_NAMED, Place.NONE, TAINTED_PRIVATE, Decision.ASK),
        (Effect.BROWSER_LOOK, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.BROWSER_LOOK, Place.NONE, TAINTED_PRIVATE, Decision.AUTO),
        (Effect.BROWSER_READ, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.BROWSER_READ, Place.NONE, TAINTED, Decision.AUTO),
        (Effect.BROWSER_READ, Place.NONE, TAINTED_PRIVATE, Decision.ASK),
        (Effect.BROWSER_OPEN, Place.NONE, CLEAN, Decision.AUTO),
        (Effect.BROWSER_OPEN, Place.NONE, TAINTED, Decision.ASK),
        (Effect.BROWSER_ACT, Place.NONE, CLEAN, Decision.ASK),
        (Effect.BROWSER_ACT, Place.NONE, TAINTED_PRIVATE, Decision.ASK),
    ],
)
def test_the_table(effect: Effect, place: Place, labels: Labels, expected: Decision) -> None:
    assert verdict(effect, place, labels) is expected


def test_what_nobody_watches_reads_the_web_only_while_no_stranger_has_spoken() -> None:
    for effect in (Effect.WEB_READ, Effect.WEB_NAMED):
        for labels in (CLEAN, Labels(private=True)):
            alone = Situation(effect, Place.NONE, labels, Presence.NOBODY)
            assert decide(alone).decision is Decision.AUTO
        for labels in (TAINTED, TAINTED_PRIVATE):
            alone = Situation(effect, Place.NONE, labels, Presence.NOBODY)
            assert decide(alone).decision is Decision.DENY


def test_what_nobody_watches_starts_and_tells_nobody() -> None:
    browsing = (Effect.BROWSER_READ, Effect.BROWSER_OPEN, Effect.BROWSER_ACT)
    browsing += (Effect.BROWSER_LOOK,)
    for effect in (Effect.HELPER, Effect.SESSION_SEND, Effect.MESSAGE, *browsing):
        alone = Situation(effect, Place.NONE, CLEAN, Presence.NOBODY)
        assert decide(alone).decision is Decision.DENY


def test_other_conversations_are_read_freely_and_answered_for_the_owner() -> None:
    for labels in (CLEAN, TAINTED, TAINTED_PRIVATE):
        assert verdict(Effect.SESSION_READ, Place.NONE, labels) is Decision.AUTO
        assert verdict(Effect.HELPER, Place.NONE, labels) is Decision.AUTO
        assert verdict(Effect.MESSAGE, Place.NONE, labels) is Decision.ASK
    assert verdict(Effect.SESSION_SEND, Place.NONE, CLEAN) is Decision.AUTO
    assert verdict(Effect.SESSION_SEND, Place.NONE, TAINTED) is Decision.ASK
