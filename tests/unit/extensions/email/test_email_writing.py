"""What goes out: letters, places, settings, and what a server's refusal means."""

from __future__ import annotations

import imaplib
import smtplib
import ssl
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.letters import Earlier, Words, bare_subject, written
from moltbot_desktop.extensions.email.place import Place, farthest
from moltbot_desktop.extensions.email.providers import Security, Server, known
from moltbot_desktop.extensions.email.settings import EmailSettings, is_here, settings_from
from moltbot_desktop.extensions.email.trouble import checked, tls_context, told
from moltbot_desktop.sdk.channels import Attachment
from tests.fakes.rings import rings

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
ME = settings_from({"address": "Me@Example.org", "password": "x", "name": "莫特"})
HERE = Server("127.0.0.1", 1, Security.NONE)


def letter(
    plain: str, earlier: Earlier | None = None, markdown: str = "", *files: Attachment
) -> EmailMessage:
    """As it arrives."""
    words = Words(plain, markdown or plain)
    made = written(
        *(ME, "ada@x.org", words, earlier, "run:0", NOW, Language.ENGLISH),
        files=files,
        most_bytes=1_000,
    )
    got = message_from_bytes(made.as_bytes(), policy=policy.default)
    assert isinstance(got, EmailMessage)
    return got


def test_an_answer_hangs_under_what_it_answers() -> None:
    got = letter("Yes.", Earlier("AW: Re: 茶？", "m2@x.org", ("m0@x.org", "m1@x.org")))
    assert got["Subject"] == "Re: 茶？" and got["In-Reply-To"] == "<m2@x.org>"
    assert got["References"] == "<m0@x.org> <m1@x.org> <m2@x.org>"
    assert got["From"] == "莫特 <me@example.org>" and got["To"] == "ada@x.org"
    assert got["Auto-Submitted"] == "auto-replied" and got["X-Auto-Response-Suppress"] == "All"


def test_a_first_letter_is_about_its_first_line() -> None:
    got = letter("Tea at five?\n\nBring cake.")
    assert got["Subject"] == "Tea at five?" and got["In-Reply-To"] is None
    assert got["Auto-Submitted"] == "auto-generated"
    assert len(letter("word " * 100)["Subject"]) < 80 and letter("")["Subject"] == "A message"


def test_a_letter_is_written_and_read_off_without_a_class_of_its_own() -> None:
    earlier = Earlier("AW: x", "m2@x.org", ("m0@x.org",))

    def write() -> bytes:
        words = Words("Hi", "**Hi**")
        made = written(ME, "ada@x.org", words, earlier, "run:0", NOW, Language.ENGLISH)
        return made.as_bytes()

    write()
    with rings() as found:
        write()
    assert [one for one in found if isinstance(one, type)] == []


def test_the_same_key_makes_the_same_id() -> None:
    first, again = letter("a"), letter("b")
    assert first["Message-ID"] == again["Message-ID"] and "@example.org>" in first["Message-ID"]


def test_words_go_plain_and_as_a_page_that_loads_nothing() -> None:
    markdown = "**Hi** 😀\n\n![x](https://a.example/pixel.png) <script>alert(1)</script>"
    got = letter("Hi 😀", None, markdown)
    plain, page = got.get_body(("plain",)), got.get_body(("html",))
    assert plain is not None and page is not None
    assert plain.get_content().splitlines() == ["Hi 😀"]
    assert "<strong>Hi</strong> 😀" in page.get_content()
    assert "<img" not in page.get_content() and "<script" not in page.get_content()


