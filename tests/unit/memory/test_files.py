"""Which files are memory's own, in whatever encoding, and none outside."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import PathRefused, StorageError
from moltbot_desktop.memory import files
from moltbot_desktop.memory.files import decode, is_binary, memory_path, read_text


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory" / "sub").mkdir(parents=True)
    (root / "MEMORY.md").write_text("m")
    (root / "memory" / "2026-01-05.md").write_text("d")
    (root / "memory" / "sub" / "x.MD").write_text("x")
    (root / "memory" / "note.txt").write_text("t")
    (root / "other.md").write_text("o")
    (tmp_path / "secret.md").write_text("s")
    return root


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory/2026-01-05.md", " memory\\sub\\x.MD ", "memory/./2026-01-05.md"]
)
def test_memory_files_may_be_named(workspace: Path, path: str) -> None:
    assert memory_path(workspace, path).is_file()
    absolute = str(workspace / "memory" / "2026-01-05.md")
    assert memory_path(workspace, absolute).read_text() == "d"


@pytest.mark.parametrize(
    "path",
    ["", ".", "/", "other.md", "memory", "memory/none.md", "memory/note.txt", "../secret.md",
     "memory/../../secret.md", "memory/link.md", "memory/dir/secret.md", "/etc/passwd", "a\0b.md",
     "memory/\0.md", "~/x.md", "MEMORY.md/x.md", "memory/" + "x" * 5000 + ".md"],
)  # fmt: skip
def test_nothing_else_may_be_named(workspace: Path, tmp_path: Path, path: str) -> None:
    (workspace / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    (workspace / "memory" / "dir").symlink_to(tmp_path)
    with pytest.raises(PathRefused):
        memory_path(workspace, path)
    with pytest.raises(PathRefused):
        memory_path(workspace, str(tmp_path / "secret.md"))


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("gbk", "gb18030"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(encoding: str, named: str) -> None:
    text = "# Notes for the day\nMy plate is 沪A12345, 记住 please remember\n"
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, named)


def test_line_ends_are_made_equal_and_remembered() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"
    assert decode(b"a\r\n").newline == "\r\n"
    assert decode(b"a\n").newline == "\n"


@given(data=st.binary())
def test_any_bytes_are_some_text(data: bytes) -> None:
    found = decode(data)
    assert "\r" not in found.text
    "x".encode(found.encoding)


def test_a_huge_file_is_refused(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_FILE", 3)
    (workspace / "MEMORY.md").write_text("four")
    with pytest.raises(StorageError, match="larger"):
        read_text(workspace / "MEMORY.md")


LINES = st.lists(
    st.text(st.sampled_from("abc XYZ019.,-#你好一二的我中文笔记，。"), min_size=1, max_size=30),
    min_size=4,
    max_size=12,
)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@given(lines=LINES)
def test_utf16_without_a_mark_is_told_by_its_line_ends(encoding: str, lines: list[str]) -> None:
    text = "\n".join(["# 笔记", *lines, ""])
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, encoding)
    assert not is_binary(text.encode(encoding))


@given(lines=LINES)
def test_a_note_in_any_usual_encoding_is_no_binary(lines: list[str]) -> None:
    text = "\n".join(["# 笔记", *lines])
    for encoding in ("utf-8", "gbk", "gb18030", "utf-8-sig", "utf-16"):
        assert not is_binary(text.encode(encoding))
        assert decode(text.encode(encoding)).text == text
    after_a_power_loss = text.encode() + bytes(512)
    assert not is_binary(after_a_power_loss)
    assert decode(after_a_power_loss).text.startswith(text)


def test_programs_and_pictures_are_binary() -> None:
    assert is_binary(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0>\0\x01\0\0\0" + bytes(range(200)))
    assert is_binary(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\0\0\0\x03\0\x08\x06" + bytes(9) + b"IDAT"
    )
    assert is_binary(b"some words\0and more\0words")
    assert is_binary(b"many words in English " * 300 + b"\0" + b"and a few more " * 20)
    assert not is_binary(b"")
    assert not is_binary(bytes(100))
