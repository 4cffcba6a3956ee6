"""table_query works sums out exactly, however a file is spelled, and it only looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import QueryRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.storage.scratch_table import ScratchTable
from moltbot_desktop.tools.table_query import TableQuery
from moltbot_desktop.tools.table_rows import sheets_in, table_in
from tests.fakes.documents import excel
from tests.fakes.tool_context import FakeCancel, call, tool_context

BANK = (
    "Datum;Empfänger;Betrag\n21.11.2026;Bäcker;-3,20\n22.11.2026;Miete;-1.234,50\n"
    "23.11.2026;Lohn;2.000,00 €\n"
)


def query(folder: Path, name: str, data: str | bytes, **arguments: str) -> ToolResult:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return call(TableQuery(), tool_context(folder), path=name, **arguments)


def test_without_a_question_it_tells_columns_and_first_rows(tmp_path: Path) -> None:
    result = query(tmp_path, "bank.csv", BANK)
    assert result.data["count"] == 3
    assert result.data["types"] == {"Datum": "text", "Empfänger": "text", "Betrag": "number"}
    assert result.data["rows"][0] == ["2026-11-21", "Bäcker", -3.2]  # type: ignore[index,call-overload]
    assert "| 2026-11-21 | Bäcker | -3.2 |" in result.display
    assert result.private
    assert not result.taints


def test_a_question_is_worked_out(tmp_path: Path) -> None:
    sql = "SELECT sum(Betrag) AS total FROM data WHERE Datum >= '2026-11-22'"
    result = query(tmp_path, "bank.csv", BANK, sql=sql)
    assert result.data == {"columns": ["total"], "rows": [[765.5]]}
    assert result.display == "total: 765.5"


def test_cents_add_up_to_cents(tmp_path: Path) -> None:
    result = query(tmp_path, "a.csv", "x,y\n0.1,a\n0.2,b\n", sql="select sum(x) from data")
    assert result.data["rows"] == [[0.3]]


def test_a_cell_that_is_no_number_is_told_and_not_added_up_wrongly(tmp_path: Path) -> None:
    rows = "cost;kind\n12.50;a\n1,000.00;a\n12,50;a\n3.00;a\n4.00;a\n"
    asked = query(tmp_path, "a.csv", rows, sql="SELECT sum(COST) FROM data ")
    assert asked.data["rows"] == [[1019.5]]
    assert "'12,50'" in str(asked.data["warning"])
    assert "12,50" in asked.display
    assert "warning" not in query(tmp_path, "a.csv", rows, sql="SELECT kind FROM data").data
    assert query(tmp_path, "a.csv", rows).data["types"] == {"cost": "number", "kind": "text"}


def test_a_table_of_ten_thousand_rows_in_one_line(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 7}\n" for n in range(10_000))
    sql = "SELECT kind, count(*) n FROM data GROUP BY kind ORDER BY n DESC, kind LIMIT 1"
    assert query(tmp_path, "a.csv", f"id,kind\n{rows}", sql=sql).data["rows"] == [[0, 1429]]


def test_a_markdown_table_and_an_excel_sheet_are_tables_too(tmp_path: Path) -> None:
    note = "# November\n\n| what | cost |\n|---|---:|\n| lunch | 12.50 |\n| tea | 3 |\n\nThe end."
    sql = "select sum(cost) from data"
    assert query(tmp_path, "a.md", note, sql=sql).data["rows"] == [[15.5]]
    book = excel({"Costs": [["what", "cost"], ["lunch", 12.5]], "Other": [["a"], ["b"]]})
    result = query(tmp_path, "a.xlsx", book, sql=sql, sheet="Costs")
    assert result.data["rows"] == [[12.5]]
    assert result.taints
    assert "Costs, Other" in str(query(tmp_path, "a.xlsx", book, sql=sql).data["error"])


@pytest.mark.parametrize(
    ("text", "columns", "row"),
    [
        ("a,b\n1,2\n", ("a", "b"), (1, 2)),
        ("a\tb\nx\t1\n", ("a", "b"), ("x", 1)),
        ("a;b\n1,5;2\n", ("a", "b"), (1.5, 2)),
        ("a|b\nx|y\n", ("a", "b"), ("x", "y")),
        ('a,b\n"x, y",2\n', ("a", "b"), ("x, y", 2)),
        ("name\nAnna\n", ("name",), ("Anna",)),
        ("a,a,\nx,y,z\n", ("a", "a_2", "column3"), ("x", "y", "z")),
        ("1,2\n3,4\n", ("column1", "column2"), (1, 2)),
        ("a,b\nx\n", ("a", "b"), ("x", None)),
        ("zip,n\n01067,5\n", ("zip", "n"), ("01067", 5)),
        ("p,n\n¥1,200\n", ("p", "n"), (1, 200)),
        ("p;n\n¥1,200;x\n", ("p", "n"), (1200, "x")),
        ("日期,金额\n2026年11月1日,8元\n", ("日期", "金额"), ("2026-11-01", 8)),
        ("d,n\n3/4/2026,1\n", ("d", "n"), ("3/4/2026", 1)),
        ("d,n\n31.02.2026,1\n", ("d", "n"), ("31.02.2026", 1)),
        ("a,b\n1,x\nn/a,y\n", ("a", "b"), ("1", "x")),
        ("a\nn/a\n1\n2\n3\n", ("a",), (None,)),
        ("a\nn/a\n1\n02\n3\n", ("a",), ("n/a",)),
        ("\ufeffa,b\n".lstrip("\ufeff") + "−5,1e5\n", ("a", "b"), (-5, "1e5")),
    ],
)
def test_how_cells_are_read(text: str, columns: tuple[str, ...], row: tuple[object, ...]) -> None:
    table = table_in(text)
    assert table is not None
    assert (table.columns, table.rows[0]) == (columns, row)


@pytest.mark.parametrize("text", ["", "\n\n", "a,b\n", "| a |\n|---|\n"])
def test_no_rows_are_no_table(tmp_path: Path, text: str) -> None:
    assert table_in(text) is None
    (tmp_path / "a.csv").write_text(text)
    result = call(TableQuery(), tool_context(tmp_path, Language.CHINESE), path="a.csv")
    assert result.display == "“a.csv”里没有表格。"


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("DELETE FROM data", "only a SELECT"),
        ("SELECT 1; DROP TABLE data", "only a SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT at a time"),
        ("ATTACH 'x.sqlite' AS x", "only a SELECT"),
        ("PRAGMA temp_store_directory = '/'", "only a SELECT"),
        ("SELECT * FROM sqlite_master", "only a SELECT"),
        ("SELECT load_extension('x')", "not authorized"),
        ("SELECT zeroblob(1000000000)", "not authorized"),
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT * FROM c", "only a"),
        ("SELECT replace(printf('%900000d', 1), ' ', 'xx')", "too big"),
        ("SELECT nope FROM data", 'columns: "a b", "n"'),
        ("-- nothing", "no SELECT"),
        ("SELECT \ud800", "utf-8"),
    ],
)
def test_sql_can_only_look(tmp_path: Path, sql: str, error: str) -> None:
    result = query(tmp_path, "a.csv", "a b,n\nx,1\n", sql=sql)
    assert not result.ok
    assert error in str(result.data["error"])
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_question_that_never_ends_is_ended(tmp_path: Path) -> None:
    rows = [(n,) for n in range(3_000)]
    with ScratchTable(("n",), rows) as table:
        everything = "SELECT count(*) FROM data a, data b, data c"
        with pytest.raises(QueryRefused, match="too long"):
            table.ask(everything, most_rows=1, stop=lambda: False)
        with pytest.raises(QueryRefused, match="too long"):
            table.ask(everything, most_rows=1, stop=lambda: True)
        assert table.ask("SELECT max(n) FROM data", most_rows=1, stop=lambda: False).rows == (
            (2_999,),
        )


def test_long_answers_are_cut_and_said_to_be(tmp_path: Path) -> None:
    rows = "".join(f"{n},{'x' * 500}\n" for n in range(200))
    result = query(tmp_path, "a.csv", f"n,text\n{rows}", sql="SELECT * FROM data")
    assert result.data["more"] is True
    assert len(str(result.data)) < 8_000
    assert "…" in result.display


@given(st.text(st.sampled_from('ab1,;|\t"\n .-€年'), max_size=120))
@settings(max_examples=80, deadline=None)
def test_any_text_is_a_table_or_none(text: str) -> None:
    table = table_in(text)
    if table is not None:
        assert len(set(table.columns)) == len(table.columns)
        with ScratchTable(table.columns, table.rows) as scratch:
            count = scratch.ask("SELECT count(*) FROM data", most_rows=1, stop=lambda: False)
        assert count.rows == ((len(table.rows),),)
    assert isinstance(sheets_in(text), dict)


@given(st.text(st.sampled_from("SELECT FROMdatan*()'\";,-%"), max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_sql_is_answered_or_refused(sql: str) -> None:
    with ScratchTable(("n",), [(1,)]) as table:
        try:
            table.ask(sql, most_rows=5, stop=lambda: FakeCancel().cancelled)
        except QueryRefused as refused:
            assert refused.message