def test_files_go_along(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\x89PNG")
    got = letter("", None, "", Attachment(tmp_path / "a", "茶.png", "image/png"))
    [file] = got.iter_attachments()
    assert (file.get_filename(), file.get_content_type()) == ("茶.png", "image/png")
    assert file.get_content() == b"\x89PNG" and got["Subject"] == "茶.png"
    (tmp_path / "b").write_bytes(bytes(1_001))
    for name in ("b", "none"):
        with pytest.raises(ChannelRefused, match="cannot be read"):
            letter("", None, "", Attachment(tmp_path / name, name))


def test_ids_of_our_own_making_are_written_to_nobody() -> None:
    assert letter("x", Earlier("s", "none-17"))["In-Reply-To"] is None
    assert letter("x", Earlier("s", "a@b", ("long-1", "c@d")))["References"] == "<c@d> <a@b>"


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_words_of_a_subject_make_a_header(subject: str, opening: str) -> None:
    for got in (letter("x", Earlier(subject, "a@b")), letter(opening)):
        assert set(got.keys()) <= {
            *("From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References"),
            *("Auto-Submitted", "X-Auto-Response-Suppress", "MIME-Version", "Content-Type"),
            "Content-Transfer-Encoding",
        }
        assert got["To"] == "ada@x.org"


@pytest.mark.parametrize(
    ("subject", "bare"),
    [("Re: re: AW: tea", "tea"), ("回复：茶", "茶"), ("Note: tea", "Note: tea"), ("Re:", "")],
)
def test_a_subject_has_one_re(subject: str, bare: str) -> None:
    assert bare_subject(subject) == bare


# ------------------------------------------------------------------ places


def test_a_place_comes_back_as_it_was_kept() -> None:
    place = Place("INBOX", 7, 42, date(2026, 3, 1))
    assert Place.parsed(place.text) == place and place.search_day == "1-Mar-2026"


@pytest.mark.parametrize(
    "text",
    [
        *("", "7", "[]", '{"folder": "x"}'),
        '{"folder":"x","validity":-1,"uid":1,"day":"2026-01-01"}',
        '{"folder":"x","validity":1,"uid":true,"day":"2026-01-01"}',
        '{"folder":"x","validity":1,"uid":1,"day":"tomorrow"}',
    ],
)
def test_what_is_no_place_is_none(text: str) -> None:
    assert Place.parsed(text) is None


@given(st.text(max_size=40))
def test_any_text_is_a_place_or_none(text: str) -> None:
    assert Place.parsed(text) is None


def test_the_farthest_place_of_the_same_numbering_counts() -> None:
    early, late = Place("INBOX", 7, 1, date(2026, 1, 2)), Place("INBOX", 7, 9, date(2026, 1, 1))
    other = Place("INBOX", 8, 99, date(2026, 1, 3))
    assert farthest((early, None, late, other), "INBOX", 7) == late
    assert farthest((early, late), "INBOX", 9) == early
    assert farthest((early, None), "Archive", 7) is None


# ------------------------------------------------------------------ settings


def test_servers_are_known_by_the_address() -> None:
    mine = settings_from({"address": "molty@gmail.com", "password": "x"})
    assert mine.imap == Server("imap.gmail.com", 993) and mine.vouchers == ("mx.google.com",)
    assert checked(mine, Language.ENGLISH) == (mine.imap, mine.smtp)
    own = settings_from(
        {"address": "m@my.org", "password": "x", "imapHost": "IMAP.gmail.com", "imapPort": None}
    )
    assert own.imap == mine.imap and own.smtp == mine.smtp and own.vouchers == mine.vouchers
    assert known("a@nowhere.example") is None


def test_what_is_said_goes_before_what_is_known() -> None:
    given: dict[str, str | int] = {
        "imapHost": "mail.my.org",
        "imapSecurity": "starttls",
        "smtpHost": "x",
        "smtpPort": 9,
    }
    mine = settings_from({"address": "m@qq.com", "authservId": "mx.my.org, .b.org", **given})
    assert mine.imap == Server("mail.my.org", 143, Security.STARTTLS)
    assert mine.smtp == Server("x", 9) and mine.vouchers == ("mx.my.org", ".b.org")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"address": ""}, "which e-mail account"),
        ({"password": ""}, "which e-mail account"),
        ({}, "which servers my.org has"),
        ({"address": "m@outlook.com"}, "takes no passwords"),
        ({"imapHost": "outlook.office365.com", "smtpHost": "x"}, "takes no passwords"),
        ({"imapHost": "x.org", "smtpHost": "x.org", "smtpSecurity": "none"}, "unencrypted"),
        ({"imapHost": "localhost.x.org", "smtpHost": "x", "imapSecurity": "none"}, "unencrypted"),
    ],
)
def test_what_cannot_work_is_told_with_what_to_do(more: dict[str, str], said: str) -> None:
    settings = settings_from({"address": "m@my.org", "password": "x", **more})
    for language in Language:
        with pytest.raises(ChannelRefused) as refused:
            checked(settings, language)
        assert refused.value.hint
        assert language is not Language.ENGLISH or said in refused.value.message


