"""A fact goes with its lines, and every other byte of its file stays."""

from __future__ import annotations

import codecs
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.memory.files import decode
from moltbot_desktop.memory.forgetting import remove_unit
from moltbot_desktop.memory.units import cut_units

DAY = "# 2026-11-21\n\n- 09:00 · The garage is on Elm Street\n- 09:05 · My dentist is Dr. Okafor\n"


def forget(path: Path, words: str) -> str:
    unit = next(one for one in cut_units(decode(path.read_bytes()).text) if words in one.text)
    return remove_unit(path, unit.start_line, unit.end_line, unit.text)


def test_the_line_of_a_note_goes(tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    path.write_text(DAY)
    path.chmod(0o640)
    assert forget(path, "Okafor") == "- 09:05 · My dentist is Dr. Okafor"
    assert path.read_text() == DAY.replace("- 09:05 · My dentist is Dr. Okafor\n", "")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "data",
    [
        DAY.replace("\n", "\r\n").encode(),
        DAY.replace("\n", "\r").encode(),
        codecs.BOM_UTF8 + DAY.encode(),
        codecs.BOM_UTF16_LE + DAY.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + DAY.replace("\n", "\r\n").encode("utf-16-be"),
        ("我的车牌号是沪A12345\n" + DAY).encode("gb18030"),
        b"\xff\x80 broken\n" + DAY.encode(),
        DAY.encode().removesuffix(b"\n"),
    ],
)
def test_every_other_byte_stays(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "day.md"
    path.write_bytes(data)
    before = decode(data).text.split("\n")
    removed = forget(path, "garage")
    left = path.read_bytes()
    assert decode(left).text.split("\n") == [line for line in before if line != removed]
    assert len(left) < len(data)
    assert data.startswith(left[: data.index(b"0")])  # up to the heading nothing moved


def test_a_note_of_several_lines_goes_whole(tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    path.write_text("# x\n\n- 09:00 · first\n  second\n  third\n- 09:05 · other\n")
    assert forget(path, "second") == "- 09:00 · first\n  second\n  third"
    assert path.read_text() == "# x\n\n- 09:05 · other\n"


def test_words_that_moved_are_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    path.write_text("one more line\n\n" + DAY)
    before = path.read_bytes()
    with pytest.raises(UserInputInvalid, match="no longer"):
        remove_unit(path, 3, 3, "The garage is on Elm Street")
    assert path.read_bytes() == before


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        remove_unit(tmp_path / "none.md", 1, 1, "x")


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), max_size=300), st.integers(0, 300))
def test_any_file_keeps_what_was_not_forgotten(text: str, which: int) -> None:
    data = text.encode()
    units = cut_units(decode(data).text)
    if not units:
        return
    unit = units[which % len(units)]
    before = decode(data).text.split("\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "day.md")
        path.write_bytes(data)
        remove_unit(path, unit.start_line, unit.end_line, unit.text)
        after = decode(path.read_bytes()).text
    kept = before[: unit.start_line - 1] + before[unit.end_line :]
    # Without the last line, the file ends with the line end before it.
    assert after.split("\n") in (kept, [*kept, ""])
