"""The table in LanceDB: the one file that knows the library.

    table = NoteTable(Place("/home/anna/.moltbot/memory/main/engines/memory-lancedb"), "main", 384)
    table.put(rows)                       # files whole, in one commit
    table.with_words("dentist", 200)      # {"3:MEMORY.md": 4.2}: BM25's score by `Row.id`
    table.near(vector, 50)                # the same with cosines
    table.rows(["3:MEMORY.md"])

A file's rows are exchanged in one commit (`merge_insert`), so a reader, and whoever comes after a
kill -9, sees all of them or those before; two processes that write the same file end with one copy.
What LanceDB raises becomes IndexCorrupt: the table is a cache, and whoever asks makes it anew.

LanceDB keeps old versions and marks deleted rows only. So `drop` is the way to forget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol, cast

import lancedb
import pyarrow as pa
from lancedb.index import FTS
from lancedb.query import FullTextOperator, MatchQuery

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.extensions.memory_lancedb.place import Place
from moltbot_desktop.extensions.memory_lancedb.rows import Row, State

_SHOWN = ("path", "part", "stamp", "start_line", "end_line", "text", "words", "mark", "state")
_MOST_ROWS = 10_000_000
_AT_ONCE = 500
"""Names of files in one condition."""
_TIDY_AFTER = 50
"""Commits after which small pieces are joined and old versions go."""
_OLD = timedelta(minutes=10)
"""A reader of another process is done with a version of that age."""
_WITH_WORDS = f"state != {State.EMPTY.value}"


class _Query(Protocol):
    """What of LanceDB's query builders is used here; their classes differ by kind."""

    def where(self, condition: str) -> _Query: ...

    def select(self, columns: list[str]) -> _Query: ...

    def limit(self, count: int) -> _Query: ...

    def to_list(self) -> list[dict[str, object]]: ...