def test_only_this_computer_is_here() -> None:
    here = ("127.0.0.1", "::1", "localhost")
    assert all(map(is_here, here)) and not is_here("127.0.0.1.nip.example")


# ------------------------------------------------------------------ refusals


def refusal(error: Exception) -> ChannelError:
    settings = EmailSettings("me@x.org", "canary", "me@x.org", HERE, HERE)
    with pytest.raises(ChannelError) as found, told(HERE, settings, Language.ENGLISH, "a@b.c"):
        raise error
    assert "canary" not in f"{found.value} {found.value.hint}"
    return found.value


def refused_recipient(code: int, said: bytes) -> smtplib.SMTPRecipientsRefused:
    return smtplib.SMTPRecipientsRefused({"a@b.c": (code, said)})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (smtplib.SMTPAuthenticationError(535, b"5.7.8 no canary"), ChannelAuthFailed),
        (smtplib.SMTPAuthenticationError(454, b"4.7.0 later"), ChannelRateLimited),
        (refused_recipient(550, b"5.1.1 nobody"), ChannelRefused),
        (refused_recipient(450, b"4.2.0 greylisted"), ChannelError),
        (refused_recipient(452, b"4.5.3 too many"), ChannelRateLimited),
        (smtplib.SMTPDataError(550, b"5.4.5 Daily user sending limit"), ChannelRateLimited),
        (smtplib.SMTPSenderRefused(552, b"5.3.4 too big", "me"), ChannelTooLong),
        (smtplib.SMTPDataError(554, b"5.7.1 spam"), ChannelRefused),
        (smtplib.SMTPServerDisconnected("x"), ChannelError),
        (smtplib.SMTPConnectError(421, b"4.3.2 busy"), ChannelRateLimited),
        (smtplib.SMTPNotSupportedError("STARTTLS extension not supported"), ChannelRefused),
        (smtplib.SMTPNotSupportedError("SMTP AUTH extension not supported"), ChannelRefused),
        (imaplib.IMAP4.abort("socket error: EOF"), ChannelError),
        (imaplib.IMAP4.abort("TLS not supported by server"), ChannelRefused),
        (imaplib.IMAP4.error("BAD\x00\r\n" + "x" * 900), ChannelError),
        (ssl.SSLCertVerificationError("self-signed"), ChannelError),
        (ConnectionRefusedError(111, "Connection refused"), ChannelError),
        (TimeoutError("timed out"), ChannelError),
    ],
)
def test_a_refusal_means_this(error: Exception, kind: type[ChannelError]) -> None:
    """Codes: RFC 5321, 4.2; RFC 3463."""
    found = refusal(error)
    assert type(found) is kind and len(found.message) < 300 and found.message.isprintable()


@given(st.integers(0, 999), st.binary(max_size=300))
def test_any_answer_is_a_channels_error(code: int, said: bytes) -> None:
    assert isinstance(refusal(smtplib.SMTPDataError(code, said)), ChannelError)


def test_a_certificate_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("no")
    for file in ("x.pem", "y.pem"):
        with pytest.raises(ChannelRefused, match="cannot be read"):
            tls_context(str(tmp_path / file), Language.ENGLISH)
