"""JSONL logs: what was appended is read back, whatever happened to the end of the file."""

import errno
import gc
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import DiskFull, StorageError
from moltbot_desktop.storage.jsonl import JsonlLog, read_jsonl, repair_jsonl, rewrite_jsonl
from tests.unit.storage.test_files import FailingCall

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def log(tmp_path: Path) -> JsonlLog:
    return JsonlLog(tmp_path / "log.jsonl")


@settings(max_examples=100, deadline=None)
@given(records=st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=4))
def test_records_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]]
) -> None:
    log = JsonlLog(tmp_path_factory.mktemp("log") / "a")
    for record in records:
        log.append(record, durable=False)  # type: ignore[arg-type]
    content = read_jsonl(log.path)
    assert list(content.records) == records
    assert not content.torn_tail
    assert content.bad_lines == ()


def test_frozen_mappings_tuples_and_half_surrogates_can_be_kept(log: JsonlLog) -> None:
    log.append({"a": MappingProxyType({"b": (1, 2)}), "c": "\ud800", "d": "\u2028\x00\r"})
    assert read_jsonl(log.path).records == (
        {"a": {"b": [1, 2]}, "c": "\ud800", "d": "\u2028\x00\r"},
    )


def test_chinese_stays_readable_in_the_file(log: JsonlLog) -> None:
    log.append({"text": "记住"})
    assert "记住" in log.path.read_text(encoding="utf-8")


def test_a_missing_log_is_empty(tmp_path: Path) -> None:
    assert read_jsonl(tmp_path / "none").records == ()
    assert repair_jsonl(tmp_path / "none").records == ()
    assert not (tmp_path / "none").exists()


def test_a_log_torn_at_any_byte_keeps_every_earlier_record(log: JsonlLog) -> None:
    records = [{"n": number, "text": "牙医é\n"} for number in range(3)]
    for record in records:
        log.append(record)
    whole = log.path.read_bytes()
    ends = [i for i, byte in enumerate(whole) if byte == 0x0A]
    for cut in range(len(whole)):
        log.path.write_bytes(whole[:cut])
        finished = sum(end <= cut for end in ends)
        content = read_jsonl(log.path)
        assert list(content.records) == records[:finished], cut
        assert content.torn_tail == (cut not in {0, *ends, *(end + 1 for end in ends)})
        assert repair_jsonl(log.path) == content
        repaired = read_jsonl(log.path)
        assert list(repaired.records) == records[:finished]
        assert not repaired.torn_tail
        log.append({"n": "next"})
        assert list(read_jsonl(log.path).records) == [*records[:finished], {"n": "next"}]


def test_appending_to_a_torn_log_spoils_no_record(log: JsonlLog) -> None:
    log.append({"n": 1})
    with log.path.open("ab") as file:
        file.write(b'{"n": ')
    log.append({"n": 2})
    content = read_jsonl(log.path)
    assert content.records == ({"n": 1}, {"n": 2})
    assert content.bad_lines == ('{"n": ',)


def test_repair_moves_bad_lines_aside_and_keeps_them(log: JsonlLog) -> None:
    log.path.write_bytes(b'{"n": 1}\nnot json\n[1]\n\xff\n\n{"n": 2}\n{"n"')
    content = repair_jsonl(log.path)
    assert content.records == ({"n": 1}, {"n": 2})
    assert content.torn_tail
    assert content.bad_lines == ("not json", "[1]", "\ufffd")
    assert log.path.read_bytes() == b'{"n": 1}\n{"n": 2}\n'
    aside = log.path.with_name("log.jsonl.bad").read_bytes()
    assert aside == b'not json\n[1]\n\xff\n{"n"\n'


def test_repairing_a_whole_log_writes_nothing(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append({"n": 1})
    monkeypatch.setattr(os, "write", FailingCall("write", 1, errno.EIO))
    assert repair_jsonl(log.path).records == ({"n": 1},)


def test_a_last_line_without_newline_that_parses_is_a_record(log: JsonlLog) -> None:
    log.path.write_bytes(b'{"n": 1}')
    assert not read_jsonl(log.path).torn_tail
    repair_jsonl(log.path)
    assert log.path.read_bytes() == b'{"n": 1}\n'


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=80) | st.text(alphabet='{}[]",:1\n\\ 牙').map(str.encode))
def test_any_bytes_are_read_and_repaired_without_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("log") / "a"
    path.write_bytes(data)
    content = repair_jsonl(path)
    assert read_jsonl(path).records == content.records
    assert read_jsonl(path).bad_lines == ()
    assert not read_jsonl(path).torn_tail


def test_deep_nesting_is_a_bad_line_not_a_crash(log: JsonlLog) -> None:
    log.path.write_bytes(b"[" * 100_000 + b"\n")
    assert len(read_jsonl(log.path).bad_lines) == 1


