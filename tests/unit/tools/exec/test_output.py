"""What a program says becomes text, whole and short."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.exec.output import Output, encodings, readable


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\n", "plain\n"),
        ("中文".encode(), "中文"),
        ("中文输出，第二行".encode("gb18030"), "中文输出，第二行"),
        ("dir\r\n".encode("utf-16-le"), "dir\n"),
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"),
        (b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
        (b"a\x08\x00b", "ab"),
        ("中".encode()[:2], ""),
    ],
)
def test_bytes_are_read_as_what_they_are(data: bytes, text: str) -> None:
    assert readable(data) == text


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=40)), st.integers(min_value=10, max_value=60))
def test_no_bytes_break_it_and_it_stays_short(parts: list[bytes], most: int) -> None:
    output = Output(most)
    for part in parts:
        output.add(part)
    assert len(output.text()) <= most + 60
    output.fresh()
    assert output.fresh() == ""


@settings(max_examples=100)
@given(st.text(alphabet="ab\n", max_size=200), st.integers(min_value=1, max_value=7))
def test_both_ends_are_kept(text: str, step: int) -> None:
    output = Output(100)
    data = text.encode()
    for begin in range(0, len(data), step):
        output.add(data[begin : begin + step])
    shown = output.text()
    if len(text) <= 100:
        assert shown == text
    else:
        assert shown.startswith(text[:20])
        assert shown.endswith(text[-80:])
        assert f"[{len(text) - 100} bytes left out]" in shown


def test_what_is_new_is_told_once() -> None:
    output = Output(100)
    output.add(b"one ")
    assert output.fresh() == "one "
    output.add(b"two")
    assert (output.fresh(), output.text()) == ("two", "one two")


@pytest.mark.parametrize(
    ("console", "text", "as_written"),
    [(936, "没有找到", "gbk"), (437, "Größe ½", "cp437"), (850, "Größe ½", "cp850")],
)
def test_the_consoles_code_page_is_read_on_windows(
    console: int, text: str, as_written: str
) -> None:
    assert readable(text.encode(as_written), encodings(console)) == text
    assert readable("Größe 没有".encode(), encodings(console)) == "Größe 没有"


def test_a_code_page_that_nobody_knows_is_left_out() -> None:
    assert encodings(65001)[0] == "utf-8"
    assert "cp708" not in encodings(708)
    assert readable(b"\xff\xfe\xfd", encodings(708))


def test_what_is_left_out_may_cut_a_character_in_two() -> None:
    output = Output(20)
    output.add("没".encode() * 20)
    assert output.text().endswith("没没没没没")
    assert "\ufffd" not in output.text()


def test_so_may_what_is_fresh() -> None:
    output = Output(20)
    output.add("没".encode() * 20)
    assert output.fresh() == "没没没没没"
    output.add(b"\xbb\xb6")
    assert output.fresh() == readable(b"\xbb\xb6")
