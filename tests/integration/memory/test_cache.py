"""The cache of vectors: keeps, drops the oldest, and never troubles whoever asks it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from moltbot_desktop.memory.cache import FILE_NAME, VectorCache, text_hash
from moltbot_desktop.memory.vectors import pack
from tests.fakes.disk import posix_only, read_only

MODEL = "model"


def key(number: int) -> bytes:
    return text_hash(f"text {number}")


def vector(number: int) -> bytes:
    chance = random.Random(number)
    return pack([chance.gauss(0, 1) for _ in range(8)])


def some(*numbers: int) -> dict[bytes, bytes]:
    return {key(number): vector(number) for number in numbers}


def known(cache: VectorCache, *numbers: int) -> list[int]:
    found = cache.find(MODEL, map(key, numbers))
    assert all(found[key(number)] == vector(number) for number in numbers if key(number) in found)
    return [number for number in numbers if key(number) in found]


def test_it_knows_what_it_kept_after_a_restart_and_of_that_model_only(tmp_path: Path) -> None:
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(1, 2))
    cache.close()
    cache = VectorCache.open(tmp_path)
    assert known(cache, 1, 2, 3) == [1, 2]
    assert cache.find("other", [key(1)]) == {}
    cache.drop(key(1))
    assert known(cache, 1, 2) == [2]
    cache.close()


def test_what_was_not_asked_for_in_the_longest_time_goes_first(tmp_path: Path) -> None:
    for numbers, asked in (((range(50)), ()), (range(50, 100), range(10))):
        cache = VectorCache.open(tmp_path, most=100)
        assert known(cache, *asked) == [*asked]
        cache.keep(MODEL, some(*numbers))
        cache.close()
    cache = VectorCache.open(tmp_path, most=100)
    cache.keep(MODEL, some(*range(100, 130)))
    left = known(cache, *range(130))
    assert len(left) == 100 - 100 // 20
    assert {*range(10), *range(50, 130)} <= set(left)
    cache.close()


@pytest.mark.parametrize("seed", range(5))
def test_a_vector_with_spoiled_numbers_is_not_known(tmp_path: Path, seed: int) -> None:
    cache = VectorCache.open(tmp_path)
    spoiled = bytearray(vector(1))
    spoiled[random.Random(seed).randrange(8) * 4 + 3] ^= 0x40  # the exponent
    cache.keep(MODEL, {key(1): bytes(spoiled), key(2): b"\xff" * 32, key(3): b"abc", **some(4)})
    assert known(cache, 1, 2, 3, 4) == [4]
    cache.close()


@pytest.mark.parametrize("begins", [b"hello" * 5000, b"", b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_none_is_begun_again(tmp_path: Path, begins: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(begins)
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(1))
    assert known(cache, 1) == [1]
    cache.close()
    cache = VectorCache.open(tmp_path)
    assert known(cache, 1) == [1]
    cache.close()


def test_damage_while_it_is_open_is_forgotten_not_told(tmp_path: Path) -> None:
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(*range(500)))
    cache.scrub()
    data = bytearray((tmp_path / FILE_NAME).read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    cache.close()
    (tmp_path / FILE_NAME).write_bytes(data)
    cache = VectorCache.open(tmp_path)
    assert known(cache, *range(500)) == []
    cache.keep(MODEL, some(1))
    assert known(cache, 1) == [1]
    cache.close()


def test_without_a_disk_it_is_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(1))
    assert known(cache, 1) == [1]
    cache.drop(key(1))
    cache.scrub()
    assert known(cache, 1) == []
    cache.close()


def test_what_cannot_be_removed_alone_goes_with_the_file(tmp_path: Path) -> None:
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(1))
    cache.close()
    cache = VectorCache.open(tmp_path)
    cache._connection.pragma("query_only", 1)  # as on a disk that takes nothing more
    cache.drop(key(1))
    cache.close()
    cache = VectorCache.open(tmp_path)
    assert known(cache, 1) == []
    cache.close()


@posix_only
def test_a_read_only_folder_is_no_error(tmp_path: Path) -> None:
    cache = VectorCache.open(tmp_path)
    cache.keep(MODEL, some(1))
    cache.close()
    with read_only(tmp_path):
        cache = VectorCache.open(tmp_path)
        cache.keep(MODEL, some(2))
        assert known(cache, 2) == [2]
        cache.close()
