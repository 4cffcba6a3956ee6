"""Saved conversations: whatever is wrong with a file, it is removed and never believed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.models.thread import CancelSource
from moltbot_desktop.models.warm import WarmStates, forget_saved, state_key
from tests.fakes.asking import Never
from tests.fakes.sequence_memory import state_of

KEY = state_key("model.gguf", 1)
TOKENS = list(range(50))


def _warm(folder: Path, max_bytes: int = 2**20, key: bytes = KEY) -> WarmStates:
    return WarmStates(folder, max_bytes, key)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "not there yet"


def _save(folder: Path, name: str = "anna", tokens: list[int] = TOKENS) -> Path:
    before = set(folder.glob("*"))
    assert _warm(folder).save(name, state_of(tokens), Never())
    [file] = set(folder.glob("*")) - before
    return file


def test_what_was_saved_comes_back_the_same(folder: Path) -> None:
    _save(folder)
    warm = _warm(folder)
    assert warm.tokens("anna") == TOKENS
    state = warm.load("anna")
    assert state is not None and state.tokens == tuple(TOKENS)
    assert state.data.tobytes() == state_of(TOKENS).data.tobytes()
    assert warm.tokens("ben") is None and warm.load("ben") is None


def test_a_conversation_has_one_file_the_newest(folder: Path) -> None:
    _save(folder)
    warm = _warm(folder)
    assert warm.save("anna", state_of([*TOKENS, 7]), Never())
    assert len(list(folder.iterdir())) == 1
    assert warm.tokens("anna") == [*TOKENS, 7]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_owner_can_read_it_and_the_name_tells_nothing(folder: Path) -> None:
    file = _save(folder, "my secret talk")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "secret" not in file.name and b"secret" not in file.read_bytes()


KEY_BYTES = range(8, 24)


@settings(max_examples=60)
@given(data=st.data())
def test_any_damage_is_noticed(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    file = _save(folder)
    whole = bytearray(file.read_bytes())
    position = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "grow", "empty"]))
    if kind == "flip":
        whole[position] ^= data.draw(st.integers(1, 255))
    elif kind == "cut":
        del whole[position:]
    elif kind == "grow":
        whole += b"x" * (position + 1)
    else:
        whole.clear()
    file.write_bytes(whole)
    assert _warm(folder).load("anna") is None
    # With another key it looks like another model's, and is left to that one.
    looks_foreign = kind == "flip" and position in KEY_BYTES
    assert file.exists() == looks_foreign


OTHER = state_key("model.gguf", 2)


@pytest.mark.parametrize("name", ["anna", None])
def test_a_state_of_another_model_is_not_believed_and_left_to_it(
    name: str | None, folder: Path
) -> None:
    _save(folder)
    other = _warm(folder, key=OTHER)
    assert other.tokens(name) is None and other.load(name) is None
    assert _warm(folder).tokens("anna") == TOKENS


def test_the_newest_that_fits_is_found_behind_newer_ones_that_do_not(folder: Path) -> None:
    for age, name in enumerate(("old", "anna", "torn")):
        os.utime(_save(folder, name, [*TOKENS, age]), (10**9 + age, 10**9 + age))
    torn = max(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    torn.write_bytes(b"torn")
    assert _warm(folder, key=OTHER).save("foreign", state_of([7] * 40), Never())
    warm = _warm(folder)
    assert warm.tokens(None) == [*TOKENS, 1]
    state = warm.load(None)
    assert state is not None and state.tokens == (*TOKENS, 1)
    assert not torn.exists() and len(list(folder.iterdir())) == 3


def test_a_disk_that_refuses_once_costs_no_state(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(folder)

    def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", fail)
        assert _warm(folder).load("anna") is None
    assert _warm(folder).tokens("anna") == TOKENS


def test_a_state_of_another_conversation_is_not_believed(folder: Path) -> None:
    anna = _save(folder)
    ben = _save(folder, "ben", [7] * 40)
    anna.replace(ben)
    assert _warm(folder).load("ben") is None


def test_above_the_cap_the_longest_unused_go(folder: Path) -> None:
    for age, name in enumerate(("anna", "ben", "carl")):
        file = _save(folder, name)
        os.utime(file, (10**9 + age, 10**9 + age))
    size = file.stat().st_size
    warm = _warm(folder, max_bytes=3 * size)
    assert warm.load("anna") is not None  # used: now the youngest
    assert warm.save("dora", state_of(TOKENS), Never())
    kept = {name for name in ("anna", "ben", "carl", "dora") if warm.tokens(name) is not None}
    assert kept == {"anna", "carl", "dora"}


def test_a_smaller_cap_holds_from_the_start(folder: Path) -> None:
    size = max(_save(folder, name).stat().st_size for name in ("anna", "ben", "carl"))
    _warm(folder, max_bytes=size)
    assert len(list(folder.iterdir())) == 1


def test_a_state_larger_than_the_cap_is_not_saved(folder: Path) -> None:
    assert not _warm(folder, max_bytes=100).save("anna", state_of(TOKENS), Never())
    assert not folder.exists()


def test_a_broken_off_save_keeps_the_older_state_and_leaves_nothing_else(folder: Path) -> None:
    _save(folder)
    cancel = CancelSource()
    cancel.cancel()
    assert not _warm(folder).save("anna", state_of([*TOKENS, 7]), cancel)
    assert _warm(folder).tokens("anna") == TOKENS
    assert len(list(folder.iterdir())) == 1


def test_a_nearly_full_disk_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = type("Usage", (), {"free": 2**20})
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: usage)
    assert not _warm(folder).save("anna", state_of(TOKENS), Never())
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_costs_only_the_saving(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    warm = _warm(taken)
    assert not warm.save("anna", state_of(TOKENS), Never())
    assert warm.load("anna") is None and taken.read_text() == "a file"


def test_what_a_killed_program_left_half_written_is_removed(folder: Path) -> None:
    _save(folder)
    (folder / "0123.state.tmp").write_bytes(b"half")
    (folder / "notes.txt").write_text("not ours")
    assert _warm(folder).tokens("anna") == TOKENS
    assert not list(folder.glob("*.tmp")) and (folder / "notes.txt").exists()


def test_a_conversation_can_be_forgotten_without_a_model(folder: Path) -> None:
    _save(folder)
    forget_saved(folder, "anna")
    forget_saved(folder, "anna")
    assert list(folder.iterdir()) == []


def test_every_part_counts_in_the_key() -> None:
    keys = {state_key("a", 1), state_key("a", 2), state_key("b", 1), state_key("a1"), state_key()}
    assert len(keys) == 5 and {len(key) for key in keys} == {16}
