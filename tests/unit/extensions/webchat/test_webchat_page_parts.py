"""What a page says and is told: frames, the record and its file, Markdown as a tree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ChannelError
from moltbot_desktop.extensions.webchat.frames import (
    MOST_FILES,
    MOST_TEXT,
    Attach,
    Older,
    Prove,
    Say,
    Stop,
    frame_of,
    news_frame,
)
from moltbot_desktop.extensions.webchat.pages import SUFFIX, Pages
from moltbot_desktop.extensions.webchat.record import (
    MOST_ENTRIES,
    Entry,
    Record,
    SharedFile,
    Who,
    line_of,
    record_of,
)
from moltbot_desktop.extensions.webchat.tree import nodes_of, tree_of

AT = "2026-03-01T10:00:00+01:00"
TAGS = frozenset(
    "p br hr strong em s code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 a"
    " table thead tbody tr th td".split()
)
SCRIPTS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](  javascript&colon;alert(1))",
    "![a](javascript:alert(1))",
    "![a](https://evil.example/pixel.png)",
    '<https://a.example/"onmouseover=alert(1)>',
    '[a](https://a.example "\\" onclick=alert(1) x=\\"")',
    "[a]: javascript:alert(1)\n\n[a]",
    '```"><script>alert(1)</script>\nx\n```',
    "`<b onclick=alert(1)>`",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<style>*{background:url(https://evil.example)}</style>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<a href='javascript:alert(1)'>x</a>",
    "|a|\n|-|\n|<img src=x onerror=alert(1)>|",
)


def entry(name: str, text: str, who: Who = Who.ASSISTANT, **more: Any) -> Entry:
    return Entry(name, who, text, AT, **more)


# ------------------------------------------------------------------ frames


def test_frames_are_what_they_say() -> None:
    prove = {"t": "prove", "browser": "b", "proof": "p", "epoch": "", "seq": 0}
    assert frame_of(json.dumps(prove)) == Prove("b", "p", "", 0)
    assert frame_of('{"t": "say", "id": "1-a", "text": "你好 😀"}') == Say("1-a", "你好 😀", ())
    assert frame_of('{"t": "say", "id": "1", "text": "", "files": ["f1"]}') == Say("1", "", ("f1",))
    assert frame_of('{"t": "stop"}') == Stop()
    assert frame_of('{"t": "older", "before": "x"}') == Older("x")
    attach = {"t": "attach", "id": "1", "name": "a\nb\u202e.png", "type": "image/png", "size": 5}
    assert frame_of(json.dumps(attach)) == Attach("1", "ab.png", "image/png", 5)


@pytest.mark.parametrize(
    "frame",
    [
        {"t": "say", "id": "", "text": "x"},
        {"t": "say", "id": "a:b", "text": "x"},
        {"t": "say", "id": "../x", "text": "x"},
        {"t": "say", "id": "x" * 65, "text": "x"},
        {"t": "say", "id": "1", "text": "  \n"},
        {"t": "say", "id": "1", "text": "x" * (MOST_TEXT + 1)},
        {"t": "say", "id": "1", "text": 5},
        {"t": "say", "id": "1", "text": "x", "files": ["f"] * (MOST_FILES + 1)},
        {"t": "say", "id": "1", "text": "x", "files": ["../f"]},
        {"t": "say", "id": "1", "text": "x", "files": [5]},
        {"t": "prove", "browser": "b", "proof": "p", "epoch": "", "seq": -1},
        {"t": "prove", "browser": "b", "proof": "p", "epoch": "", "seq": "1"},
        {"t": "prove", "browser": "b"},
        {"t": "attach", "id": "1", "name": "a", "type": "b", "size": 0},
        {"t": "approve", "id": "1", "allow": True},
        {"t": ["say"]},
        {},
        [],
        "say",
        None,
    ],
)
def test_what_is_no_frame_is_none(frame: object) -> None:
    assert frame_of(json.dumps(frame)) is None


def test_half_a_character_and_nul_become_signs_that_can_be_kept() -> None:
    found = frame_of('{"t": "say", "id": "1", "text": "a\\ud83d b\\u0000"}')
    assert isinstance(found, Say)
    assert found.text.encode() and "\x00" not in found.text


@given(st.text() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
).map(json.dumps))  # fmt: skip
def test_any_text_is_a_frame_or_none(text: str) -> None:
    frame_of(text)


@given(
    st.fixed_dictionaries(
        {"t": st.sampled_from(["say", "prove", "attach", "older", "stop"])},
        optional={
            name: st.none() | st.text(max_size=70) | st.integers() | st.lists(st.text(max_size=3))
            for name in ("id", "text", "files", "browser", "proof", "epoch", "seq", "name", "size")
        },
    )
)
def test_frames_that_are_nearly_right(frame: dict[str, object]) -> None:
    found = frame_of(json.dumps(frame))
    if isinstance(found, Say):
        assert 0 < len(found.id) <= 64 and len(found.text) <= MOST_TEXT


def test_brackets_without_end_are_no_frame() -> None:
    assert frame_of("[" * 200_000) is None


# ------------------------------------------------------------------ the record


def test_a_page_that_asks_behind_a_number_gets_what_changed_since() -> None:
    record = Record()
    first = record.put(entry("a", "one"))
    record.put(entry("b", "two"))
    seen = record.since(0).seq
    record.put(replace(first, text="one more"))
    record.remove("b")
    news = record.since(seen)
    assert [(one.id, one.text, one.place) for one in news.entries] == [("a", "one more", 1)]
    assert news.gone == ("b",)
    assert record.since(news.seq).entries == ()


@given(st.lists(st.tuples(st.sampled_from("put remove look cut".split()), st.integers(0, 6))))
def test_a_page_comes_to_the_same_end_however_often_it_is_cut(steps: list[tuple[str, int]]) -> None:
    """What it is told may be lost on the way (`cut`): it asks behind what it knows."""
    record = Record()
    page: dict[str, Entry] = {}
    known = 0
    for number, (step, which) in enumerate(steps):
        if step == "put":
            record.put(entry(f"e{which}", f"text {number}"))
        elif step == "remove":
            record.remove(f"e{which}")
        elif step == "look":
            known = _learned(page, record, known)
    _learned(page, record, known)
    shown = sorted(page.values(), key=lambda one: one.place)
    assert [(one.id, one.text) for one in shown] == [(o.id, o.text) for o in record.all()]


def _learned(page: dict[str, Entry], record: Record, known: int) -> int:
    news = record.since(known)
    page.update({one.id: one for one in news.entries})
    for name in news.gone:
        page.pop(name, None)
    return news.seq


def test_old_entries_go_and_a_key_is_known_for_ever() -> None:
    record = Record()
    for number in range(MOST_ENTRIES + 5):
        record.put(entry(f"e{number}", "x", key=f"k{number}"))
    assert len(record.all()) == MOST_ENTRIES and record.get("e4") is None
    assert record.sent_as("k4") == "e4" and record.sent_as("other") == ""


def test_older_ones_come_in_parts() -> None:
    record = Record()
    for number in range(10):
        record.put(entry(f"e{number}", "x"))
    assert [one.id for one in record.last(3)] == ["e7", "e8", "e9"]
    assert [one.id for one in record.before("e7", 4)] == ["e3", "e4", "e5", "e6"]
    assert record.before("e0", 4) == () and record.before("nobody", 4) == ()


def test_lines_make_the_record_again() -> None:
    file = SharedFile("f" * 32, "tea.png", "image/png", 5)
    one = entry("a", "你好 😀", reactions=("👀",), files=(file,), key="k")
    other = entry("b", "asked", Who.YOU)
    lines = [
        line_of(entry("a", "old")),
        line_of(other),
        line_of(one),
        {"gone": "b"},
        line_of(other),
    ]
    again = record_of(json.loads(json.dumps(lines)))
    assert [replace(x, seq=0, place=0) for x in again.all()] == [one, other]
    assert again.sent_as("k") == "a"


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from("id who text at gone files reactions key size name".split()), inner),
))  # fmt: skip
def test_lines_that_are_none_of_ours_are_passed_over(line: Any) -> None:
    news_frame(record_of([line, line_of(entry("z", "x"))]).since(0), "e")


# ------------------------------------------------------------------ its file


def test_a_page_stands_again_after_a_restart(tmp_path: Path) -> None:
    page = Pages(tmp_path).of("b1")
    page.put(entry("a", "one", key="k"))
    page.put(entry("a", "two", key="k"))
    page.put(entry("b", "half a character: \ud83d"))
    page.remove("b")
    with (tmp_path / f"b1{SUFFIX}").open("ab") as file:
        file.write(b'{"id": "c", "who": "you", "text": "torn')
    again = Pages(tmp_path).of("b1")
    assert [(one.id, one.text) for one in again.record.all()] == [("a", "two")]
    assert again.record.epoch != page.record.epoch


def test_what_follows_a_torn_line_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / f"b1{SUFFIX}").write_bytes(b'{"id": "c", "who": "you", "text": "torn')
    Pages(tmp_path).of("b1").put(entry("a", "one"))
    assert [one.id for one in Pages(tmp_path).of("b1").record.all()] == ["a"]


def test_a_file_of_many_changes_is_written_anew(tmp_path: Path) -> None:
    page = Pages(tmp_path).of("b1")
    for number in range(1_000):
        page.put(entry("a", f"version {number}"))
    lines = page.path.read_bytes().splitlines()
    assert len(lines) < 300 and b"version 999" in lines[-1]


def test_words_that_somebody_took_out_of_the_file_are_gone_from_the_page(tmp_path: Path) -> None:
    page = Pages(tmp_path).of("b1")
    page.put(entry("a", "My dentist is Dr. Okafor"))
    text = page.path.read_text().replace("My dentist is Dr. Okafor", "[forgotten]")
    page.path.write_text(text)
    epoch = page.record.epoch
    assert page.refreshed().all()[0].text == "[forgotten]"
    assert page.record.epoch != epoch  # pages that are open begin anew
    page.put(entry("b", "more"))
    assert b"Okafor" not in page.path.read_bytes()


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "a\\b", "x" * 65, "é"])
def test_a_page_has_the_name_of_a_browser(tmp_path: Path, name: str) -> None:
    with pytest.raises(KeyError):
        Pages(tmp_path).of(name)


def test_a_disk_that_takes_nothing_changes_nothing(tmp_path: Path) -> None:
    page = Pages(tmp_path).of("b1")
    page.path.mkdir()  # no file can be opened there
    with pytest.raises(ChannelError):
        page.put(entry("a", "one"))
    assert page.record.all() == ()
    page.path.rmdir()
    page.put(entry("a", "one"))
    assert len(page.record.all()) == 1


# ------------------------------------------------------------------ Markdown as a tree


def nodes(tree: list[Any]) -> list[list[Any]]:
    found = []
    for node in tree:
        if not isinstance(node, str):
            found += [node, *nodes(node[2:])]
    return found


@pytest.mark.parametrize("script", SCRIPTS)
def test_nothing_in_an_answer_runs_or_loads_anything(script: str) -> None:
    for tag, attributes, *_ in nodes(tree_of(f"{script} **and** {script}\n\n- {script}")):
        assert tag in TAGS
        assert set(attributes) <= {"href", "lang", "start"}
        address = attributes.get("href", "https://")
        assert address.startswith(("https://", "http://", "mailto:"))


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*SCRIPTS, "> ", "- ", "\n", "*", "`"])).map("".join)
)
def test_any_text_is_a_tree_of_what_is_on_the_list(text: str) -> None:
    tree = tree_of(text)
    json.dumps(tree)
    for tag, attributes, *_ in nodes(tree):
        assert tag in TAGS and set(attributes) <= {"href", "lang", "start"}


def test_what_is_nested_without_end_is_shown_without_its_form() -> None:
    tree = nodes_of("<blockquote>" * 3_000 + "deep" + "</blockquote>" * 2_000)

    def depth(node: Any) -> int:
        return 0 if isinstance(node, str) else 1 + max(map(depth, node[2:]), default=0)

    assert max(map(depth, tree)) <= 42 and "deep" in json.dumps(tree)


def test_code_lists_and_links_keep_their_form() -> None:
    tree = tree_of("```py\nprint('<b>')\n```\n3. three\n\n[log](https://a.example/?a=1&b=2)")
    found = {tag: (attributes, inside) for tag, attributes, *inside in nodes(tree)}
    assert found["code"] == ({"lang": "py"}, ["print('<b>')\n"])
    assert found["ol"][0] == {"start": 3}
    assert found["a"] == ({"href": "https://a.example/?a=1&b=2"}, ["log"])
