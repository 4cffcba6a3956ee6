"""A fact goes with its lines, and every other byte of its file stays."""

from __future__ import annotations

import codecs
import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.memory.files import decode
from moltbot_desktop.memory.forgetting import bring_back, remove_unit
from moltbot_desktop.memory.forgotten import KEPT_FOR, ForgottenNotes, Removed
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


# --- and comes back


@pytest.fixture
def notes(tmp_path: Path) -> ForgottenNotes:
    return ForgottenNotes(tmp_path / "state" / "forgotten.json", CLOCK)


CLOCK = ManualClock(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))


def forget_and_keep(path: Path, words: str) -> Removed:
    kept: list[Removed] = []
    unit = next(one for one in cut_units(decode(path.read_bytes()).text) if words in one.text)
    remove_unit(path, unit.start_line, unit.end_line, unit.text, kept.append)
    (removed,) = kept
    return removed


@settings(max_examples=60)
@given(
    st.text(st.characters(codec="utf-8"), max_size=300),
    st.integers(0, 300),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "gb18030"]),
)
def test_a_file_gets_its_very_bytes_back(text: str, which: int, encoding: str) -> None:
    data = text.encode(encoding)
    units = cut_units(decode(data).text)
    if not units:
        return
    unit = units[which % len(units)]
    kept: list[Removed] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "day.md")
        path.write_bytes(data)
        remove_unit(path, unit.start_line, unit.end_line, unit.text, kept.append)
        assert bring_back(kept[0]) == unit.start_line
        assert path.read_bytes() == data


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda text: "a line above\n\n" + text, 6),
        (lambda text: text + "- 10:00 · one more\n", 4),
        (lambda text: text.replace("garage", "workshop"), 4),
        (lambda text: text.removesuffix("\n"), 4),
        (lambda text: "all is other now", 2),
    ],
)
def test_in_a_file_that_changed_the_note_goes_to_the_nearest_place(
    tmp_path: Path, edit: Callable[[str], str], line: int, end: str
) -> None:
    path = tmp_path / "day.md"
    path.write_bytes(DAY.replace("\n", end).encode())
    removed = forget_and_keep(path, "Okafor")
    path.write_bytes(
        edit(path.read_bytes().decode().replace(end, "\n")).replace("\n", end).encode()
    )
    others = decode(path.read_bytes()).text.removesuffix("\n").split("\n")
    assert bring_back(removed) == line
    lines = decode(path.read_bytes()).text.removesuffix("\n").split("\n")
    assert lines[line - 1] == "- 09:05 · My dentist is Dr. Okafor"
    assert [*lines[: line - 1], *lines[line:]] == others


def test_a_note_whose_file_is_gone_comes_back_in_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    path.write_bytes(codecs.BOM_UTF16_LE + DAY.encode("utf-16-le"))
    removed = forget_and_keep(path, "Okafor")
    path.unlink()
    assert bring_back(removed) == 1
    assert path.read_text() == "- 09:05 · My dentist is Dr. Okafor\n"


def test_a_note_that_stands_there_again_does_not_come_twice(tmp_path: Path) -> None:
    path = tmp_path / "day.md"
    path.write_text(DAY)
    removed = forget_and_keep(path, "Okafor")
    path.write_text(DAY)
    with pytest.raises(UserInputInvalid, match="already"):
        bring_back(removed)
    assert path.read_text() == DAY


def test_one_note_is_kept_for_ten_minutes_in_a_private_file(
    tmp_path: Path, notes: ForgottenNotes
) -> None:
    kept = tmp_path / "state" / "forgotten.json"
    kept.parent.mkdir()
    assert notes.last() == ()
    path = tmp_path / "day.md"
    path.write_text(DAY)
    first, second = forget_and_keep(path, "Okafor"), forget_and_keep(path, "garage")
    notes.keep([first])
    notes.keep([second, first])
    assert kept.stat().st_mode & 0o777 == 0o600
    assert notes.last() == (second, first)
    for seconds in (KEPT_FOR.total_seconds() + 1, -1):
        notes.keep([second])
        CLOCK.advance(seconds)
        assert notes.last() == ()
        assert not kept.exists()
    notes.drop()


PLACES = st.lists(
    st.dictionaries(
        st.sampled_from(["path", "offset", "data", "encoding", "digest", "before", "after"]),
        st.none() | st.integers() | st.text(max_size=8),
    ),
    max_size=2,
)
RECORDS = st.fixed_dictionaries(
    {
        "at": st.sampled_from([CLOCK.now().isoformat(), "yesterday", None]),
        "places": st.none() | st.integers() | PLACES,
    }
)


@settings(max_examples=40)
@given(st.binary(max_size=40) | RECORDS.map(lambda record: json.dumps(record).encode()))
def test_a_damaged_file_is_no_note(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "forgotten.json")
        path.write_bytes(data)
        found = ForgottenNotes(path, CLOCK).last()
        assert path.exists() == bool(found)
