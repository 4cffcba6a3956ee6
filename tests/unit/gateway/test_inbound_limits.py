"""What strangers and crowds cannot do to the disk and the model."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.gateway.access import AccessRules, GroupRules
from moltbot_desktop.gateway.inbound_limits import LONGEST_QUOTE, InboundLimits, InboundRules
from moltbot_desktop.sdk.channels import Attachment, Envelope, Peer, PeerKind, Quoted, Sender
from tests.fakes.mail import envelope

RULES = InboundRules(per_minute=6, characters=100)
ANYBODY = AccessRules("open", ("*",), "open", groups={"*": GroupRules()})
NAMED = AccessRules("allowlist", ("7",), "open", groups={"*": GroupRules()})
GROUP = Peer(PeerKind.GROUP, "g")


class Door:
    def __init__(self, access: AccessRules = ANYBODY) -> None:
        self.clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
        self.floods: list[Envelope] = []
        self.limits = InboundLimits(self.clock, self.floods.append)
        self.access = access

    def let_in(self, *envelopes: Envelope) -> list[Envelope | None]:
        return [self.limits.fitting(one, RULES, self.access) for one in envelopes]

    def count(self, times: int, **more: object) -> int:
        came = [envelope(str(number), **more) for number in range(times)]  # type: ignore[arg-type]
        return sum(one is not None for one in self.let_in(*came))


def test_a_strangers_message_is_not_read_however_it_looks() -> None:
    assert Door(NAMED).let_in(replace(envelope("1"), sender=Sender("9"))) == [None]
    assert Door().let_in(replace(envelope("1"), sender=Sender(""))) == [None]


def test_no_channel_speaks_for_the_owner() -> None:
    for name in ("desktop", " Desktop "):
        assert Door().let_in(replace(envelope("1"), channel=name)) == [None]


def test_one_of_everybody_writes_so_much_a_minute() -> None:
    door = Door()
    assert door.count(20) == 6
    door.clock.advance(20)
    assert door.count(20) == 2
    assert len(door.floods) == 1  # told once
    door.clock.advance(600)
    assert door.count(20) == 6


def test_a_crowd_in_a_group_together_writes_four_times_as_much() -> None:
    door = Door()
    came = [replace(envelope(str(n)), peer=GROUP, sender=Sender(f"u{n % 50}")) for n in range(200)]
    assert sum(one is not None for one in door.let_in(*came)) == 24
    assert door.count(3) == 3  # nobody else pays for it


def test_whom_the_owner_has_named_writes_as_they_like() -> None:
    assert Door(NAMED).count(200) == 200
    assert Door(replace(ANYBODY, paired=frozenset({"7"}))).count(200) == 200


def test_a_long_text_is_cut_and_says_so() -> None:
    [kept] = Door().let_in(envelope("1", "x" * 5000))
    assert kept is not None and len(kept.text) == 100 and kept.text.endswith("[… cut …]")
    [whole] = Door().let_in(envelope("1", "x" * 100))
    assert whole is not None and whole.text == "x" * 100


def test_names_and_files_are_few_and_short() -> None:
    files = tuple(Attachment(Path("/x"), "a") for _ in range(100))
    one = replace(envelope("1"), sender=Sender("7", "n" * 5000), attachments=files)
    [kept] = Door().let_in(one)
    assert kept is not None
    assert len(kept.sender.name) <= 200 and len(kept.attachments) <= 20


@pytest.mark.parametrize("field", ["message_id", "thread_id", "reply_to", "account", "guild_id"])
def test_an_id_that_no_platform_gives_is_refused(field: str) -> None:
    for value in ("x" * 300, "a\0b"):
        assert Door().let_in(replace(envelope("1"), **{field: value})) == [None]


def test_a_quote_is_cut_and_one_that_no_platform_gives_is_left_out() -> None:
    long = Quoted("a" * 5_000, Sender("8", "B" * 5_000, "c" * 5_000))
    odd = (Quoted("x", Sender("9" * 300)), Quoted("x", Sender("9\0")), Quoted(" \n", Sender("8")))
    cut, *others = Door().let_in(*(envelope(str(n), quoted=q) for n, q in enumerate((long, *odd))))
    assert cut is not None and cut.quoted is not None
    assert len(cut.quoted.text) == LONGEST_QUOTE and cut.quoted.text.endswith("[… cut …]")
    assert (len(cut.quoted.sender.name), len(cut.quoted.sender.username)) == (200, 200)
    assert all(one is not None and one.quoted is None and one.text == "hello" for one in others)


def test_many_senders_cost_no_memory_for_ever() -> None:
    door = Door()
    for number in range(12_000):
        door.let_in(replace(envelope("1"), sender=Sender(f"u{number}")))
    assert len(door.limits._buckets) <= 10_000
