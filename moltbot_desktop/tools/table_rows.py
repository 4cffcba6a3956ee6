"""The table in a text: CSV with any usual separator, Markdown, or the sheets of an Excel file.

    table = table_in("Datum;Betrag\\n21.11.2026;1.234,50\\n")
    table.columns       # ("Datum", "Betrag")
    table.rows          # (("2026-11-21", 1234.5),)

A column is made of numbers when all that stands in it are numbers, written the one way or the
other (1,234.50 or 1.234,50, with a currency or without); so with dates, which become 2026-11-21.
What could be read both ways (1,234 alone, 3/4/2026) is read as English, or stays text. A few cells
that are no numbers among many that are become nothing, and are told: SQL would add up "12,50" as
12, and take "n/a" for a zero in an average.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from moltbot_desktop.storage.scratch_table import Cell

_MOST_ROWS = 200_000
_MOST_COLUMNS = 200
_LONGEST_CELL = 4_000
_MOST_ODD = 0.3
"""Of a column's cells; they are slips among numbers."""
_LOOKED_AT = 50
"""Rows by which the separator is told."""
_SHEET = re.compile(r"\[sheet (.+)\]")
_RULE = re.compile(r"(?=[^-]*-)[\s|:-]+")
_MONEY = re.compile(r"^[¥$€£￥]|^(?:EUR|USD|CNY|RMB|GBP)\s|[¥$€£￥元]$|\s(?:EUR|USD|CNY|RMB|GBP)$")
_ENGLISH = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+")
_CONTINENTAL = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?")
_CODE = re.compile(r"0\d+")
"""A postcode or an article, not a number: its zero counts."""
_DATES = (
    (re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"), (0, 1, 2)),
    (re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日"), (0, 1, 2)),
    (re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})"), (2, 1, 0)),
)


@dataclass(frozen=True)
class Table:
    """Columns have different names; every row has as many cells. `odd` has, for each column of
    numbers that also held other things, one of these."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    odd: Mapping[str, str]


def sheets_in(text: str) -> dict[str, str]:
    """The sheets of an Excel file's text (`documents.sheet`) by name, each as CSV."""
    sheets: dict[str, list[str]] = {}
    name = ""
    for line in text.split("\n"):
        if match := _SHEET.fullmatch(line):
            name = match[1]
        sheets.setdefault(name, []).append("" if match else line)
    return {name: "\n".join(lines) for name, lines in sheets.items() if "".join(lines).strip()}


def table_in(text: str) -> Table | None:
    """The table of `text`, None where there is none: it has no row below its heading, or no
    separator in the lines of a prose text."""
    found = _markdown(text) or _separated(text)
    found = [row for row in found if any(row)]
    width = min(max(map(len, found), default=0), _MOST_COLUMNS)
    if not found or width == 0:
        return None
    named = not any(_number(cell, _ENGLISH) is not None for cell in found[0])
    heading, body = (found[0], found[1:]) if named else ([], found)
    rows = [[*row[:width], *[""] * (width - len(row))] for row in body[:_MOST_ROWS]]
    if not rows:
        return None
    names = _names(heading, width)
    columns = [_typed([row[at] for row in rows]) for at in range(width)]
    odd = {name: one.odd for name, one in zip(names, columns, strict=True) if one.odd}
    return Table(names, tuple(zip(*(one.cells for one in columns), strict=True)), odd)


def _markdown(text: str) -> list[list[str]]:
    lines = (line.strip() for line in text.split("\n"))
    run = itertools.dropwhile(lambda line: not line.startswith("|"), lines)
    rows = list(itertools.takewhile(lambda line: line.startswith("|"), run))
    if len(rows) < 2 or not _RULE.fullmatch(rows[1]):
        return []
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in (rows[0], *rows[2:])]


def _separated(text: str) -> list[list[str]]:
    sample = "\n".join(text.split("\n", _LOOKED_AT)[:_LOOKED_AT])
    separator = max(",;\t|", key=lambda one: _evenness(sample, one))
    return _csv(text, separator)


def _csv(text: str, separator: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text.replace("\0", "")), delimiter=separator)
    rows: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # a field without end: what was whole before it counts
        rows.extend(
            [cell.strip()[:_LONGEST_CELL] for cell in row]
            for row in itertools.islice(reader, _MOST_ROWS + 1)
        )
    return rows


def _evenness(sample: str, separator: str) -> tuple[float, int]:
    """How many rows have as many cells as the first, if that is more than one."""
    widths = [len(row) for row in _csv(sample, separator) if any(row)]
    if not widths or widths[0] < 2:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _names(heading: Sequence[str], width: int) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for at in range(width):
        given = " ".join(heading[at].split())[:100] if at < len(heading) else ""
        name = base = given or f"column{at + 1}"
        taken = {one.casefold() for one in names}
        for number in itertools.count(2):
            if name.casefold() not in taken:
                break
            name = f"{base}_{number}"
        names[name] = None
    return tuple(names)


@dataclass(frozen=True)
class _Column:
    cells: Sequence[Cell]
    odd: str = ""


def _typed(cells: Sequence[str]) -> _Column:
    """As numbers or dates where all are, as numbers where nearly all are, else as they stand; an
    empty cell is nothing."""
    filled = [cell for cell in cells if cell]
    as_text = _Column([cell or None for cell in cells])
    if not filled or any(map(_CODE.fullmatch, filled)):
        return as_text
    for reading in (_english, _continental, _date):
        if all(reading(cell) is not None for cell in filled):
            return _Column([reading(cell) if cell else None for cell in cells])
    reading = max(
        _english, _continental, key=lambda one: sum(one(cell) is not None for cell in filled)
    )
    odd = [cell for cell in filled if reading(cell) is None]
    if len(odd) > len(filled) * _MOST_ODD:
        return as_text
    return _Column([reading(cell) for cell in cells], odd[0])


def _english(cell: str) -> Cell:
    return _number(cell, _ENGLISH)


def _continental(cell: str) -> Cell:
    return _number(cell, _CONTINENTAL)


def _number(cell: str, spelling: re.Pattern[str]) -> int | float | None:
    bare = _MONEY.sub("", cell, count=2).strip().replace("−", "-")
    if len(bare) > 30 or not spelling.fullmatch(bare):
        return None
    if spelling is _CONTINENTAL:
        bare = bare.replace(".", "").replace(",", ".")
    bare = bare.replace(",", "")
    number = float(bare)
    return int(bare) if "." not in bare and abs(number) < 2**53 else number


def _date(cell: str) -> str | None:
    for pattern, (year, month, day) in _DATES:
        if match := pattern.fullmatch(cell):
            parts = [int(part) for part in match.groups()]
            try:
                return date(parts[year], parts[month], parts[day]).isoformat()
            except ValueError:
                return None
    return None
