"""One table in working memory that answers questions in SQL, for rows that a person has in a file.

    with ScratchTable(("day", "cost"), [("2026-11-21", 12.5)]) as table:
        table.ask("SELECT sum(cost) FROM data", most_rows=100, stop=lambda: False)

The SQL comes from a model, so it may do nothing but look: one SELECT, of this table alone, with
functions that compute (`_FUNCTIONS`), for a bounded number of steps. SQLite's own authorizer holds
that while the statement is compiled; no text is searched for forbidden words.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType

import apsw

from moltbot_desktop.core.errors import QueryRefused

Cell = str | int | float | None
TABLE = "data"
_FUNCTIONS = frozenset(
    "abs avg ceil ceiling coalesce concat count cume_dist date datetime dense_rank first_value "
    "floor format glob group_concat ifnull iif instr julianday lag last_value lead length like "
    "lower ltrim max min mod ntile nth_value nullif percent_rank pow power printf rank replace "
    "round row_number rtrim sign sqrt strftime string_agg substr substring sum time timediff total "
    "trim trunc typeof unixepoch upper".split()
)
_STEPS_AT_ONCE = 20_000
_MOST_STEPS = 100_000_000
"""Of SQLite's machine: some seconds, and two hundred thousand rows sorted several times."""
_LONGEST_VALUE = 1_000_000
"""Bytes; `replace` and `printf` could make more than there is memory."""
_DECLARED = {int: "INTEGER", float: "REAL", str: "TEXT"}


@dataclass(frozen=True)
class TableAnswer:
    """Rows of an answer; `more` when there would have been others."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: bool


class ScratchTable:
    """The table `data`. Belongs to one thread."""

    def __init__(self, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        """`columns`: different names, at least one; each row has as many cells."""
        self._columns = tuple(columns)
        self._connection = apsw.Connection(":memory:")
        self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        names = ", ".join(_quoted(name) for name in columns)
        places = ", ".join("?" * len(columns))
        self._connection.execute(f"CREATE TABLE {TABLE} ({names})")
        self._connection.executemany(f"INSERT INTO {TABLE} VALUES ({places})", rows)
        self._connection.authorizer = _only_looks

    def __enter__(self) -> ScratchTable:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close(force=True)

    def ask(self, sql: str, *, most_rows: int, stop: Callable[[], bool]) -> TableAnswer:
        """The first `most_rows` rows of what `sql` selects; `stop` ends it early.

        Raises:
            QueryRefused: it is no SELECT of this table, has a mistake, or takes too long.
        """
        steps = 0
        columns: list[tuple[str, ...]] = []

        def enough() -> bool:
            nonlocal steps
            steps += _STEPS_AT_ONCE
            return steps > _MOST_STEPS or stop()

        def compiled(cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
            columns.append(tuple(str(about[0]) for about in cursor.get_description()))
            return len(columns) == 1

        self._connection.set_progress_handler(enough, _STEPS_AT_ONCE)
        cursor = self._connection.cursor()
        cursor.exec_trace = compiled
        try:
            found = itertools.islice(cursor.execute(sql), most_rows + 1)
            rows = [tuple(_plain(value) for value in row) for row in found]
        except apsw.InterruptError as error:
            raise QueryRefused("it takes too long", hint="Ask for less at once.") from error
        except apsw.AuthError as error:
            problem = f"only a SELECT from {TABLE} with usual functions is allowed ({error})"
            raise QueryRefused(problem, hint=self._hint()) from error
        except apsw.ExecTraceAbort as error:
            raise QueryRefused("only one SELECT at a time", hint=self._hint()) from error
        except (apsw.Error, ValueError, OverflowError) as error:
            raise QueryRefused(f"{error}", hint=self._hint()) from error
        finally:
            cursor.close(force=True)
        if not columns or not columns[0]:
            raise QueryRefused("there is no SELECT in it", hint=self._hint())
        return TableAnswer(columns[0], tuple(rows[:most_rows]), len(rows) > most_rows)

    def _hint(self) -> str:
        return f"The table is {TABLE}, its columns: {', '.join(map(_quoted, self._columns))}."


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain(value: object) -> Cell:
    return value if isinstance(value, str | int | float) or value is None else "?"


def _only_looks(
    action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
) -> int:
    """SQLite asks for everything that a statement does. Recursion is one of them: it could fill
    the memory from nothing."""
    allowed = (
        action == apsw.SQLITE_SELECT
        or (action == apsw.SQLITE_READ and first in (TABLE, "", None))
        or (action == apsw.SQLITE_FUNCTION and str(second).lower() in _FUNCTIONS)
    )
    return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY
