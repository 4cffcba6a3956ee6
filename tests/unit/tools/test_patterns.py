"""What people type to find a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.decoding import decode
from moltbot_desktop.tools.patterns import NamePattern, comparable, pattern_of


def _fits(pattern: str, path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return pattern_of(pattern).rank(comparable(name), comparable(path)) is not None


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("report", "docs/Report-2026.pdf"), ("report.pdf", "docs/report.pdf"),
        ("REPORT.PDF", "report.pdf"), ("*.pdf", "docs/a.pdf"), (".pdf", "docs/a.PDF"),
        ("pdf", "docs/a.pdf"), ("pdf files", "docs/a.pdf"), ("all my pdf files", "a.pdf"),
        ("photos", "p/IMG_1.JPG"), ("my photos", "p/IMG_1.heic"), ("图片", "p/x.png"),
        ("所有图片", "p/x.webp"), ("表格", "budget.xlsx"), ("pdf文件", "x.pdf"),
        ("发票", "2026发票.pdf"), ("发票文件", "2026发票.pdf"), ("发票 pdf", "2026发票.pdf"),
        ("invoice pdf", "scan/Invoice_7.pdf"), ("tax 2025", "2025_tax_final.odt"),
        ("“report.pdf”", "report.pdf"), ("docs/report.pdf", "old/docs/report.pdf"),
        ("docs/*.md", "docs/a.md"), ("file called notes", "notes.txt"), ("café", "Cafe\u0301.txt"),
        ("笔记", "我的笔记.txt"), ("report?.pdf", "report1.pdf"), ("[ab].txt", "a.txt"),
    ],
)  # fmt: skip
def test_fits(pattern: str, path: str) -> None:
    assert _fits(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("report", "summary.pdf"), ("*.pdf", "a.pdf.txt"), ("pdf files", "a.txt"),
        ("invoice pdf", "invoice.txt"), ("invoice pdf", "other.pdf"), ("图片", "x.pdf"),
        ("", "a"), ("   ", "a"), ("tax 2025", "tax_2024.odt"),
    ],
)  # fmt: skip
def test_does_not_fit(pattern: str, path: str) -> None:
    assert not _fits(pattern, path)


def test_the_exact_name_comes_before_a_part_of_one() -> None:
    pattern = pattern_of("notes")
    ranks = [pattern.rank(name, name) for name in ("notes", "notes.txt", "notes-2.txt", "my notes")]
    assert ranks == [0, 1, 2, 3]


def test_nothing_to_look_for_is_recognised() -> None:
    for text in ("", " ", "“”", "''"):
        assert pattern_of(text) == NamePattern()


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60), name=st.text(min_size=1, max_size=40))
def test_any_pattern_can_be_compared_with_any_name(text: str, name: str) -> None:
    pattern_of(text).rank(comparable(name), comparable(f"folder/{name}"))


_TEXT = "Grüße, 你好世界！这是一个测试文件。\nzweite Zeile\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "utf-16-le", "utf-16-be"]
)
def test_text_is_read_in_the_encodings_people_have(encoding: str) -> None:
    text = _TEXT if encoding not in ("utf-16-le", "utf-16-be") else "plain ASCII text\n" * 3
    assert decode(text.encode(encoding)) == text


def test_chinese_in_gbk_is_read() -> None:
    text = "会议记录：下周一上午十点开会。"
    assert decode(text.encode("gbk")) == text


def test_line_ends_are_made_one() -> None:
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"\x7fELF\x02\x01\x01\x00" + bytes(64),
     bytes(range(256)) * 4, b"PK\x03\x04\x14\x00\x08\x00" + bytes(50), b"\x00\x01\x02" * 100],
)  # fmt: skip
def test_binary_is_refused(data: bytes) -> None:
    assert decode(data) is None


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"") == ""


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    text = decode(data)
    assert text is None or "\r" not in text


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=200))
def test_utf8_text_comes_back(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == text
