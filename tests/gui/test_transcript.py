"""What stands in the document, whatever way the text came."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextBlock, QTextDocument
from PySide6.QtTest import QTest

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import Notice, NoticeKind
from moltbot_desktop.ui.entries import Replace, ToolEntry, ToolState
from moltbot_desktop.ui.place import PERMISSIONS
from moltbot_desktop.ui.transcript_view import WINDOW_MESSAGES
from tests.fakes.assistant_client import FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk, visible

RUN = RunId("r")
ANSWER = """Here is a **plan** with `code`:

- first
- second
  - nested

A paragraph after the list.

1. one
2. two

## 学习计划

```python
def hello(name: str) -> None:
    # 你好 🌍 greet
    print(f"hello {name}", 42)
```

> a quote
> of two lines

| Name | Value |
|---|---|
| a | 1 |

***
The end.
"""
PIECES = st.lists(
    st.sampled_from(
        [
            *("text ", "**bold** ", "`c`", "中文。", "\n", "\n\n", "---\n"),
            *("- item\n", "1. one\n", "# head\n", "> quote\n"),
            *("```\n", "```py\n", "x = 1\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n"),
        ]
    ),
    max_size=14,
).map("".join)


def stream(desk: Desk, pieces: list[str], *, run: RunId = RUN) -> None:
    """An answer in pieces, each drawn before the next comes."""
    desk.client.start(run, "go")
    for piece in pieces:
        desk.client.say(run, piece)
        desk.window.transcript.flush()
    desk.client.end(run, "".join(pieces))


def cut_at_random(text: str, seed: int) -> list[str]:
    chance = random.Random(seed)
    pieces, at = [], 0
    while at < len(text):
        size = chance.choice([1, 2, 5, 30])
        pieces.append(text[at : at + size])
        at += size
    return pieces


def blocks(document: QTextDocument) -> list[QTextBlock]:
    found, block = [], document.begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def block_with(desk: Desk, text: str) -> QTextBlock:
    (found,) = [one for one in blocks(desk.window.transcript.document()) if text in one.text()]
    return found


def layout_of(desk: Desk) -> list[tuple[str, bool, int, float, float]]:
    """Each visible line with what makes it look as it does."""
    return [
        (
            one.text(),
            one.textList() is not None,
            one.charFormat().fontWeight(),
            one.blockFormat().leftMargin(),
            one.blockFormat().bottomMargin(),
        )
        for one in blocks(desk.window.transcript.document())
        if one.text().strip()
    ]


def test_streaming_ends_in_exactly_the_text(desk: Desk) -> None:
    stream(desk, list(ANSWER))
    text = desk.text()
    for words in ("Here is a plan with code:", "nested", "学习计划", "a quote", "The end."):
        assert text.count(words) == 1
    assert '    print(f"hello {name}", 42)' in text
    assert "**" not in text
    assert "```" not in text
    desk.screenshot("answer-light-en")


@pytest.mark.parametrize("seed", range(4))
def test_a_streamed_answer_looks_like_the_same_answer_loaded(
    make_desk: MakeDesk, seed: int
) -> None:
    streamed, loaded = make_desk(), make_desk()
    stream(streamed, cut_at_random(ANSWER, seed))
    stream(loaded, [ANSWER])
    streamed.settle()
    loaded.settle()
    assert layout_of(streamed) == layout_of(loaded)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=PIECES, seed=st.integers(0, 99))
def test_any_markdown_in_any_pieces_gives_the_same_document(
    desk: Desk, text: str, seed: int
) -> None:
    texts = []
    for pieces in (cut_at_random(text, seed), [text]):
        desk.client.new_session()
        stream(desk, pieces)
        desk.window.transcript.finish_drawing()
        texts.append(desk.window.transcript.toPlainText())
    assert texts[0] == texts[1]


def test_a_paragraph_after_a_list_is_no_bullet(desk: Desk) -> None:
    stream(desk, list("- one\n- two\n\nAfter the list.\n\nAnd more."))
    desk.settle()
    assert block_with(desk, "one").textList() is not None
    assert block_with(desk, "After the list.").textList() is None
    assert block_with(desk, "And more.").textList() is None


def test_no_look_of_one_block_reaches_the_next(desk: Desk) -> None:
    stream(desk, ["# Big\n\nplain\n\n**bold**\n\nplain again\n\n`code`\n\nlast"])
    desk.settle()
    plain = block_with(desk, "plain again").charFormat()
    assert plain.fontPointSize() == block_with(desk, "last").charFormat().fontPointSize()
    assert block_with(desk, "Big").charFormat().fontPointSize() > plain.fontPointSize()
    assert not block_with(desk, "last").charFormat().fontFixedPitch()


def test_what_the_person_said_is_never_read_as_markup(desk: Desk) -> None:
    said = "<b>hi</b> **not bold**\n# no heading\n![x](http://127.0.0.1:9/x.png)"
    desk.client.start(RUN, said)
    assert desk.text() == said


def test_nothing_is_ever_loaded(desk: Desk) -> None:
    view = desk.window.transcript
    asked: list[object] = []
    for kind in QTextDocument.ResourceType:
        for address in ("http://127.0.0.1:9/x.png", "file:///etc/hostname", "x.css"):
            asked.append(view.loadResource(kind.value, QUrl(address)))
            asked.append(view.document().resource(kind.value, QUrl(address)))
    assert {bytes(one.data()) for one in asked if isinstance(one, QByteArray)} <= {b""}
    assert all(one is None or isinstance(one, QByteArray) for one in asked)
    stream(desk, ["![cat](http://127.0.0.1:9/cat.png) <img src='http://127.0.0.1:9/y.png'>"])
    assert "cat" in desk.text()
    assert "\ufffc" not in desk.text()


def test_code_is_coloured_and_copied_as_it_was_written(desk: Desk) -> None:
    code = 'def f():\n    return "你好 🌍"  # note'
    stream(desk, [f"```python\n{code}\n```\n"])
    desk.settle()
    view = desk.window.transcript
    line = block_with(desk, "return")
    looks = [one.format.foreground().color().name() for one in line.textFormats()]
    assert len(set(looks)) >= 3
    address = next(
        one.format.anchorHref()
        for block in blocks(view.document())
        for one in block.textFormats()
        if "copy-code" in one.format.anchorHref()
    )
    view.anchorClicked.emit(QUrl(address))
    assert QGuiApplication.clipboard().text() == code


def test_a_whole_answer_is_copied_as_markdown(desk: Desk) -> None:
    stream(desk, ["**Hi**"])
    desk.settle()
    view = desk.window.transcript
    view.anchorClicked.emit(QUrl(f"moltbot:copy/{view.entry_ids()[-1]}"))
    assert QGuiApplication.clipboard().text() == "**Hi**"


def test_a_stopped_answer_is_visibly_unfinished(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.say(RUN, "Half an ans")
    desk.client.end(RUN, "", OutcomeKind.CANCELLED)
    assert "Half an ans" in desk.text()
    assert "not finished" in desk.text()


def test_a_tool_card_opens_and_closes(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tool(RUN, "memory_store", {"text": "tea at five"}, "Noted.")
    assert "Remembered" in desk.text()
    assert "Noted." not in desk.text()
    card = desk.window.transcript.entry_ids()[-1]
    desk.window.transcript.anchorClicked.emit(QUrl(f"moltbot:fold/{card}"))
    assert "Noted." in desk.text()
    desk.window.transcript.anchorClicked.emit(QUrl(f"moltbot:fold/{card}"))
    assert "Noted." not in desk.text()


def test_a_tool_card_says_how_long_only_where_one_waited(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tool(RUN, "memory_store", {"text": "tea at five"}, "Noted.")
    assert desk.text().splitlines()[-1].endswith("Remembered ▸   tea at five")
    card = desk.window.transcript.entry_ids()[-1]
    for seconds, shown in ((0.049, ""), (0.05, "   0.05 s"), (12.34, "   12.3 s")):
        entry = ToolEntry("memory_store", ToolState.OK, {"text": "tea"}, seconds=seconds)
        desk.window.transcript.apply(Replace(card, entry))
        assert desk.text().splitlines()[-1] == f"✓  Remembered ▸   tea{shown}"


def test_what_names_a_command_of_the_shell_has_a_link_to_its_place(desk: Desk) -> None:
    gone: list[str] = []
    desk.window.place_requested.connect(lambda place, _what: gone.append(place))
    hint = "Safer: moltbot-desktop network open. Not: moltbot-desktop webpage"
    desk.client.tell(Notice("The seal is closed.", hint, kind=NoticeKind.CONVERSATION))
    assert desk.text().splitlines()[-1] == "Open “Safety”"
    desk.window.transcript.anchorClicked.emit(QUrl("moltbot:place/permissions"))
    assert gone == [PERMISSIONS]


def test_thoughts_are_folded_until_asked_for(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.say(RUN, "secret reasoning", thinking=True)
    assert "Thinking…" in desk.text()
    desk.client.say(RUN, "Answer")
    desk.client.end(RUN, "Answer")
    assert "secret reasoning" not in desk.text()
    entry = desk.window.transcript.entry_ids()[-1]
    desk.window.transcript.anchorClicked.emit(QUrl(f"moltbot:fold/{entry}"))
    assert "secret reasoning" in desk.text()
    assert desk.text().count("Answer") == 1


def test_only_the_last_messages_of_a_long_history_are_in_the_document(
    make_desk: MakeDesk,
) -> None:
    texts = [f"message {number}." for number in range(400)]
    desk = make_desk(FakeAssistantClient(items=stored(texts)))
    assert len(desk.window.transcript.entry_ids()) == WINDOW_MESSAGES
    assert "Load earlier messages" in desk.text()
    assert "message 399." in desk.text()
    assert "message 249." not in desk.text()


def test_earlier_messages_come_above_without_moving_what_is_read(make_desk: MakeDesk) -> None:
    texts = [f"message {number}." for number in range(400)]
    desk = make_desk(FakeAssistantClient(items=stored(texts)))
    bar = desk.window.transcript.verticalScrollBar()
    bar.setValue(0)
    from_end = bar.maximum() - bar.value()
    desk.window.transcript.anchorClicked.emit(QUrl("moltbot:earlier"))
    lines = [line for line in desk.text().split("\n") if line.startswith("message")]
    assert lines == texts[100:]
    assert abs((bar.maximum() - bar.value()) - from_end) < 40


def test_a_long_conversation_does_not_grow_the_document_for_ever(desk: Desk) -> None:
    for number in range(130):
        stream(desk, [f"answer {number}."], run=RunId(f"r{number}"))
    desk.settle()
    assert len(desk.window.transcript.entry_ids()) <= WINDOW_MESSAGES + 20
    assert "answer 129." in desk.text()
    assert "answer 0." not in desk.text()


def test_old_messages_leave_the_top_in_one_edit(make_desk: MakeDesk) -> None:
    """Each edit there lays out all that stands below it: twenty of them held the window 20 ms."""
    texts = [f"message {number}." for number in range(WINDOW_MESSAGES)]
    desk = make_desk(FakeAssistantClient(items=stored(texts)))
    view = desk.window.transcript
    before, taken = view.entry_ids(), []

    def on_change(place: int, removed: int, added: int) -> None:
        if removed > added and place < 100:
            taken.append(removed)

    view.document().contentsChange.connect(on_change)
    number = 0
    while not taken:
        stream(desk, ["more."], run=RunId(f"r{number}"))
        number += 1
        assert number < 20
    desk.settle()
    gone = [one for one in before if one not in view.entry_ids()]
    assert len(taken) == 1 and len(gone) > 1
    assert gone == list(before[: len(gone)])
    lines = [line for line in desk.text().split("\n") if line.startswith(("message", "Load"))]
    assert lines == ["Load earlier messages", *texts[len(gone) :]]


def test_a_reader_above_is_not_pulled_down(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored([f"message {n}." for n in range(60)])))
    bar = desk.window.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    place = bar.value()
    stream(desk, list("new words\n\n" * 10))
    desk.settle()
    assert bar.value() == place
    bar.setValue(bar.maximum())
    stream(desk, list("newer words\n\n" * 10), run=RunId("r2"))
    desk.settle()
    assert bar.value() == bar.maximum()


def test_a_reader_above_finds_the_way_back(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored([f"message {n}." for n in range(60)])))
    button = desk.window._to_end
    assert not button.isVisible()
    bar = desk.window.transcript.verticalScrollBar()
    bar.setValue(0)
    assert button.isVisible()
    desk.screenshot("reading-above-light-en")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert bar.value() == bar.maximum()
    assert not button.isVisible()


def test_a_huge_message_is_shown_in_part_and_says_so(desk: Desk) -> None:
    desk.client.start(RUN, "x" * 900_000)
    assert "888,000 more characters" in desk.text()


def test_a_change_of_theme_keeps_the_text(desk: Desk) -> None:
    from moltbot_desktop.ui.theme import DARK

    stream(desk, [ANSWER])
    before = desk.text()
    desk.window.set_theme(DARK)
    assert desk.text() == before


def test_removing_an_entry_leaves_its_neighbours(desk: Desk) -> None:
    stream(desk, ["first"], run=RunId("a"))
    desk.client.start(RunId("b"), "second")
    desk.client.say(RunId("b"), "NO_REP")
    desk.client.end(RunId("b"), "NO_REPLY", OutcomeKind.SILENT)
    stream(desk, ["third"], run=RunId("c"))
    lines = [line for line in desk.text().split("\n") if line != "Copy answer"]
    assert visible("\n".join(lines)) == "go\nfirst\nsecond\ngo\nthird"
