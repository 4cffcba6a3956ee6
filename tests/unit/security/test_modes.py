"""What a mode may never do, whatever the table says; and what each of the rules R1 to R9 means.

R4 (one yes, one call) is held by test_approvals and the cards' tests, R6 by tests/unit/tools/web,
R7 by tests/unit/gateway/test_reply_gate and the window's, R9 by tests/unit/models.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.sdk.modes import Mode, mode_name, mode_named, mode_words
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import (
    Command,
    Decision,
    Place,
    Presence,
    Situation,
    Why,
    decide,
)

CLEAN = Labels()
EVERY = [
    Situation(effect, place, Labels(untrusted, private), presence)
    for effect, place, untrusted, private, presence in itertools.product(
        Effect, Place, (False, True), (False, True), Presence
    )
]
STRICTNESS = {Decision.AUTO: 0, Decision.ASK: 1, Decision.DENY: 2}


def in_mode(situation: Situation, mode: Mode) -> Decision:
    return decide(replace(situation, mode=mode)).decision


def test_no_mode_gives_what_the_table_denies() -> None:
    """Secrets, the program's own state (R5), unknown effects and nobody there (R8)."""
    for situation, mode in itertools.product(EVERY, Mode):
        if in_mode(situation, Mode.NORMAL) is Decision.DENY:
            assert in_mode(situation, mode) is Decision.DENY, situation


def test_no_mode_lowers_what_asks_in_a_clean_conversation() -> None:
    """R3."""
    for situation, mode in itertools.product(EVERY, Mode):
        base = replace(situation, labels=CLEAN, presence=Presence.PRESENT)
        if in_mode(base, Mode.NORMAL) is Decision.ASK:
            assert in_mode(situation, mode) is not Decision.AUTO, situation


def test_every_mode_but_one_is_at_least_as_strict_as_the_table() -> None:
    for situation, mode in itertools.product(EVERY, Mode):
        if mode is not Mode.TRUSTING:
            now, usual = in_mode(situation, mode), in_mode(situation, Mode.NORMAL)
            assert STRICTNESS[now] >= STRICTNESS[usual], (situation, mode)


def test_trust_spares_questions_about_what_can_be_undone_and_no_others() -> None:
    spared = {
        (one.effect, one.place)
        for one in EVERY
        if in_mode(one, Mode.TRUSTING) is not in_mode(one, Mode.NORMAL)
    }
    undoable = (Effect.FILE_WRITE, Effect.MEMORY_FORGET, Effect.REMINDER_WRITE)
    assert spared == set(itertools.product(undoable, (Place.NONE, Place.WORKSPACE)))
    assert all(
        in_mode(one, Mode.TRUSTING) is in_mode(one, Mode.NORMAL)
        for one in EVERY
        if one.presence is not Presence.PRESENT
    )


@pytest.mark.parametrize("effect", Effect)
def test_paused_runs_no_tool(effect: Effect) -> None:
    situation = Situation(effect, Place.NONE, CLEAN, Presence.PRESENT)
    talks = effect in (Effect.NONE, Effect.REPLY)
    assert (in_mode(situation, Mode.PAUSED) is Decision.AUTO) == talks


def test_a_command_that_only_looks_runs_where_nothing_may_change() -> None:
    for power, network, mode in itertools.product(Power, (False, True), Mode):
        command = Command(power, walled=True, network=network)
        situation = Situation(Effect.EXEC, Place.NONE, CLEAN, Presence.PRESENT, command)
        found = in_mode(situation, mode)
        if mode is Mode.READ_ONLY:
            looks = power is Power.LOOKS and not network
            assert found is (Decision.AUTO if looks else Decision.DENY)
        if mode is Mode.CAREFUL and power is Power.ADDS:
            assert found is Decision.ASK


def test_the_card_and_the_refusal_know_that_it_was_the_mode() -> None:
    write = Situation(Effect.FILE_WRITE, Place.WORKSPACE, CLEAN, Presence.PRESENT)
    for mode in (Mode.CAREFUL, Mode.READ_ONLY, Mode.PAUSED):
        verdict = decide(replace(write, mode=mode))
        assert (verdict.why, verdict.rule) == (Why.MODE, f"mode {mode.value}")


@pytest.mark.parametrize("language", Language)
def test_a_mode_is_found_by_the_name_that_is_shown(language: Language) -> None:
    for mode in Mode:
        assert mode_named(f" {mode_name(mode, language).upper()} ", language) is mode
        assert mode_words(mode, language)
    assert mode_named("read only", language) is Mode.READ_ONLY
    assert mode_named("READ_ONLY", language) is Mode.READ_ONLY
    with pytest.raises(UserInputInvalid):
        mode_named("yolo", language)
