"""Long results: never over their tokens, head and tail kept, every line of the rest in reach."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.prompt import result_text
from moltbot_desktop.agent.results import ResultShelf, clipped, most_tokens
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import KeptResult, ToolContext, ToolInput, ToolResult
from moltbot_desktop.tools.files import Read

HERE, ELSEWHERE = SessionId("here"), SessionId("elsewhere")


class NotCancelled:
    cancelled = False


async def by_bytes(text: str) -> int:
    """The worst a tokenizer does: a token a byte."""
    return len(text.encode())


async def by_words(text: str) -> int:
    return len(re.findall(r"\w+|\W", text))


def shown(result: ToolResult, most: int, shelf: ResultShelf | None = None) -> dict[str, JsonValue]:
    shelf = shelf or ResultShelf()
    return dict(asyncio.run(clipped(result, most, by_words, lambda kept: shelf.keep(HERE, kept))))


def reader(tmp_path: Path, shelf: ResultShelf, session: SessionId = HERE) -> ToolContext:
    return ToolContext(
        RunId("r"),
        SessionKey("k"),
        tmp_path,
        "",
        Language.ENGLISH,
        NotCancelled(),
        kept=lambda handle: shelf.find(session, handle),
    )


def test_a_short_result_is_left_alone() -> None:
    result = ToolResult({"path": "a.txt", "text": "short"}, "")
    assert shown(result, 100) == result.data


def test_a_long_text_keeps_what_stands_beside_it_its_head_and_its_tail() -> None:
    text = "\n".join(f"line {number}" for number in range(2000))
    data = shown(ToolResult({"path": "a.txt", "text": text}, ""), 300)
    assert data["path"] == "a.txt"
    assert str(data["text"]).startswith("line 0\nline 1\n") and str(data["text"]).endswith("1999")
    assert 'read path "result:1" offset ' in str(data["text"])


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from("text path files error".split()),
        st.text(max_size=3000) | st.lists(st.text(max_size=60), max_size=80) | st.integers(),
        max_size=4,
    ),
    st.sampled_from([2048, 4096, 8192]),
)
def test_no_result_is_longer_than_its_share_by_the_worst_tokenizer(
    data: dict[str, JsonValue], window: int
) -> None:
    shelf, most = ResultShelf(), most_tokens(window)
    result = ToolResult(data, "", taints=True)
    told = asyncio.run(clipped(result, most, by_bytes, lambda kept: shelf.keep(HERE, kept)))
    assert asyncio.run(by_bytes(result_text(told))) <= most
    handles = re.findall(r"result:\d+", json.dumps(dict(told)))
    if told != data:
        kept = shelf.find(HERE, handles[-1])
        assert kept is not None and kept.taints and not kept.private


def test_every_line_that_was_left_out_can_be_read_from_the_line_that_is_named(
    tmp_path: Path,
) -> None:
    shelf = ResultShelf()
    text = "\n".join(f"row {number} " + "x" * (number % 900) for number in range(300))
    data = shown(ToolResult({"text": text}, "", taints=True, private=True), 400, shelf)
    named = re.search(r'read path "(result:\d+)" offset (\d+)', str(data["text"]))
    assert named is not None
    context, offset, read = reader(tmp_path, shelf), int(named[2]), ""
    while offset:
        given_now = ToolInput({"path": named[1], "offset": offset})
        result = Read().run(given_now, context)
        assert result.ok and result.taints and result.private
        read += str(result.data["text"]) + "\n"
        offset = int(str(result.data.get("next_offset", 0)))
    head = str(data["text"]).split("\n[")[0]
    whole = "".join(text.split())
    assert whole.startswith("".join(head.split()))
    assert whole.endswith("".join(read.split()))
    assert len("".join(head.split())) + len("".join(read.split())) >= len(whole)


def test_a_piece_that_was_read_is_not_put_on_the_shelf_again() -> None:
    shelf = ResultShelf()
    data = shown(ToolResult({"path": "result:7", "text": "word " * 5000}, ""), 200, shelf)
    assert 'read path "result:7"' in str(data["text"])
    assert shelf.find(HERE, "result:1") is None


def test_a_handle_is_good_in_its_own_conversation_until_that_ends(tmp_path: Path) -> None:
    shelf = ResultShelf()
    handle = shelf.keep(HERE, KeptResult("mine", taints=False, private=True))
    own, other = reader(tmp_path, shelf), reader(tmp_path, shelf, ELSEWHERE)
    assert Read().run(ToolInput({"path": handle}), own).data["text"] == "mine"
    assert not Read().run(ToolInput({"path": handle}), other).ok
    shelf.forget(HERE)
    gone = Read().run(ToolInput({"path": handle}), own)
    assert not gone.ok and "call the tool again" in str(gone.data["error"])


def test_the_oldest_go_when_the_shelf_is_full() -> None:
    shelf = ResultShelf(most_characters=10)
    first, second, third = (
        shelf.keep(HERE, KeptResult("x" * 5, taints=False, private=False)) for _ in range(3)
    )
    assert shelf.find(HERE, first) is None
    assert shelf.find(HERE, second) is not None and shelf.find(HERE, third) is not None
