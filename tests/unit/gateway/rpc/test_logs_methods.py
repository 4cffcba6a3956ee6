"""The end of the log: whole lines, each once, without keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.logs_methods import LogsMethods, read_tail
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats

T = TypeVar("T")
ALL = 250_000


async def at_once(call: Callable[[], T], /) -> T:
    return call()


def ask(log: Path, params: JsonObject) -> JsonValue:
    methods = Methods(LogsMethods(log, at_once).methods(), Repeats(lambda: 0.0))
    return asyncio.run(methods.call("logs.tail", params))


def test_the_end_is_told_without_keys_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    log = tmp_path / "moltbot.log"
    log.write_text("one\ntwo password=hunter2\nthr", encoding="utf-8")
    assert ask(log, {}) == {
        "file": str(log),
        "cursor": 25,
        "size": 28,
        "lines": ["one", "two password=***"],
        "truncated": False,
        "reset": False,
    }
    log.write_text("one\ntwo password=hunter2\nthree\n", encoding="utf-8")
    answer = ask(log, {"cursor": 25})
    assert isinstance(answer, dict)
    assert (answer["lines"], answer["cursor"]) == (["three"], 31)


def test_without_a_log_there_is_nothing(tmp_path: Path) -> None:
    answer = ask(tmp_path / "none.log", {})
    assert isinstance(answer, dict)
    assert (answer["lines"], answer["cursor"], answer["reset"]) == ([], 0, False)


def test_a_log_that_was_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    log = tmp_path / "moltbot.log"
    log.write_text("new\n", encoding="utf-8")
    tail = read_tail(log, 400, 10, ALL)
    assert (tail.lines, tail.reset) == (("new",), True)


def test_what_is_left_out_in_between_is_said(tmp_path: Path) -> None:
    log = tmp_path / "moltbot.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)), encoding="utf-8")
    assert read_tail(log, -1, 2, ALL).lines == ("line 98", "line 99")
    assert read_tail(log, 0, 2, ALL).truncated
    short = read_tail(log, 0, 500, 20)
    assert (short.lines, short.truncated) == (("line 98", "line 99"), True)


@given(st.lists(st.text("ab\u2028é", max_size=5), max_size=8), st.lists(st.integers(0, 60)))
def test_who_asks_again_and_again_reads_each_line_once(
    tmp_path_factory: object, lines: list[str], cuts: list[int]
) -> None:
    whole = "".join(f"{line}\n" for line in lines).encode()
    log = Path(tmp_path_factory.mktemp("log")) / "moltbot.log"  # type: ignore[attr-defined]
    read: list[str] = []
    position = 0
    for cut in [*sorted(min(cut, len(whole)) for cut in cuts), len(whole)]:
        log.write_bytes(whole[:cut])
        tail = read_tail(log, position, 1_000, ALL)
        read += tail.lines
        position = tail.end
    assert read == lines
