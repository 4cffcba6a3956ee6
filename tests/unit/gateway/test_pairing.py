"""Who is answered with a code: strangers in private, few at a time, and with which code."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.access import access_rules
from moltbot_desktop.gateway.pairing import (
    CODE_LENGTH,
    CODE_SIGNS,
    MOST_WAITING,
    MOST_WRONG,
    Knock,
    begins_pairing,
    is_locked,
    is_over,
    knock,
    new_code,
    typed_code,
)
from moltbot_desktop.sdk.channels import DESKTOP, Envelope, Peer, PeerKind, Sender
from moltbot_desktop.sdk.pairing import LIFE, PairingRequest

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
EVE = Envelope("x", "1", Sender("7", "Eve"), "hi", NOW, peer=Peer(PeerKind.DM, "7"))
SECOND = timedelta(seconds=1)


def request(sender: str, asked: datetime = NOW, account: str = "default") -> PairingRequest:
    return PairingRequest("x", account, Sender(sender), f"CODE{sender}", asked)


@pytest.mark.parametrize(
    ("envelope", "written", "begins"),
    [
        (EVE, {}, True),
        (EVE, {"dmPolicy": "pairing", "allowFrom": ["8"]}, True),
        (replace(EVE, peer=None), {}, True),
        (EVE, {"allowFrom": ["7"]}, False),
        (EVE, {"dmPolicy": "allowlist"}, False),
        (EVE, {"dmPolicy": "open", "allowFrom": ["8"]}, False),
        (EVE, {"dmPolicy": "disabled"}, False),
        (EVE, {"dmPolicy": "pairng"}, False),
        (EVE, {"dmPolicy": True}, False),
        (replace(EVE, peer=Peer(PeerKind.GROUP, "g")), {}, False),
        (replace(EVE, peer=Peer(PeerKind.CHANNEL, "g")), {}, False),
        (replace(EVE, channel=DESKTOP), {}, False),
        (replace(EVE, sender=Sender(" ")), {}, False),
        (replace(EVE, sender=Sender("7" * 300)), {}, False),
    ],
)
def test_strangers_in_private_may_ask(
    envelope: Envelope, written: JsonObject, begins: bool
) -> None:
    assert begins_pairing(envelope, access_rules(written)) is begins


def test_who_was_let_in_does_not_ask() -> None:
    assert not begins_pairing(EVE, access_rules({}, paired=frozenset({"7"})))


def test_three_wait_at_a_time_and_each_keeps_their_code() -> None:
    waiting = [request(str(n)) for n in range(10, 10 + MOST_WAITING)]
    assert MOST_WAITING == 3
    assert knock(waiting[:2], EVE, NOW) is Knock.NEW
    assert knock(waiting, EVE, NOW) is Knock.FULL
    assert knock([*waiting[:2], request("7")], EVE, NOW) is Knock.KNOWN
    assert knock(waiting, replace(EVE, account="other"), NOW) is Knock.NEW
    assert knock(waiting, replace(EVE, channel="y"), NOW) is Knock.NEW


def test_a_code_holds_for_an_hour() -> None:
    old = [request(str(n), NOW - LIFE) for n in range(10, 13)]
    assert timedelta(minutes=60) == LIFE
    assert knock(old, EVE, NOW) is Knock.NEW
    assert knock(old, EVE, NOW - SECOND) is Knock.FULL
    assert is_over(request("1"), NOW + LIFE) and not is_over(request("1"), NOW + LIFE - SECOND)


def test_a_clock_that_was_put_back_keeps_nobody_out() -> None:
    ahead = [request(str(n), NOW + timedelta(days=400)) for n in range(10, 13)]
    assert knock(ahead, EVE, NOW) is Knock.NEW


def test_five_wrong_codes_lock_for_an_hour() -> None:
    wrong = [NOW - SECOND * n for n in range(MOST_WRONG)]
    assert MOST_WRONG == 5
    assert is_locked(wrong, NOW)
    assert not is_locked(wrong[1:], NOW)
    assert not is_locked(wrong, NOW + LIFE)


def test_codes_are_typed_as_people_type() -> None:
    code = new_code()
    assert len(code) == CODE_LENGTH == 8
    assert set(code) <= set(CODE_SIGNS) and not set(CODE_SIGNS) & set("IO01")
    assert typed_code(f" {code[:4].lower()}-{code[4:]} \n") == code
