"""`table_query`: questions about a table in a file, worked out by SQL and not by a model.

    {"path": "bank.csv"}                                              # columns and first rows
    {"path": "bank.csv", "sql": "SELECT sum(amount) FROM data"}       # exact, however long it is

A model that adds up two hundred rows in its head is wrong; one that writes a SELECT is right. The
file is only read: the table lives in memory for the one call (`storage.scratch_table`).
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.errors import QueryRefused
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import (
    CancelToken,
    Effect,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
)
from moltbot_desktop.storage.scratch_table import TABLE, Cell, ScratchTable, TableAnswer
from moltbot_desktop.tools.decoding import decode
from moltbot_desktop.tools.documents.kinds import DocumentKind, document_kind
from moltbot_desktop.tools.documents.reading import DocumentReader
from moltbot_desktop.tools.file_access import FileRefusal, OpenedFile, opened, path_argument, told
from moltbot_desktop.tools.replies import arguments, ask, one_line, text_argument
from moltbot_desktop.tools.table_rows import Table, sheets_in, table_in

_MOST_ROWS = 100
_MOST_CHARACTERS = 6_000
_FIRST_ROWS = 5
_ROWS_SHOWN = 20
_LONGEST_SHOWN = 60
_FIRST = f"SELECT * FROM {TABLE}"
_PHRASES = Phrases(
    {
        "ask": "Which table shall I look at? For example: bank.csv.",
        "about": "{path}: {rows} rows. It begins like this:\n\n{table}",
        "value": "{name}: {value}",
        "none": "No row fits.",
        "more": "\n\n… and more",
        "odd": "\n(Not every {column} is a number, for example “{cell}”; such ones do not count.)",
    },
    {
        "ask": "要看哪个表格？例如：bank.csv。",
        "about": "{path}：共{rows}行，开头是：\n\n{table}",
        "value": "{name}：{value}",
        "none": "没有符合条件的行。",
        "more": "\n\n……还有更多",
        "odd": "\n（“{column}”里有的不是数字，例如“{cell}”，没有算进去。）",
    },
)


class TableQuery:
    """Answers questions about CSV, Excel and Markdown tables."""

    def __init__(self, documents: DocumentReader | None = None) -> None:
        self._documents = documents or DocumentReader()

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "table_query",
            f"Ask a CSV, Excel or Markdown table (SQL table: {TABLE}).",
            arguments(
                ("path",),
                path=text_argument(),
                sql=text_argument("one SELECT; without it: the columns and first rows"),
                sheet=text_argument("of an Excel file"),
            ),
            Effect.FILE_READ,
            core=False,
            path_arguments=("path",),
            keywords="csv xlsx excel spreadsheet table sum column count average group query "
            "statistics 表格 统计 汇总 求和 平均 多少",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = path_argument(given)
        if not text:
            return ask("path", _PHRASES.say("ask", context.language))
        sql, sheet = given.text("sql"), given.text("sheet")
        return told(context, text, lambda: self._asked(text, sql, sheet, context))

    def _asked(self, text: str, sql: str, sheet: str, context: ToolContext) -> ToolResult:
        file = opened(text, context)
        kind = document_kind(file.path.name, file.data)
        table = table_in(self._text(file, kind, sheet, context.cancel))
        if table is None:
            raise FileRefusal("there is no table in it", "no_table")
        try:
            with ScratchTable(table.columns, table.rows) as scratch:
                answer = scratch.ask(
                    sql or _FIRST,
                    most_rows=_MOST_ROWS if sql else _FIRST_ROWS,
                    stop=lambda: context.cancel.cancelled,
                )
        except QueryRefused as refused:
            raise FileRefusal(f"{refused.message}. {refused.hint}", "query") from refused
        data, display = _answered(answer), _told(answer, context)
        if not sql:
            data = {"path": file.shown, "count": len(table.rows), "types": _types(table), **data}
            display = _PHRASES.say(
                "about", context.language, path=file.shown, rows=len(table.rows), table=display
            )
        for column, cell in table.odd.items():
            if column.casefold() in sql.casefold() or not sql:
                shown = one_line(cell, _LONGEST_SHOWN)
                data["warning"] = f"not a number in {column}: {shown!r}; filter or correct it"
                display += _PHRASES.say("odd", context.language, column=column, cell=shown)
        return ToolResult(data, display, taints=file.foreign or kind is not None, private=True)

    def _text(
        self, file: OpenedFile, kind: DocumentKind | None, sheet: str, cancel: CancelToken
    ) -> str:
        if kind is None:
            text = decode(file.data)
            if text is None:
                raise FileRefusal("that is not a text file", "binary")
            return text
        text = self._documents.text_of(file.data, kind, cancel)
        if kind is not DocumentKind.SHEET:
            return text
        sheets = sheets_in(text)
        if sheet in sheets or len(sheets) < 2:
            return sheets.get(sheet) or "".join(sheets.values())
        names = ", ".join(sheets)
        raise FileRefusal(f"`sheet` must be one of: {names}", "sheets", names=names)


def _types(table: Table) -> dict[str, JsonValue]:
    """What SQL meets in each column."""

    def kind(cells: Sequence[Cell]) -> str:
        known = {type(cell) for cell in cells if cell is not None}
        return "text" if not known or str in known else "number"

    columns = zip(*table.rows, strict=True)
    return {name: kind(cells) for name, cells in zip(table.columns, columns, strict=True)}


def _answered(answer: TableAnswer) -> dict[str, JsonValue]:
    """As many rows as fit a prompt."""
    rows: list[JsonValue] = []
    size, more = 0, answer.more
    for row in answer.rows:
        size += sum(len(str(cell)) + 3 for cell in row)
        if rows and size > _MOST_CHARACTERS:
            more = True
            break
        rows.append([_cut(cell) for cell in row])
    data: dict[str, JsonValue] = {"columns": list(answer.columns), "rows": rows}
    return data | ({"more": True} if more else {})


def _cut(cell: Cell) -> Cell:
    return cell[:_MOST_CHARACTERS] if isinstance(cell, str) else _rounded(cell)


def _rounded(cell: int | float | None) -> int | float | None:
    """Sums of cents come out as 0.30000000000000004."""
    return round(cell, 10) if isinstance(cell, float) else cell


def _told(answer: TableAnswer, context: ToolContext) -> str:
    if not answer.rows:
        return _PHRASES.say("none", context.language)
    if len(answer.rows) == 1 and len(answer.columns) == 1:
        value = _words(answer.rows[0][0])
        return _PHRASES.say("value", context.language, name=answer.columns[0], value=value)
    lines = [answer.columns, ("---",) * len(answer.columns), *answer.rows[:_ROWS_SHOWN]]
    table = "\n".join("| " + " | ".join(map(_words, line)) + " |" for line in lines)
    more = answer.more or len(answer.rows) > _ROWS_SHOWN
    return table + (_PHRASES.say("more", context.language) if more else "")


def _words(cell: Cell) -> str:
    text = "" if cell is None else str(_rounded(cell) if isinstance(cell, float) else cell)
    return one_line(text, _LONGEST_SHOWN).replace("|", "\\|")
