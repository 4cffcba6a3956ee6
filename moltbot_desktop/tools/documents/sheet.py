"""The cells of an Excel file as CSV. The home of `openpyxl`, which reads dates as dates."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime, time

import openpyxl

from moltbot_desktop.tools.documents.archive import checked_archive

SHEET_LINE = "[sheet {name}]"
_MOST_ROWS = 200_000
_MIDNIGHT = time()


def sheet_text(data: bytes) -> str:
    """Each sheet's rows as lines of CSV below a line ``[sheet Costs]``; formulas as their last
    value, dates as 2026-11-21.

    Raises:
        NoText: it is damaged.
    """
    checked_archive(data, "xl/workbook.xml")
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    for sheet in book.worksheets:
        rows = list(_rows(sheet.iter_rows(values_only=True, max_row=_MOST_ROWS)))
        if rows:
            out.write(SHEET_LINE.format(name=" ".join(sheet.title.split())) + "\n")
            lines.writerows(rows)
    return out.getvalue()


def _rows(rows: Iterator[tuple[object, ...]]) -> Iterator[list[str]]:
    """Those that hold something, without the empty cells at their end."""
    for row in rows:
        cells = [_cell(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == _MIDNIGHT else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())
