"""HTML as people write it: what is left open ends where the next begins; cells that reach further.

    LooseSoup("<ul><li>one<li>two</ul>", "html.parser")     # two items, not one in the other

Python's parser leaves an item open until its list ends, so that a list, or a page of paragraphs
without ends, would be one inside the other. The pairs are those of the HTML standard. A cell that
spans rows would shift all after it in those rows: there it is written again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, Tag


class _Ends(NamedTuple):
    """What the beginning of an element ends, looked for inside the innermost of `within`."""

    ends: frozenset[str]
    within: frozenset[str]


def _ends(ends: str, within: str) -> _Ends:
    return _Ends(frozenset(ends.split()), frozenset(within.split()))


_PARAGRAPH = _ends("p", "button td th caption object table")
_BLOCKS = (
    "address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 header hr main menu nav ol p pre section table ul"
).split()
_IMPLIED: Mapping[str, _Ends] = MappingProxyType(
    {
        **dict.fromkeys(_BLOCKS, _PARAGRAPH),
        "li": _ends("li", "ol ul menu"),
        **dict.fromkeys(("dt", "dd"), _ends("dt dd", "dl")),
        **dict.fromkeys(("td", "th"), _ends("td th", "tr table")),
        "tr": _ends("tr", "table"),
        **dict.fromkeys(("thead", "tbody", "tfoot"), _ends("thead tbody tfoot", "table")),
    }
)
_DEEPEST_LOOK = 60
_NUMBER = re.compile(r"[0-9]{1,4}")
_WIDEST = 1_000
_LONGEST_REPEATED = 100
_MOST_REPEATED = 5_000
"""Cells; a page may claim to have millions."""


class _Again(NamedTuple):
    """What stands in a column of the next `rows` as well."""

    rows: int
    text: str


_Owed = dict[int, _Again]


class LooseSoup(BeautifulSoup):
    def handle_starttag(self, name: str, *rest: Any, **named: Any) -> Tag | None:
        implied = _IMPLIED.get(name)
        if implied is not None:
            for around in reversed(self.tagStack[-_DEEPEST_LOOK:]):
                if around.name in implied.ends:
                    self.handle_endtag(around.name)
                    break
                if around.name in implied.within:
                    break
        return super().handle_starttag(name, *rest, **named)


def straightened(page: Tag) -> None:
    """Every cell that spans rows stands in each of them; `_MOST_REPEATED` in all of `page`."""
    tables: dict[int, _Owed] = {}
    left = _MOST_REPEATED
    for row in page.find_all("tr"):
        table = id(row.find_parent("table"))
        owed, begun, column = tables.get(table, {}), _Owed(), 0
        for cell in row.find_all(["td", "th"], recursive=False):
            column = _repeated(owed, column, cell.insert_before)
            down, across = _span(cell, "rowspan"), _span(cell, "colspan")
            if down > 1 and left >= down * across:
                left -= down * across
                text = " ".join(cell.get_text(" ").split())
                again = _Again(down - 1, text if len(text) <= _LONGEST_REPEATED else "")
                begun.update(dict.fromkeys(range(column, column + across), again))
            column += across
        _repeated(owed, column, row.append)
        tables[table] = _Owed(
            {
                at: again._replace(rows=again.rows - 1)
                for at, again in owed.items()
                if again.rows > 1
            }
            | begun
        )


def _repeated(owed: _Owed, column: int, put: Callable[[Tag], object]) -> int:
    """`put` what stands in this row from `column` on; the next column that is free."""
    while (again := owed.get(column)) is not None:
        cell = Tag(name="td")
        cell.string = again.text
        put(cell)
        column += 1
    return column


def _span(cell: Tag, name: str) -> int:
    said = str(cell.get(name, ""))
    return max(1, min(int(said), _WIDEST)) if _NUMBER.fullmatch(said) else 1
