"""The starter's calls: their tokens are found, their arguments are the person's own words."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ModelFileInvalid
from moltbot_desktop.models.starter import (
    PointerMask,
    StarterArgument,
    StarterLayout,
)

TOOLS = {
    "memory_store": ["text"],
    "memory_get": ["path", "from?", "lines?"],
    "reminder_add": ["when", "text"],
    "reminder_list": [],
    "read": ["path"],
    "write": ["path", "content"],
    "find_files": ["pattern"],
    "calc": ["expression"],
    "open": ["target"],
}
OPEN = {
    name: f"<tool_call>\n<function={name}>\n"
    + (f"<parameter={keys[0].rstrip('?')}>\n" if keys else "</function>\n</tool_call>")
    for name, keys in TOOLS.items()
}
LATER = sorted({key.rstrip("?") for keys in TOOLS.values() for key in keys[1:]})
NEXT = {key: f"\n</parameter>\n<parameter={key}>\n" for key in LATER}
CLOSE = "\n</parameter>\n</function>\n</tool_call>"
PIECES = [
    "me",
    "ind",
    "▁re",
    "▁ca",
    "ll",
    "▁An",
    "na",
    "▁at",
    "▁the",
    "▁Ok",
    "af",
    "or",
    "pm",
    "txt",
]
VOCABULARY = [
    "<unk>", "<s>", "<|end|>",
    *OPEN.values(), *NEXT.values(), CLOSE,
    *(f"<0x{byte:02X}>" for byte in range(256)),
    "▁", *map(chr, range(33, 127)), *PIECES, *"记住提醒我明天点打开报告桌面搜的车牌号是在里找第行",
]  # fmt: skip
IDS = {piece: token for token, piece in reversed(list(enumerate(VOCABULARY)))}
LAYOUT = StarterLayout.from_vocab(VOCABULARY, json.dumps(TOOLS))


def encoded(text: str) -> list[int]:
    """Letters in the longest known pieces, everything else alone, unknown characters as bytes."""
    tokens: list[int] = []
    for word in re.findall("▁?[A-Za-z]+|.", text.replace(" ", "▁"), re.DOTALL):
        rest = word
        while rest:
            size = next((n for n in range(len(rest), 0, -1) if rest[:n] in IDS), 0)
            tokens += (
                [IDS[rest[:size]]] if size else [IDS[f"<0x{b:02X}>"] for b in rest[0].encode()]
            )
            rest = rest[size or 1 :]
    return tokens


def spelled(tokens: Sequence[int]) -> str:
    raw = b"".join(
        bytes([int(VOCABULARY[t][3:5], 16)])
        if VOCABULARY[t].startswith("<0x")
        else VOCABULARY[t].replace("▁", " ").encode()
        for t in tokens
    )
    return raw.decode()


def mask(request: str) -> PointerMask:
    ids = encoded(" " + request)
    return PointerMask(LAYOUT, ids, [VOCABULARY[token] for token in ids])


def call(tool: str, *arguments: tuple[str, str], close: bool = True) -> list[int]:
    tokens = [IDS[OPEN[tool]]]
    for place, (name, value) in enumerate(arguments):
        tokens += ([IDS[NEXT[name]]] if place else []) + encoded(value)
    return [*tokens, IDS[CLOSE]] if close and arguments else tokens


def permits(request: str, tool: str, *arguments: tuple[str, str]) -> bool:
    """Whether this call can be written; a value may have the blank that stands before it."""
    blanks = itertools.product(["", " "], repeat=len(arguments))
    ways = (
        call(
            tool,
            *((name, blank + value) for blank, (name, value) in zip(row, arguments, strict=True)),
        )
        for row in blanks
    )
    given_mask = mask(request)
    return any(_walks(given_mask, way) for way in ways)


def _walks(given_mask: PointerMask, tokens: Sequence[int]) -> bool:
    for place, token in enumerate(tokens):
        allowed = given_mask.allowed(tokens[:place])
        if allowed is not None and token not in allowed:
            return False
    return True


# --- the layout


def test_the_call_tokens_are_found() -> None:
    assert VOCABULARY[LAYOUT.openings["read"]] == OPEN["read"]
    assert VOCABULARY[LAYOUT.openings["reminder_list"]] == OPEN["reminder_list"]
    assert {name: VOCABULARY[token] for name, token in LAYOUT.separators.items()} == NEXT
    assert VOCABULARY[LAYOUT.close] == CLOSE
    assert LAYOUT.tools["memory_get"] == (
        StarterArgument("path", True),
        StarterArgument("from", False),
        StarterArgument("lines", False),
    )
    assert {VOCABULARY[token] for token in LAYOUT.operators} == set("+-*/()%^▁")


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "names no tools"),
        ("{}", "names no tools"),
        ('{"read": "path"}', "no list"),
        ('{"read": [1]}', "no text"),
        ('{"read": ["path?"]}', "is optional"),
        ('{"write": ["path", "path?"]}', "twice"),
        ('{"re ad": ["path"]}', "a name that is none"),
        ('{"read": ["pa\\nth"]}', "a name that is none"),
        ('{"exec": ["command"]}', "no token"),
        ('{"read": ["path", "unit"]}', "no token"),
    ],
)
def test_a_file_that_is_no_starter_is_refused_with_the_reason(tools: str, reason: str) -> None:
    with pytest.raises(ModelFileInvalid, match=reason):
        StarterLayout.from_vocab(VOCABULARY, tools)


def test_a_missing_closing_token_is_refused() -> None:
    tokens = [token for token in VOCABULARY if token != CLOSE]
    with pytest.raises(ModelFileInvalid, match="no token"):
        StarterLayout.from_vocab(tokens, json.dumps(TOOLS))


# --- where the mask says nothing


def test_an_answer_in_words_is_free() -> None:
    given_mask = mask("call Anna")
    assert given_mask.allowed([]) is None
    assert given_mask.allowed(encoded("Hello")) is None


def test_a_whole_call_is_left_to_the_caller() -> None:
    given_mask = mask("remember milk")
    assert given_mask.allowed(call("reminder_list")) is None
    assert given_mask.allowed(call("memory_store", ("text", " milk"))) is None


# --- what an argument may be


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        ("remind me at 7:30 pm to call Anna", "reminder_add",
         [("when", "at 7:30 pm"), ("text", "call Anna")]),
        ("Remember that my dentist is Dr. Okafor, phone 555-0142", "memory_store",
         [("text", "my dentist is Dr. Okafor, phone 555-0142")]),
        ("记住我的车牌号是沪A12345", "memory_store", [("text", "我的车牌号是沪A12345")]),
        ("明天9点提醒我打开报告", "reminder_add", [("when", "明天9点"), ("text", "打开报告")]),
        ("read docs/a b.txt", "read", [("path", "docs/a")]),
        ("打开~/docs/a.txt", "read", [("path", "~/docs/a.txt")]),
        ("打开报告.txt", "read", [("path", "报告.txt")]),
        ("搜.log", "find_files", [("pattern", ".log")]),
        ('write "hi" to a.txt.', "write", [("path", "a.txt"), ("content", "hi")]),
        ("open https://a.b/c?d=1, please", "open", [("target", "https://a.b/c?d=1")]),
        ("what's Anna's number", "memory_store", [("text", "Anna")]),
        ("note: Müller owes 3.50€ 😀👍🏽", "memory_store", [("text", "Müller owes 3.50€ 😀👍🏽")]),
        ("lines 5 to 12 of a.md", "memory_get", [("path", "a.md"), ("from", "5"), ("lines", "12")]),
        ("12 lines of a.md", "memory_get", [("path", "a.md"), ("lines", "12")]),
        ("read a.md", "memory_get", [("path", "a.md")]),
        ("在a.md里找第5行", "memory_get", [("path", "a.md"), ("from", "5")]),
        ("what is 12 times 3.5?", "calc", [("expression", "12 * 3.5")]),
        ("divide 100 by 8", "calc", [("expression", "(100 / 8)")]),
        ("15% of 80", "calc", [("expression", "80*15%")]),
        ("1,000 plus 5", "calc", [("expression", "1000 + 5")]),
        ("what is 12 plus 7?", "calc", [("expression", "12 plus 7")]),
        ("12 times 12", "calc", [("expression", "12 * 12")]),
        ("how much is 35%", "calc", [("expression", "35%")]),
        ("remember 'call Anna' at 9", "memory_store", [("text", "call Anna")]),
        ("remember 'call Anna' at 9", "memory_store", [("text", "remember 'call Anna' at 9")]),
        ("“记住我的车”", "memory_store", [("text", "我的车")]),
        ("in a.txt write {\"a\": [1, 2]}", "write",
         [("path", "a.txt"), ("content", "{\"a\": [1, 2]}")]),
        ("a.py with print(\"hi there\")", "write",
         [("path", "a.py"), ("content", "print(\"hi there\")")]),
        ("call me (Anna) at 9", "memory_store", [("text", "call me")]),
        ("[call Anna]", "memory_store", [("text", "call Anna")]),
        ("don't call the dogs' doctor", "memory_store", [("text", "call the dogs")]),
        ("open D:\\Scans\\tax form 2.pdf now", "open", [("target", "D:\\Scans\\tax form 2.pdf")]),
        ("open D:\\a.txt and b.txt", "open", [("target", "D:\\a.txt")]),
        ("明天 10:15 call", "reminder_add", [("when", "明天 10:15"), ("text", "call")]),
        ("for Friday at 6: call", "reminder_add", [("when", "Friday at 6"), ("text", "call")]),
        ("by Monday 9am, call", "reminder_add", [("when", "by Monday 9am"), ("text", "call")]),
        ("note: 8:30, then tea", "memory_store", [("text", "note: 8:30, then tea")]),
        ("remember tea, please call", "memory_store", [("text", "tea, please call")]),
        ("记住我的车，谢谢", "memory_store", [("text", "我的车")]),
        ("9:30 reminder ring Bo", "reminder_add", [("when", "9:30"), ("text", "ring Bo")]),
        ("六点提醒我吃药", "reminder_add", [("when", "六点"), ("text", "吃药")]),
        ("look in C:\\old for a-b.txt", "find_files", [("pattern", "a-b.txt")]),
    ],
)  # fmt: skip
def test_the_right_call_can_always_be_written(
    request_text: str, tool: str, arguments: list[tuple[str, str]]
) -> None:
    assert permits(request_text, tool, *arguments)


@pytest.mark.parametrize(
    ("request_text", "tool", "arguments"),
    [
        ("call Anna", "memory_store", [("text", "call Bob")]),
        ("call Anna", "memory_store", [("text", "Anna call")]),
        ("call Anna", "memory_store", [("text", "call Ann")]),
        ("call Anna", "memory_store", [("text", "all Anna")]),
        ("call Anna", "memory_store", [("text", "")]),
        ("call  5", "memory_store", [("text", " ")]),
        ("at 17:30 call", "memory_store", [("text", "at 17")]),
        ("at 7 pm call", "memory_store", [("text", "at 7")]),
        ("it costs 3.50 now", "memory_store", [("text", "it costs 3")]),
        ("pay $50 now", "memory_store", [("text", "50 now")]),
        ("code AB-1234 x", "memory_store", [("text", "code AB")]),
        ("code AB-1234-C x", "memory_store", [("text", "code AB-1234")]),
        ("see Dr. Okafor now", "memory_store", [("text", "see Dr.")]),
        ("see Dr. Okafor now", "memory_store", [("text", "Okafor now")]),
        ("don't go", "memory_store", [("text", "t go")]),
        ("Müller pays", "memory_store", [("text", "ller pays")]),
        ("note 👍🏽 x", "memory_store", [("text", "note 👍")]),
        ("read docs/a.txt", "read", [("path", "a.txt")]),
        ("read docs/a.txt", "read", [("path", "docs/a")]),
        ("read docs/a.txt", "read", [("path", "docs")]),
        ("read ~/a.txt", "read", [("path", "a.txt")]),
        ("find a*b", "find_files", [("pattern", "a")]),
        ("打开报告.txt", "read", [("path", "报告")]),
        ("打开桌面/a.txt", "read", [("path", "桌面")]),
        # Nor with the blank in front that the template puts there.
        ("把报告.txt打开", "open", [("target", "把报告.txt")]),
        ("open https://a.b/c?d=1", "open", [("target", "https://a.b/c")]),
        ("remind me at 9 to call", "reminder_add", [("when", "at 9"), ("text", "me at 9 to")]),
        ("write a.txt a.md", "write", [("path", "a.txt"), ("content", "a.txt")]),
        ("lines 5 of a7.md", "memory_get", [("path", "a7.md"), ("from", "7")]),
        ("the room v7 in a.md", "memory_get", [("path", "a.md"), ("from", "7")]),
        ("line 55 of a.md", "memory_get", [("path", "a.md"), ("from", "5")]),
        ("read a.md", "memory_get", [("path", "a.md"), ("from", "1")]),
        ("12 times 35", "calc", [("expression", "12 * 3")]),
        ("12 times 35", "calc", [("expression", "12 * 36")]),
        ("12 times 35", "calc", [("expression", "1235")]),
        ("12 times 35", "calc", [("expression", "12 *")]),
        ("12 times 35", "calc", [("expression", "35")]),
        ("12 times 35", "calc", [("expression", "(12 * 35")]),
        ("12 times 35", "calc", [("expression", "12) * 35")]),
        ("12 times 35", "calc", [("expression", "12) * (35")]),
        ("12 times 3.5", "calc", [("expression", "12 * 3")]),
        ("1,000 plus 5", "calc", [("expression", "1 + 5")]),
        ("12 times 35", "calc", [("expression", "12 * 12")]),
        ("12 times 35", "calc", [("expression", "12 * 35 * 35")]),
        ("12 times 35", "calc", [("expression", "12 * 35 +")]),
        ("remember 'call Anna' at 9", "memory_store", [("text", "Anna")]),
        ("remember 'call Anna' at 9", "memory_store", [("text", "call Anna' at 9")]),
        ("remember 'call Anna' at 9", "memory_store", [("text", "remember 'call Anna")]),
        ('run "call Anna"', "memory_store", [("text", 'call Anna"')]),
        ('in a.txt write {"a": 1}', "memory_store", [("text", "a")]),
        ('a.py with print("hi")', "memory_store", [("text", "hi")]),
        ('a.py with print("hi")', "memory_store", [("text", '("hi")')]),
        ('write {"a":"hi"}', "memory_store", [("text", "hi")]),
        ("open D:\\Scans\\tax form.pdf", "open", [("target", "D:\\Scans\\tax")]),
        ("明天 10:15 call", "reminder_add", [("when", "明天"), ("text", "call")]),
        ("at 2026-12-03 09:00 call", "memory_store", [("text", "at 2026-12-03")]),
        ("by Monday 9am, call", "reminder_add", [("when", "by Monday"), ("text", "call")]),
        ("on Friday 17:30 call", "reminder_add", [("when", "on Friday"), ("text", "call")]),
        ("for Friday at 6: call", "reminder_add", [("when", "Friday at 6:"), ("text", "call")]),
        ("Friday at 6: call me", "reminder_add", [("when", "Friday at 6: call"), ("text", "me")]),
        ("9:30 reminder ring Bo", "reminder_add", [("when", "9:30 reminder"), ("text", "ring Bo")]),
        ("Bo, remind me at 6", "reminder_add", [("when", "remind me at 6"), ("text", "Bo")]),
        ("六点提醒我吃药", "reminder_add", [("when", "六点提醒"), ("text", "吃药")]),
        ("remember tea, please", "memory_store", [("text", "tea, please")]),
        ("remember tea, then", "memory_store", [("text", "tea,")]),
        ("记住我的车，谢谢", "memory_store", [("text", "我的车，谢谢")]),
        ("记住我的车，明天", "memory_store", [("text", "我的车，")]),
    ],
)
def test_what_was_not_said_or_cuts_what_belongs_together_cannot_be_written(
    request_text: str, tool: str, arguments: list[tuple[str, str]]
) -> None:
    assert not permits(request_text, tool, *arguments)


def test_a_second_argument_may_use_the_other_place_where_the_same_words_stand() -> None:
    assert permits("write x x", "write", ("path", "x"), ("content", "x"))
    assert not permits("write x", "write", ("path", "x"), ("content", "x"))


def test_a_required_argument_without_words_left_is_closed_empty() -> None:
    """The program asks for it; nothing is made up."""
    given_mask = mask("hi")
    written = call("write", ("path", " hi"), ("content", ""), close=False)
    assert given_mask.allowed(written) == {LAYOUT.close}


def test_an_optional_number_is_not_begun_when_the_request_has_none() -> None:
    written = call("memory_get", ("path", " a.md"), close=False)
    assert mask("read a.md").allowed(written) == {LAYOUT.close}
    assert IDS[NEXT["from"]] in (mask("read a.md from 5").allowed(written) or ())


def test_a_number_does_not_begin_inside_the_bytes_of_the_character_before_it() -> None:
    written = [*call("memory_get", ("path", " a.md"), close=False), IDS[NEXT["from"]]]
    assert mask("a.md 😀5").allowed(written) == {IDS["5"]}


def test_a_required_argument_is_never_skipped() -> None:
    tools = {"write": ["path", "content", "text"]}
    layout = StarterLayout.from_vocab(VOCABULARY, json.dumps(tools))
    ids = encoded(" write a b c")
    given_mask = PointerMask(layout, ids, [VOCABULARY[token] for token in ids])
    allowed = given_mask.allowed(call("write", ("path", " a"), close=False)) or frozenset()
    assert IDS[NEXT["content"]] in allowed
    assert not allowed & {IDS[NEXT["text"]], layout.close}


def test_a_sum_that_goes_on_and_on_is_brought_to_an_end() -> None:
    request_text = "12 and " * 40
    given_mask = mask(request_text)
    assert given_mask.allowed(call("calc", ("expression", " 12" + "*12" * 30), close=False)) == {
        LAYOUT.close
    }
    unfinished = call("calc", ("expression", "(12" + "*12" * 30 + "*"), close=False)
    assert given_mask.allowed(unfinished) == {IDS["1"]}
    assert given_mask.allowed([*unfinished, IDS["1"], IDS["2"]]) == {IDS[")"]}
    assert mask("12 times 35").allowed(call("calc", ("expression", "(" * 70), close=False)) == {
        IDS["1"],
        IDS["3"],
    }


def test_a_sum_ends_when_every_number_was_used() -> None:
    written = call("calc", ("expression", "(12 * 35"), close=False)
    assert mask("12 times 35").allowed(written) == {IDS[")"], IDS["%"]}


def test_an_empty_request_gives_an_empty_call() -> None:
    nothing = PointerMask(LAYOUT, [], [])
    assert nothing.allowed([IDS[OPEN["read"]]]) == {LAYOUT.close}
    assert nothing.allowed([IDS[OPEN["write"]]]) == {IDS[NEXT["content"]]}


words = st.lists(
    st.one_of(
        st.sampled_from(
            ["remind me", "Anna", "at", "7:30", "12", "3.5", "a.txt", "docs/b.md", "Dr."]
        )
        | st.sampled_from(
            ["Okafor", "记住我的", "报告", "，", "?", '"', "don't", "😀", "é", "\n", "1,000"]
        ),
        st.text(max_size=4).filter(lambda text: text.isprintable()),
    ),
    max_size=8,
)


@settings(max_examples=200)
@given(words.map(" ".join), st.sampled_from(sorted(TOOLS)), st.integers(0, 2**32))
def test_every_path_through_the_mask_ends_and_spells_the_request(
    request_text: str, tool: str, seed: int
) -> None:
    rng, given_mask = random.Random(seed), mask(request_text)
    tokens = [IDS[OPEN[tool]]]
    while (allowed := given_mask.allowed(tokens)) is not None:
        assert allowed, "a dead end"
        tokens.append(rng.choice(sorted(allowed)))
        assert len(tokens) < 1000, "no end"
    values = re.split(r"\n</parameter>\n<parameter=\w+>\n", _inner(tokens))
    for value in values if TOOLS[tool] else []:
        if value in " " + request_text:
            continue
        assert tool == "calc" and re.fullmatch(r"[\d.+\-*/()%^ ]*", value)
        said = re.findall(r"\d+(?:\.\d+)?|\.\d+", request_text.replace(",", ""))
        said += re.findall(r"\d+(?:\.\d+)?|\.\d+", request_text)
        assert set(re.findall(r"[\d.]+", value)) <= set(said)


def _inner(tokens: Sequence[int]) -> str:
    return spelled(tokens[1:]).removesuffix(CLOSE)


@given(
    st.lists(st.sampled_from(range(len(VOCABULARY))), max_size=12),
    st.lists(st.sampled_from(range(len(VOCABULARY))), max_size=12),
)
def test_any_tokens_are_answered(request_ids: list[int], generated: list[int]) -> None:
    given_mask = PointerMask(LAYOUT, request_ids, [VOCABULARY[token] for token in request_ids])
    allowed = given_mask.allowed(generated)
    assert allowed is None or allowed
