"""Sure keys are left out of what is kept; ordinary words, names and checksums never are."""

from __future__ import annotations

import inspect
import sysconfig
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.security.left_out import MARK, keys_in, without, without_in
from tests.unit.security.test_key_corpus import BY_FORM, made
from tests.unit.security.test_redaction import HEX, KINDS, LONG

KEY = f"sk-{LONG}"


@pytest.mark.parametrize(("begins", "goes_on"), KINDS)
def test_a_key_of_each_known_kind_is_found_wherever_it_stands(begins: str, goes_on: str) -> None:
    key = begins + goes_on
    for text in (key, f"curl -H 'Authorization: Bearer {key}'", f'{{"a": "{key}"}}', f"用 {key}。"):
        left = without(keys_in({"command": text}), text)
        assert key not in left
        assert goes_on[6:-4] not in left
        assert MARK in left


@pytest.mark.parametrize("kind", sorted(BY_FORM))
def test_a_key_of_each_kind_of_the_public_list_is_found(kind: str) -> None:
    key = made(BY_FORM[kind])
    assert key not in without(keys_in([key]), f"export KEY={key}"), key


@pytest.mark.parametrize(
    "address",
    [
        f"https://hooks.slack.com/services/T0123/B0123/{LONG}",
        f"https://discord.com/api/webhooks/12345678/{LONG}",
        f"https://api.telegram.org/bot8134567:{LONG}/sendMessage",
    ],
)
def test_what_makes_an_address_open_to_anybody_is_a_key(address: str) -> None:
    left = without(keys_in([address]), address)
    assert LONG not in left
    assert left.startswith(address[:20])


@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n"])
def test_a_private_key_is_left_out_with_each_of_its_lines(newline: str) -> None:
    lines = [LONG + letter * 28 for letter in "abcde"]
    begin = "-----BEGIN OPENSSH PRIVATE" + " KEY-----"
    block = newline.join((begin, *lines, begin.replace("BEGIN", "END")))
    keys = keys_in({"content": f"x = 1\n{block}\ny = 2"})
    assert without(keys, f"x = 1\n{block}\ny = 2").startswith(f"x = 1\n{begin}")
    assert "y = 2" in without(keys, f"x = 1\n{block}\ny = 2")
    for line in lines:
        assert line not in without(keys, block)
        assert line not in without(keys, f"+{line}\n-other")


@pytest.mark.parametrize(
    "words",
    [
        "class sk-estimator-doc-link sk-toggleable__content",
        "s.getElementsByTagNameAndClassName()",
        "4b1d" + HEX[:60],
        f"12345:{HEX}",
        "12345:some_long_identifier_of_a_variable",
        "hooks.slack.com/services/documentation/overview",
        'if text.startswith("-----BEGIN PRIVATE' + ' KEY-----"):\n    return parse(text, 12)\n' * 9,
        "-----BEGIN PRIVATE" + " KEY-----\n…\n-----END PRIVATE" + " KEY-----",
        "password=hunter2, api_key: sesame, token = abc",
        HEX,
        "AAHq9vQxk2Jd" * 8,
        "",
    ],
)
def test_what_only_looks_like_a_key_stays(words: str) -> None:
    assert keys_in({"text": words}) == ()


def test_of_ordinary_lines_at_most_one_in_a_hundred_is_touched() -> None:
    # Text and program text that nobody here wrote: the language's reference and its library.
    library = Path(sysconfig.get_paths()["stdlib"])
    own = [Path(inspect.__file__), library / "argparse.py", *sorted(library.glob("asyncio/*.py"))]
    texts = [*topics.values(), *(path.read_text("utf-8") for path in own)]
    lines = sum(len(text.splitlines()) for text in texts)
    assert lines > 20_000
    assert sum(len(keys_in([text])) for text in texts) <= lines / 100
    assert keys_in(list(topics.values())) == ()


def test_keys_are_found_in_names_and_lists_and_the_longer_one_goes_first() -> None:
    longer = f"{KEY}zzzz"
    assert keys_in({KEY: [{"a": [longer]}], "n": 3, "x": None, "y": True}) == (longer, KEY)
    value: JsonObject = {KEY: [{"a": [f"is {longer}"]}], "n": 3, "x": None}
    assert without_in((longer, KEY), value) == {MARK: [{"a": [f"is {MARK}"]}], "n": 3, "x": None}


def test_where_there_is_no_key_nothing_is_made_anew() -> None:
    value = {"a": ["b"]}
    assert without_in(keys_in(value), value) is value


def test_a_key_that_was_cut_goes_too() -> None:
    shown = without((KEY,), f"run curl {KEY[:20]}… and {KEY[:5]}… {KEY[:20]}")
    assert shown == f"run curl {MARK}… and {KEY[:5]}… {KEY[:20]}"


@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=3))
def test_any_text_can_be_looked_through(text: str, others: list[str]) -> None:
    value = {"text": text, "others": list(others)}
    keys = keys_in(value)
    assert without_in(keys, value) == value or keys