@pytest.mark.parametrize("name", ["open", "write", "fsync"])
def test_a_failed_append_leaves_the_log_as_it_was(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    log.append({"n": 1})
    log.close()  # so that it is opened again
    before = log.path.read_bytes()
    monkeypatch.setattr(os, name, FailingCall(name, 1, errno.ENOSPC))
    with pytest.raises(DiskFull):
        log.append({"n": 2})
    monkeypatch.undo()
    assert log.path.read_bytes() == before


def test_a_short_write_that_then_fails_is_cut_off_again(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append({"n": 1})
    before = log.path.read_bytes()
    real, calls = os.write, []

    def short_then_full(descriptor: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "full")
        return real(descriptor, data[:4])

    monkeypatch.setattr(os, "write", short_then_full)
    with pytest.raises(DiskFull):
        log.append({"n": 2})
    assert len(calls) == 2
    assert log.path.read_bytes() == before


def test_a_failed_repair_leaves_the_log_as_it_was(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.path.write_bytes(b'{"n": 1}\nbad\n')
    for name, nth in [("write", 1), ("write", 2), ("fsync", 1), ("fsync", 2), ("replace", 1)]:
        failing = FailingCall(name, nth, errno.EIO)
        monkeypatch.setattr(os, name, failing)
        with pytest.raises(StorageError):
            repair_jsonl(log.path)
        monkeypatch.undo()
        assert failing.fired
        assert log.path.read_bytes() == b'{"n": 1}\nbad\n', (name, nth)


def test_what_became_of_the_file_between_two_records_is_seen(log: JsonlLog) -> None:
    log.append({"n": 1})
    rewrite_jsonl(log.path, lambda record: {"m": record["n"]})  # another file of that name
    log.append({"n": 2})
    assert log.path.read_bytes() == b'{"m": 1}\n{"n": 2}\n'
    with log.path.open("ab") as file:  # somebody's editor
        file.write(b'{"n": 3}')
    log.append({"n": 4})
    assert [one.get("n") for one in read_jsonl(log.path).records] == [None, 2, 3, 4]
    log.path.unlink()
    log.append({"n": 5}, {"n": 6})
    assert log.path.read_bytes() == b'{"n": 5}\n{"n": 6}\n'


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are not listed here")
def test_the_file_is_let_go_of_when_it_is_closed_or_forgotten(tmp_path: Path) -> None:
    def is_open() -> bool:
        return any(path.samefile(one) for one in Path("/proc/self/fd").iterdir() if one.exists())

    path = tmp_path / "log.jsonl"
    log = JsonlLog(path)
    log.append({"n": 1}, durable=False)
    assert is_open()
    log.close()
    assert not is_open()
    log.append({"n": 2})
    assert is_open()
    del log
    gc.collect()
    assert not is_open()
    assert len(read_jsonl(path).records) == 2


def test_every_record_is_one_line_of_plain_json(log: JsonlLog) -> None:
    log.append({"text": "a\nb\u2028c"})
    data = log.path.read_bytes()
    assert data.count(b"\n") == 1
    assert json.loads(data) == {"text": "a\nb\u2028c"}


def test_a_flush_that_failed_is_not_taken_for_one(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append({"n": 1}, durable=False)
    monkeypatch.setattr(os, "fsync", FailingCall("fsync", 1, errno.EIO))
    with pytest.raises(StorageError):
        log.flush()
    counted = FailingCall("fsync", 99, errno.EIO)
    monkeypatch.setattr(os, "fsync", counted)
    log.flush()
    assert counted.left == 98


def test_what_a_failed_flush_was_to_save_is_written_again_by_the_next(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system takes pages that it could not write for written, and may forget them."""
    log.append({"n": 1})
    for number in (2, 3):
        log.append({"n": number}, durable=False)
    whole = log.path.read_bytes()
    monkeypatch.setattr(os, "fsync", FailingCall("fsync", 1, errno.EIO))
    with pytest.raises(StorageError):
        log.flush()
    monkeypatch.undo()
    first = len(b'{"n": 1}\n')
    log.path.write_bytes(whole[:first] + b"\0" * (len(whole) - first))  # as the disk has it
    log.append({"n": 4}, durable=False)
    log.flush()
    assert [record["n"] for record in read_jsonl(log.path).records] == [1, 2, 3, 4]


@pytest.mark.parametrize("nth", [1, 2])
def test_a_record_that_the_disk_refused_puts_those_before_it_in_doubt(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    log.append({"n": 1}, durable=False)
    whole = log.path.read_bytes()
    for _ in range(nth):
        monkeypatch.setattr(os, "fsync", FailingCall("fsync", 1, errno.EIO))
        with pytest.raises(StorageError):
            log.append({"n": 2})
        monkeypatch.undo()
    log.path.write_bytes(b"\0" * len(whole))
    log.flush()
    assert log.path.read_bytes() == whole


def test_nothing_is_written_into_a_file_that_took_the_place_of_the_log(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append({"n": 1}, durable=False)
    monkeypatch.setattr(os, "fsync", FailingCall("fsync", 1, errno.EIO))
    with pytest.raises(StorageError):
        log.flush()
    monkeypatch.undo()
    rewrite_jsonl(log.path, lambda record: {"m": record["n"]})
    anew = log.path.read_bytes()
    log.flush()
    assert log.path.read_bytes() == anew == b'{"m": 1}\n'


def test_who_flushes_meanwhile_waits_for_the_flush_that_goes_on(
    log: JsonlLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append({"n": 1}, durable=False)
    real, begun, go_on = os.fsync, threading.Event(), threading.Event()

    def slow(descriptor: int) -> None:
        begun.set()
        assert go_on.wait(10)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(log.flush)
        assert begun.wait(10)
        second = threads.submit(log.flush)
        with pytest.raises(TimeoutError):
            second.result(0.05)
        go_on.set()
        first.result(10)
        second.result(10)
