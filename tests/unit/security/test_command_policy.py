"""Commands and the policy: every situation against the design's two rows, said once more."""

from __future__ import annotations

import itertools

import pytest

from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security import policy
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Command, Decision, Place, Presence, Situation

SITUATIONS = [
    Situation(
        Effect.EXEC,
        place,
        Labels(untrusted, private),
        presence,
        Command(power, walled, network, wary),
    )
    for place, untrusted, private, presence, power, walled, network, wary in itertools.product(
        (Place.NONE, Place.OUTSIDE),
        (False, True),
        (False, True),
        Presence,
        Power,
        (False, True),
        (False, True),
        (False, True),
    )
]


def expected(situation: Situation) -> Decision:
    """Straight from the words: what reads runs; what adds runs in a clean conversation behind
    walls; the internet, a wary owner and everything else ask; nobody there is a no, and a replay
    does nothing."""
    command = situation.command
    assert command is not None
    if command.power is Power.NEVER or situation.presence is Presence.REPLAY:
        return Decision.DENY
    free = not command.network and not command.wary
    if free and command.power is Power.LOOKS:
        return Decision.AUTO
    adds = free and command.power is Power.ADDS and command.walled
    if adds and not situation.labels.untrusted:
        return Decision.AUTO
    return Decision.ASK if situation.presence is Presence.PRESENT else Decision.DENY


def wrong() -> list[Situation]:
    return [one for one in SITUATIONS if policy.decide(one).decision is not expected(one)]


def test_every_situation_has_the_verdict_of_the_design() -> None:
    assert len(SITUATIONS) == 2 * 4 * 4 * 4 * 8
    assert not wrong()


def test_a_command_that_says_nothing_about_itself_is_asked_for() -> None:
    situation = Situation(Effect.EXEC, Place.NONE, Labels(), Presence.PRESENT)
    assert policy.decide(situation).decision is Decision.ASK


@pytest.mark.parametrize("mutant", ["never asks", "network is nothing", "walls are always there"])
def test_a_wrong_policy_shows(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = policy._command_row

    def broken(command: Command) -> policy._Row:
        match mutant:
            case "never asks":
                return policy._HARMLESS
            case "network is nothing":
                return real(Command(command.power, command.walled, False, command.wary))
        return real(Command(command.power, True, command.network, command.wary))

    monkeypatch.setattr(policy, "_command_row", broken)
    assert wrong()