class NoteTable:
    """The notes of one agent, with vectors of `dimensions`; 0 for none. Made when it is not there.

    Every method raises IndexCorrupt when the table cannot be used.
    """

    def __init__(self, place: Place, name: str, dimensions: int) -> None:
        self._dimensions = dimensions
        self._commits = 0
        self._schema = _schema(dimensions)
        with _as_ours():
            self._database = _connected(place)
            self._name = name
            self._table = self._database.create_table(name, schema=self._schema, exist_ok=True)
            if not self._table.list_indices():
                config = FTS(
                    base_tokenizer="simple",
                    language="English",
                    stem=True,
                    lower_case=True,
                    ascii_folding=True,
                    remove_stop_words=False,
                    with_position=False,
                )
                self._table.create_index("words", config=config)

    # ---------------------------------------------------------------- what is there

    def stamps(self) -> dict[str, str]:
        """Every file's stamp, by path."""
        with _as_ours():
            query = self._query().where("part = 0").select(["path", "stamp"])
            return {
                str(one["path"]): str(one["stamp"]) for one in query.limit(_MOST_ROWS).to_list()
            }

    def counts(self) -> tuple[int, int]:
        """Files, and units in them."""
        with _as_ours():
            files = self._table.count_rows("part = 0")
            return files, self._table.count_rows(_WITH_WORDS)

    def waiting(self, most: int) -> list[Row]:
        """Rows that have no vector yet."""
        with _as_ours():
            query = self._query().where(f"state = {State.WAITS.value}").select(list(_SHOWN))
            return [_row(one) for one in query.limit(most).to_list()]

    # ---------------------------------------------------------------- changing it

    def put(self, rows: Sequence[Row]) -> None:
        """Exchange the rows of the files that `rows` are of; all of a file's rows are given."""
        paths = tuple(dict.fromkeys(row.path for row in rows))
        with _as_ours():
            (
                self._table.merge_insert("id")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .when_not_matched_by_source_delete(_is_one_of(paths))
                .execute(self._data(rows))
            )
            self._committed()

    def complete(self, rows: Sequence[Row]) -> None:
        """Give rows that waited their vectors, unless they are gone by now."""
        with _as_ours():
            merge = self._table.merge_insert("id").when_matched_update_all()
            merge.execute(self._data(rows))
            self._committed()

    def remove(self, paths: Sequence[str]) -> None:
        """Take out files."""
        with _as_ours():
            for start in range(0, len(paths), _AT_ONCE):
                self._table.delete(_is_one_of(paths[start : start + _AT_ONCE]))
                self._committed()

    def drop(self) -> None:
        """Let nothing of it stay."""
        with _as_ours():
            self._database.drop_table(self._name)

    # ---------------------------------------------------------------- asking

    def with_words(self, words: str, most: int) -> dict[str, float]:
        """Rows that have all of `words`, in any form of them, best first, with BM25's score."""
        with _as_ours():
            match = MatchQuery(words, "words", operator=FullTextOperator.AND)
            query = cast("_Query", self._table.search(match, query_type="fts"))
            found = query.select(["id", "_score"]).limit(most).to_list()
        return {str(one["id"]): _number(one["_score"]) for one in found}

    def near(self, vector: Sequence[float], most: int) -> dict[str, float]:
        """Rows of like meaning, nearest first, with the cosine."""
        if len(vector) != self._dimensions:
            return {}
        with _as_ours():
            search = self._table.search(list(vector), vector_column_name="vector")
            query = cast("_Query", search.distance_type("cosine"))
            query = query.where(f"state = {State.WHOLE.value}").select(["id", "_distance"])
            found = query.limit(most).to_list()
        return {str(one["id"]): 1.0 - _number(one["_distance"]) for one in found}

    def rows(self, ids: Sequence[str]) -> dict[str, Row]:
        """Those of these ids that are there."""
        if not ids:
            return {}
        with _as_ours():
            query = self._query().where(_is_one_of(ids, "id")).select(list(_SHOWN))
            rows = (_row(one) for one in query.limit(len(ids)).to_list())
            return {row.id: row for row in rows}

    # ---------------------------------------------------------------- the library

    def _query(self) -> _Query:
        return cast("_Query", self._table.search())

    def _committed(self) -> None:
        self._commits += 1
        if self._commits % _TIDY_AFTER == 0:
            self._table.optimize(cleanup_older_than=_OLD)

    def _data(self, rows: Sequence[Row]) -> pa.Table:
        nothing = [0.0] * self._dimensions
        data = [
            {"id": row.id, **{name: getattr(row, name) for name in _SHOWN}, "state": int(row.state)}
            | ({"vector": list(row.vector or nothing)} if self._dimensions else {})
            for row in rows
        ]
        return pa.Table.from_pylist(data, schema=self._schema)


def _connected(place: Place) -> lancedb.DBConnection:
    if place.is_cloud:
        return lancedb.connect(place.uri, api_key=place.key, region=place.region)
    # Another process may write: each question is asked of the newest version.
    return lancedb.connect(
        place.uri,
        read_consistency_interval=timedelta(0),
        storage_options=dict(place.options) or None,
    )


def _schema(dimensions: int) -> pa.Schema:
    texts = ("id", "path", "stamp", "text", "words", "mark")
    numbers = ("part", "start_line", "end_line", "state")
    fields = [pa.field(name, pa.string()) for name in texts]
    fields += [pa.field(name, pa.int32()) for name in numbers]
    if dimensions:
        fields.append(pa.field("vector", pa.list_(pa.float32(), dimensions)))
    return pa.schema(fields)


def _row(found: Mapping[str, object]) -> Row:
    def text(name: str) -> str:
        return str(found[name])

    def number(name: str) -> int:
        return int(_number(found[name]))

    return Row(
        text("path"),
        number("part"),
        text("stamp"),
        number("start_line"),
        number("end_line"),
        text("text"),
        text("words"),
        text("mark"),
        State(number("state")),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _is_one_of(values: Sequence[str], column: str = "path") -> str:
    quoted = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    return f"{column} IN ({quoted})"


@contextmanager
def _as_ours() -> Iterator[None]:
    """What LanceDB raises is not declared anywhere; these are what its bindings make."""
    try:
        yield
    except (
        RuntimeError,
        ValueError,
        OSError,
        LookupError,
        TypeError,
        NotImplementedError,
    ) as error:
        said = str(error).partition("\n")[0][:200]
        raise IndexCorrupt(f"The LanceDB table cannot be used: {said}") from error
