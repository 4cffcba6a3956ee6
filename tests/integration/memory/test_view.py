"""The arrays of a search follow the index: only what was written is read, and nothing is missed."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np
import pytest

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.memory import vec_table
from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.rows import FileContent
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.units import Unit
from moltbot_desktop.memory.vec_table import VectorTable
from moltbot_desktop.memory.vectors import pack
from moltbot_desktop.memory.view import View
from moltbot_desktop.memory.windows import Window
from tests.bench.memory_material import unit

DIMENSIONS = 16


class Index:
    """A store with files of numbered notes, each with a vector of its own."""

    def __init__(self, path: Path) -> None:
        self.store = IndexStore.open(path)
        self.store.prepare_vectors("test", DIMENSIONS)
        self._chance = np.random.default_rng(0)

    def write(self, name: str, count: int, *, vectors: bool = True) -> None:
        units = tuple(Unit(at, at, f"{name} note {at}", ()) for at in range(1, count + 1))
        windows = (Window(0, count - 1),) if count else ()
        content = FileContent(b"", units, ("",) * count, (None,) * count, windows)
        known = self.store.files_named([name]).get(name)
        self.store.replace_file(known, FileStamp(name, 0, 0, 0), 0, content)
        if vectors:
            self.embed()

    def embed(self) -> None:
        made = unit(self._chance.normal(size=(500, DIMENSIONS)).astype(np.float32))
        waiting = self.store.pending(500)
        self.store.add_vectors(
            (one.id, pack(vector))
            for one, vector in zip(waiting, made[: len(waiting)], strict=True)
        )

    def remove(self, name: str) -> None:
        self.store.remove_file(self.store.files_named([name])[name].id)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path / "index.sqlite")
    yield made
    made.store.close()


def followed(store: IndexStore) -> View:
    view = View(store)
    view.follow()
    return view


def seen(view: View) -> dict[int, tuple[float, ...]]:
    """What a view says of each unit, whatever its position."""
    cosines = view.cosines([1.0] + [0.0] * (DIMENSIONS - 1), 6)
    told = np.zeros(len(view.layout)) if cosines is None else np.nan_to_num(cosines, nan=-9)
    layout = view.layout
    windows = layout.spread(layout.window_terms)
    columns = (layout.files, layout.terms, windows, np.round(told, 5))
    return {
        int(number): tuple(float(column[at]) for column in columns)
        for at, number in enumerate(layout.ids)
    }


def test_a_view_that_followed_is_the_one_that_would_be_made_anew(index: Index) -> None:
    """Numbers of files and units are given again after a deletion, which must not confuse it."""
    chance = random.Random(1)
    view = followed(index.store)
    names = [f"memory/{letter}.md" for letter in "abcde"]
    there: set[str] = set()
    for _ in range(60):
        name = chance.choice(names)
        if name in there and chance.random() < 0.3:
            index.remove(name)
            there.remove(name)
        else:
            index.write(name, chance.randrange(6), vectors=chance.random() < 0.7)
            there.add(name)
        if chance.random() < 0.3:
            index.embed()
        if chance.random() < 0.6:
            view.follow()
            assert seen(view) == seen(followed(index.store))


def test_a_new_note_reads_its_own_file_and_nothing_else(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(20):
        index.write(f"memory/{at}.md", 10)
    view = followed(index.store)
    assert view.cosines([1.0] * DIMENSIONS, 6) is not None
    asked: list[Collection[int] | None] = []
    for name in ("unit_columns", "window_columns", "vector_blocks"):
        real = getattr(IndexStore, name)

        def counted(
            self: IndexStore, some: Collection[int] | None = None, real: object = real
        ) -> object:
            asked.append(some)
            return real(self, some)  # type: ignore[operator]

        monkeypatch.setattr(IndexStore, name, counted)
    view.follow()
    assert asked == []
    index.write("memory/7.md", 11)
    view.follow()
    before, now = 8, index.store.files_named(["memory/7.md"])["memory/7.md"].id
    vectors, units, windows = asked
    assert len(vectors or ()) == 11
    assert units == windows == {before, now}
    assert len(view.layout) == 201


def test_what_another_process_wrote_is_seen(index: Index, tmp_path: Path) -> None:
    index.write("memory/a.md", 3)
    view = followed(index.store)
    other = Index(tmp_path / "index.sqlite")
    other.write("memory/b.md", 2)
    other.store.close()
    view.follow()
    assert len(view.layout) == 5


def test_a_view_that_could_not_be_read_begins_anew(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.write("memory/a.md", 3)
    view = followed(index.store)
    index.write("memory/b.md", 2)

    def broken(*_: object) -> object:
        raise IndexCorrupt("damaged")

    with monkeypatch.context() as patched:
        patched.setattr(IndexStore, "window_columns", broken)
        with pytest.raises(IndexCorrupt):
            view.follow()
    view.follow()
    assert len(view.layout) == 5


# ------------------------------------------------------------------ vectors as vec0 keeps them


def by_rows(index: Index) -> dict[int, bytes]:
    return {
        number: bytes(vector)
        for number, vector in index.store._rows("SELECT unit, vector FROM units_vec")
    }


def by_blocks(index: Index) -> dict[int, bytes]:
    return {
        int(number): vector.tobytes()
        for numbers, vectors in index.store.vector_blocks()
        for number, vector in zip(numbers, vectors, strict=True)
    }


@pytest.mark.parametrize("other_layout", [False, True])
def test_vectors_are_those_that_vec0_gives(
    index: Index, monkeypatch: pytest.MonkeyPatch, other_layout: bool
) -> None:
    """Over the border of a chunk, with holes; and by rows when the tables look otherwise."""
    if other_layout:
        monkeypatch.setitem(vec_table._LAYOUT, "units_vec_chunks", ("another", "version"))
        monkeypatch.setattr(VectorTable, "_chunks", lambda _: pytest.fail("read blobs"))
    assert by_blocks(index) == {}
    for at in range(5):
        index.write(f"memory/{at}.md", 300)
    for name in ("memory/1.md", "memory/4.md"):
        index.remove(name)
    index.write("memory/2.md", 7)
    expected = by_rows(index)
    assert len(expected) == 607
    assert by_blocks(index) == expected
    some = sorted(expected)[5:9]
    found = {int(n) for numbers, _ in index.store.vector_blocks([*some, 10**6]) for n in numbers}
    assert found == set(some)


@pytest.mark.parametrize(
    ("taken", "numbers", "packed"),
    [
        (b"\1", b"\0" * 64, b"\0" * 7),
        (b"\1\1", b"\0" * 64, b"\0" * 64),
        (b"", b"", b""),
        (b"\1", b"\0" * 64, None),
        (b"\1", "text", b"\0" * 64),
    ],
)
def test_a_chunk_whose_parts_do_not_fit_is_damage(
    taken: object, numbers: object, packed: object
) -> None:
    with pytest.raises(IndexCorrupt):
        vec_table._in_chunk(taken, numbers, packed)
