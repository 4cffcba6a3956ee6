"""Who has written an e-mail, and whether anybody may say so: headers, proofs, the door."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.door import HOUR_SECONDS, Door
from moltbot_desktop.extensions.email.headers import (
    LONGEST_ID,
    MOST_HEADER_BYTES,
    Silence,
    plain_address,
    read_head,
    read_sender,
)
from moltbot_desktop.extensions.email.proof import Proof, proven, read_results
from moltbot_desktop.extensions.email.settings import settings_from

MINE = ("mx.me.org",)
ADA = "ada@example.org"
GOOD = "mx.me.org; dmarc=pass (p=none) header.from=example.org"


def mail(*headers: str, sender: str = f"Ada <{ADA}>") -> bytes:
    lines = (f"From: {sender}", "Message-ID: <m1@example.org>", "Subject: tea", *headers)
    return "\r\n".join((*lines, "", "")).encode("utf-8", "surrogateescape")


# ------------------------------------------------------------------ one plain sender


@pytest.mark.parametrize(
    ("written", "address", "name"),
    [
        ("ada@example.org", ADA, ""),
        ("Ada <Ada@Example.ORG>", ADA, "Ada"),
        ('"Lovelace, Ada" <ada@example.org>', ADA, "Lovelace, Ada"),
        ("=?gb2312?B?xOO6ww==?= <ada@example.org>", ADA, "你好"),
        ("爱达 <ada@example.org>", ADA, "爱达"),
        ("ada+tea@mail.example.org (at home)", "", ""),
    ],
)
def test_one_plain_sender_is_read(written: str, address: str, name: str) -> None:
    head = read_head(mail(sender=written))
    assert (head.sender, head.name) == (address, name)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "ada",
        "ada@localhost",
        "ada@example.org, eve@evil.example",
        "ada@example.org <eve@evil.example>, x@y.example",
        "<ada@example.org> <eve@evil.example>",
        '"ada@example.org <ada@example.org>" <eve@evil.example>',
        "Friends: ada@example.org;",
        "undisclosed-recipients:;",
        '"a da"@example.org',
        "ada@[192.0.2.1]",
        "ada.@example.org",
        "a..da@example.org",
        "ada@exam ple.org",
        "аda@example.org",  # a Cyrillic letter
        "ada@exаmple.org",
        "ada@example.org\x00@evil.example",
        "eve@evil.example (<ada@example.org>)",
        "@evil.example:ada@example.org",
        "x" * 250 + "@example.org",
        "a" * 2_000 + " <ada@example.org>",
    ],
)
def test_what_is_no_plain_sender_is_nobody(written: str) -> None:
    assert read_head(mail(sender=written)).sender == ""


def test_two_senders_are_nobody() -> None:
    assert read_head(mail("From: eve@evil.example")).sender == ""
    assert read_head(b"Subject: nobody\r\n\r\n").sender == ""


def test_the_domain_of_another_alphabet_stays_as_it_is_sent() -> None:
    """A name that looks the same to an eye is another id."""
    assert plain_address("ada@xn--exmple-4uf.org") == "ada@xn--exmple-4uf.org"


def test_conversations_hang_together_by_their_first_message() -> None:
    assert read_head(mail()).thread == "m1@example.org"
    answer = read_head(mail("In-Reply-To: <a@x.y> (of yesterday)"))
    assert (answer.thread, answer.in_reply_to) == ("a@x.y", "a@x.y")
    far = read_head(mail("References: <r@x.y>\r\n <b@x.y>", "In-Reply-To: <b@x.y>"))
    assert (far.thread, far.answers) == ("r@x.y", ("r@x.y", "b@x.y"))
    many = read_head(mail("References: " + " ".join(f"<{n}@x.y>" for n in range(3_000))))
    assert many.thread == "0@x.y" and len(many.answers) == 51


def test_ids_are_short_and_there_is_always_one() -> None:
    long = read_head(mail().replace(b"m1@", b"m" * 900 + b"@"))
    assert len(long.message_id) <= LONGEST_ID and long.message_id.startswith("long-")
    bare = b"From: ada@example.org\r\nDate: today\r\n\r\n"
    assert read_head(bare).message_id == read_head(bare).message_id
    assert read_head(bare).message_id != read_head(bare.replace(b"today", b"now")).message_id


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("List-Id: <tea.example.org>", Silence.LIST),
        ("List-Unsubscribe: <https://x.example>", Silence.LIST),
        ("Precedence: bulk", Silence.LIST),
        ("Auto-Submitted: auto-replied (vacation)", Silence.AUTOMATIC),
        ("Auto-Submitted: auto-generated; x=1", Silence.AUTOMATIC),
        ("X-Auto-Response-Suppress: DR, AutoReply", Silence.AUTOMATIC),
        ("X-Loop: ada", Silence.AUTOMATIC),
        ("Return-Path: <>", Silence.BOUNCE),
        ("Return-Path: < >", Silence.BOUNCE),
        ("Content-Type: multipart/report; report-type=delivery-status", Silence.BOUNCE),
        ("Auto-Submitted: no", None),
        ("Return-Path: <ada@example.org>", None),
    ],
)
def test_programs_lists_and_reports_are_never_answered(header: str, why: Silence | None) -> None:
    """RFC 3834, 2; RFC 2919; RFC 5321, 4.5.5."""
    assert read_head(mail(header)).silence is why


@pytest.mark.parametrize(
    "local", ["noreply", "No-Reply", "mailer-daemon", "bounces+17=x", "postmaster"]
)
def test_nobody_reads_there(local: str) -> None:
    assert read_head(mail(sender=f"{local}@example.org")).silence is Silence.NO_REPLY


def test_a_header_that_is_cut_says_nothing_certain() -> None:
    head = read_head(mail("X-Filler: " + "x" * MOST_HEADER_BYTES, "From: eve@evil.example"))
    assert head.silence is Silence.BROKEN


@given(st.binary(max_size=400))
def test_any_bytes_are_a_head(raw: bytes) -> None:
    head = read_head(raw)
    assert head.sender == plain_address(head.sender)
    assert head.message_id and "\n" not in head.subject + head.name + head.message_id


@given(st.text(alphabet='ab.@<>"\\(),;: \r\n\t=?\udc80\udcffé[]', max_size=60))
def test_any_sender_is_a_plain_one_or_nobody(written: str) -> None:
    address, name = read_sender(written)
    assert address == plain_address(address) and (address or not name)
    assert address.lower() in written.lower()


# ------------------------------------------------------------------ proofs (RFC 8601)


@pytest.mark.parametrize(
    "value",
    [
        GOOD,
        "mx.me.org 1; spf=fail smtp.mailfrom=x.example; dmarc=pass header.from=Example.org",
        "mx.me.org; dkim=pass (good (very)) header.d=example.org header.s=k",
        "mx.me.org; dkim=none; dkim=pass header.i=@example.org",
        "mx.me.org;\r\n\tspf = pass smtp.mailfrom = ada@example.org",
        'mx.me.org; dkim=pass reason="a;b" header.d=example.org',
    ],
)
def test_the_owners_server_vouches(value: str) -> None:
    assert proven("example.org", [value], MINE) is Proof.GIVEN


@pytest.mark.parametrize(
    "value",
    [
        "mx.me.org; none",
        "mx.me.org",
        "mx.me.org; dmarc=fail header.from=example.org; dkim=pass header.d=example.org",
        "mx.me.org; dmarc=pass header.from=evil.example",
        "mx.me.org; dmarc=pass",
        "mx.me.org; dkim=pass header.d=evil.example",
        "mx.me.org; dkim=pass header.d=sub.example.org",
        "mx.me.org; dkim=pass header.d=org",
        "mx.me.org; dkim=fail header.d=example.org",
        "mx.me.org; spf=pass smtp.helo=example.org",
        "mx.me.org; spf=pass smtp.mailfrom=ada@evil.example",
        "mx.me.org; (dmarc=pass header.from=example.org)",
        'mx.me.org; spf=none smtp.mailfrom="x; dmarc=pass header.from=example.org"@evil.example',
        "mx.me.org; dmarc=none; spf=none x=y; dmarc=pass header.from=example.org z@evil.example",
        "mx.me.org; dmarc=pass header.from=evil.example header.from=example.org",
        "mx.me.org; dkim=pass header.d=badexample.org",
    ],
)
def test_what_does_not_speak_for_the_sender_refutes(value: str) -> None:
    assert proven("example.org", [value], MINE) is Proof.REFUTED


def test_a_domain_speaks_for_what_is_below_it() -> None:
    value = "mx.me.org; dkim=pass header.d=example.org"
    assert proven("mail.example.org", [value], MINE) is Proof.GIVEN
    assert proven("badexample.org", [value], MINE) is Proof.REFUTED


def test_only_the_topmost_line_of_a_known_server_counts() -> None:
    """What stands below the server's own line may be the sender's."""
    forged, refuted = GOOD, "mx.me.org; dmarc=fail header.from=example.org"
    assert proven("example.org", [refuted, forged], MINE) is Proof.REFUTED
    assert proven("example.org", ["spam.filter.example; x=y", GOOD], MINE) is Proof.GIVEN
    assert proven("example.org", ["mx.evil.example; dmarc=pass"], MINE) is Proof.ABSENT
    assert proven("example.org", [GOOD], ()) is Proof.ABSENT
    assert proven("example.org", [], MINE) is Proof.ABSENT


def test_a_name_with_a_dot_stands_for_those_below_it() -> None:
    for name, known in (("a.b.me.org", True), ("me.org", False), ("evilme.org", False)):
        value = GOOD.replace("mx.me.org", name)
        assert (proven("example.org", [value], (".me.org",)) is Proof.GIVEN) is known


@given(st.text(alphabet='abmx.org;=() "\\\r\n\t@dmarcpass', max_size=300))
@example(".;=")
def test_any_text_is_read_as_results(value: str) -> None:
    voucher, results = read_results(value)
    assert voucher or not results
    assert proven("example.org", [value], ("mx.me.org",)) in (Proof.ABSENT, Proof.REFUTED)


@given(st.text(alphabet='abc;=() "\\@.dmarcpass', max_size=100))
def test_what_somebody_has_put_into_a_quoted_name_proves_nothing(smuggled: str) -> None:
    quoted = smuggled.replace("\\", "\\\\").replace('"', '\\"')
    value = f'mx.me.org; spf=none smtp.mailfrom="{quoted}"@evil.example'
    assert proven("example.org", [value], MINE) is Proof.REFUTED


# ------------------------------------------------------------------ the door


def door(told: list[str], clock: ManualClock | None = None, **settings: object) -> Door:
    raw = {"address": "me@me.org", "password": "x", "authservId": "mx.me.org", **settings}
    now = clock or ManualClock(datetime(2026, 11, 22, 12, tzinfo=UTC))
    return Door(settings_from(raw), now, Language.ENGLISH, told.append)  # type: ignore[arg-type]


PROVEN = f"Authentication-Results: {GOOD}"


def test_a_proven_person_is_let_in() -> None:
    told: list[str] = []
    assert door(told).lets_in(read_head(mail(PROVEN))) and not told


def test_programs_and_ourselves_are_passed_over_without_a_word() -> None:
    told: list[str] = []
    opened = door(told)
    assert not opened.lets_in(read_head(mail(PROVEN, "List-Id: <x>")))
    ours = mail(
        "Authentication-Results: mx.me.org; dmarc=pass header.from=me.org", sender="ME@me.org"
    )
    assert not opened.lets_in(read_head(ours))
    assert not told


def test_a_forged_sender_is_told_once_and_the_account_goes_on() -> None:
    told: list[str] = []
    opened = door(told)
    forged = read_head(
        mail("Authentication-Results: mx.me.org; dmarc=fail header.from=example.org")
    )
    for _ in range(3):
        assert not opened.lets_in(forged)
    assert len(told) == 2 and ADA in told[0] and told[1] == ""
    assert opened.lets_in(read_head(mail(PROVEN)))


def test_a_server_that_vouches_for_nobody_stays_a_problem() -> None:
    """It names the server whose line there is, for the owner to judge."""
    told: list[str] = []
    opened = door(told)
    assert not opened.lets_in(read_head(mail("Authentication-Results: mx.other.org; dmarc=pass")))
    assert "mx.other.org" in told[-1] and "authservId" in told[-1]
    assert not opened.lets_in(read_head(mail()))
    assert "anybody can write any name" in told[-1] and "mx.other.org" in told[-1]


def test_who_says_so_believes_everybody() -> None:
    told: list[str] = []
    assert door(told, believeUnproven=True).lets_in(read_head(mail())) and not told
    assert not door(told, believeUnproven=True).lets_in(read_head(mail("From: x@y.z")))


def test_two_programs_that_answer_each_other_come_to_an_end() -> None:
    told: list[str] = []
    clock = ManualClock(datetime(2026, 11, 22, 12, tzinfo=UTC))
    opened = door(told, clock, maxPerHour=3)
    head = read_head(mail(PROVEN))
    assert [opened.lets_in(head) for _ in range(5)] == [True, True, True, False, False]
    other = mail(PROVEN, sender="bob@example.org")
    assert opened.lets_in(read_head(other)), "others are not held up"
    assert len([one for one in told if one]) == 1 and "3 e-mails" in told[0]
    clock.advance(HOUR_SECONDS)
    assert opened.lets_in(replace(head, message_id="later"))
