"""IRC's lines and texts: read as they were meant, written so that nothing else can be meant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.extensions.irc.lines import LineBuffer, decoded, read_line, write_line
from moltbot_desktop.extensions.irc.text import (
    LINE_BYTES,
    action_in,
    folded,
    names,
    parts_of,
    room_in_a_line,
    unformatted,
)
from moltbot_desktop.extensions.irc.throttle import Throttle


def test_a_line_with_tags_a_source_and_a_text() -> None:
    """https://ircv3.net/specs/extensions/message-tags: values have escapes of their own."""
    line = read_line(rb"@time=2026-11-22T12:00:00.000Z;+a=x\:y\sz\\;b :ada!a@h PRIVMSG #l :: hi ")
    assert line is not None
    assert dict(line.tags) == {"time": "2026-11-22T12:00:00.000Z", "+a": "x;y z\\", "b": ""}
    assert (line.nick, line.command, line.params) == ("ada", "PRIVMSG", ("#l", ": hi "))


@pytest.mark.parametrize("raw", [b"", b" ", b":only.a.source", b"@a=b", b"12 x", "你好".encode()])
def test_what_is_no_line_is_none(raw: bytes) -> None:
    assert read_line(raw) is None


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_whatever_comes_is_read_or_left(raw: bytes) -> None:
    line = read_line(raw)
    assert line is None or line.command


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 12))
@settings(max_examples=100, deadline=None)
def test_lines_are_the_same_however_they_come(lines: list[bytes], size: int) -> None:
    clean = [one.replace(b"\n", b"").rstrip(b"\r") for one in lines]
    stream = b"".join(one + b"\r\n" for one in clean)
    buffer, found = LineBuffer(), list[bytes]()
    for start in range(0, len(stream), size):
        found += buffer.feed(stream[start : start + size])
    assert found == clean


def test_a_line_without_an_end_takes_no_memory() -> None:
    buffer = LineBuffer(longest=100)
    assert not [*buffer.feed(b"x" * 90)] and not [*buffer.feed(b"x" * 5_000)]
    assert [*buffer.feed(b"x\nPING :a\n")] == [b"PING :a"]


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_a_text_never_becomes_a_second_command(text: str) -> None:
    raw = write_line("PRIVMSG", "#lab", text)
    assert raw.count(b"\n") == raw.count(b"\r") == 1 and raw.endswith(b"\r\n") and b"\0" not in raw


@pytest.mark.parametrize("target", ["", "a b", ":a", "a\r\nQUIT"])
def test_a_target_that_would_be_two_things_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="PRIVMSG"):
        write_line("PRIVMSG", target, "x")


def test_older_encodings_and_cut_characters() -> None:
    assert decoded("Grüße".encode("latin-1")) == "Grüße"
    assert decoded("你好".encode("gbk"), "gb18030") == "你好"
    assert decoded("hello 你好".encode()[:-1]) == "hello 你"


def test_codes_of_colour_and_bold_are_taken_off() -> None:
    assert unformatted("\x0304,01red\x03 \x02b\x02 \x1di\x1d \x04ff0000x\x0f\x161") == "red b i x1"


def test_names_are_compared_as_the_server_does() -> None:
    assert folded("Ada[M]\\~") == "ada{m}|^"
    assert folded("Ada[M]~", "ascii") == "ada[m]~"
    assert folded("A[~", "rfc1459-strict") == "a{~"


@pytest.mark.parametrize(
    ("text", "called"),
    [("Molty: hi", True), ("hi molty!", True), ("moltys", False), ("xmolty", False), ("", False)],
)
def test_a_nick_is_a_word_of_its_own(text: str, called: bool) -> None:
    assert names(text, "molty") is called


def test_an_action_is_heard_and_other_ctcp_is_not() -> None:
    assert action_in("\x01ACTION waves\x01") == "waves"
    assert action_in("\x01VERSION\x01") is None and action_in("\x01DCC SEND x 1 2\x01") is None


# Long enough to be cut, of letters that have one to four bytes.
@given(st.text("aé你😀 \n\x02\u200d", min_size=150, max_size=400), st.integers(64, 200))
@settings(max_examples=200, deadline=None)
def test_no_line_is_too_long_and_no_word_is_lost(text: str, most: int) -> None:
    parts = [*parts_of(text, most)]
    assert all(len(one.encode("utf-8", "replace")) <= most for one in parts)

    def bare(value: str) -> str:
        return "".join(unformatted(value.replace("\0", "").replace("\x01", "")).split())

    if not any(one in text for one in "\x02\x03\x04\x11\x1d\x1e\x0f\x16\x1f"):
        assert bare("".join(parts)) == bare(text)


def test_bold_goes_on_in_the_next_line_and_no_family_is_parted() -> None:
    first, second, *_ = parts_of("\x02" + "word " * 30 + "\x02", 64)
    assert first.startswith("\x02word") and second.startswith("\x02word")
    family = "👨\u200d👩\u200d👧"
    assert all(one.replace(family, "") in ("", "x" * 50) for one in parts_of("x" * 50 + family, 64))


def test_a_whole_line_fits_with_what_the_server_puts_before_it() -> None:
    prefix = ":molty!molty@some.host.example "
    room = room_in_a_line("PRIVMSG", "#lab", len(prefix) - 2)
    [part] = parts_of("x" * room, room)
    assert len(prefix.encode() + write_line("PRIVMSG", "#lab", f"{part[:-1]} ")) <= LINE_BYTES


def test_the_first_lines_go_at_once_and_the_rest_in_time() -> None:
    throttle = Throttle(2.0)
    now, waits = 100.0, []
    for _ in range(8):
        waits.append(throttle.wait(now))
        now += waits[-1]
    assert waits == [0.0] * 5 + [2.0] * 3
