"""Ways in which a database file gets damaged.

spoil(path, random.Random(7))   # -> "a page of zeros"
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path


def spoil(path: Path, chance: random.Random) -> str:
    """Damage the file at `path` in one of many ways, and say in which."""
    data = bytearray(path.read_bytes())
    kind = chance.choice(sorted(_DAMAGE))
    _DAMAGE[kind](data, chance)
    path.write_bytes(data)
    return kind


def _page(data: bytearray, chance: random.Random) -> slice:
    at = chance.randrange(max(1, len(data) // 4096)) * 4096
    return slice(at, at + 4096)


def _flip_header(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(min(100, len(data)))] ^= 1 << chance.randrange(8)


def _flip(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _flip_twenty(data: bytearray, chance: random.Random) -> None:
    for _ in range(20):
        _flip(data, chance)


def _flip_page_head(data: bytearray, chance: random.Random) -> None:
    """The kind of a page, its number of cells, where they begin."""
    page = _page(data, chance)
    data[min(page.start + chance.randrange(12), len(data) - 1)] ^= 1 << chance.randrange(8)


def _zero_page(data: bytearray, chance: random.Random) -> None:
    data[_page(data, chance)] = bytes(4096)


def _noisy_page(data: bytearray, chance: random.Random) -> None:
    data[_page(data, chance)] = chance.randbytes(4096)


def _swap_pages(data: bytearray, chance: random.Random) -> None:
    one, other = _page(data, chance), _page(data, chance)
    data[one], data[other] = data[other], data[one]


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def _cut_at_page(data: bytearray, chance: random.Random) -> None:
    del data[_page(data, chance).start :]


def _grow(data: bytearray, chance: random.Random) -> None:
    data += chance.randbytes(chance.randrange(1, 10_000))


def _garbage(data: bytearray, chance: random.Random) -> None:
    data[:] = chance.randbytes(len(data))


_DAMAGE: dict[str, Callable[[bytearray, random.Random], None]] = {
    "a bit of the header": _flip_header,
    "one bit": _flip,
    "twenty bits": _flip_twenty,
    "a bit of a page's head": _flip_page_head,
    "a page of zeros": _zero_page,
    "a page of noise": _noisy_page,
    "two pages exchanged": _swap_pages,
    "cut anywhere": _cut,
    "cut between pages": _cut_at_page,
    "noise behind the end": _grow,
    "nothing but noise": _garbage,
}
