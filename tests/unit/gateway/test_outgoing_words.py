"""What may leave by a channel once words of others are in the conversation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.outgoing_words import addresses, without_new_links
from moltbot_desktop.tools.missing import missing_tools

ENGLISH = Language.ENGLISH
LIVE = re.compile(r"(?i)https?://|www\.|secret\.[a-z]")


def out(text: str, *said: str) -> str:
    return without_new_links(text, said, ENGLISH)


@pytest.mark.parametrize(
    "text",
    [
        "https://evil.example/?q=secret",
        "see HTTPS://EVIL.example/secret.",
        "![x](https://evil.example/secret.png)",
        "[click](https://evil.example/secret)",
        "[click](//secret.example)",
        "![x](//evil.example/secret.png)",
        "<https://evil.example/secret>",
        "www.evil.example/secret",
        "evil.example/secret",
        "secret.evil.example",
        "evil.example:8080/secret",
        "mailto:me@evil.example?body=secret",
        "data:text/html,secret",
        "https://evil.example/secret、再见",
        "`https://evil.example/secret`",
    ],
)
def test_a_link_that_nobody_wrote_does_not_go_out(text: str) -> None:
    told = out(text, "what do you know?")
    assert "left out" in told
    assert addresses(told) == frozenset()
    assert LIVE.search(told) is None


def test_only_exactly_what_was_written_before_goes_out() -> None:
    said = "Is https://example.org/a?x=1 any good? (also https://example.org/b)"
    assert out("Yes: https://example.org/a?x=1.", said) == "Yes: https://example.org/a?x=1."
    assert out("Try https://example.org/b!", said) == "Try https://example.org/b!"
    assert "left out" in out("https://example.org/a?x=1&y=secret", said)
    assert "left out" in out("https://example.org/a", said)  # how much is cut off would be a word


def test_what_a_sentence_of_the_program_names_goes_out_and_nothing_made_of_it() -> None:
    for sentence in missing_tools(memory=False).values():
        assert out(sentence.english) == sentence.english
        assert without_new_links(sentence.chinese, (), Language.CHINESE) == sentence.chinese
    name = "agents.defaults.memorySearch.enabled"
    for made in (f"{name}.evil.example", f"secret.{name}", f"https://{name}/secret", f"{name}/x"):
        assert "left out" in out(made)


def test_a_picture_is_a_link_at_most() -> None:
    assert out("![cat](https://a.example/c.png)", "https://a.example/c.png") == (
        "[cat](https://a.example/c.png)"
    )


@pytest.mark.parametrize(
    "text",
    ["Tea at four.", "and/or", "3.14/2", "e.g. this", "report.md is there", "v1.2.3", "1/2 cup",
     "你好。再见", "a@b", "..."],
)  # fmt: skip
def test_what_is_no_link_stays_as_it_is(text: str) -> None:
    assert out(text) == text


def test_it_says_which_host_and_no_program_follows_it() -> None:
    assert out("Look: https://docs.python.org/3/.") == "Look: [link left out: docs[.]python[.]org]."


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab/.:?#=[]()!<>w-@ \n`%", max_size=60))
def test_no_text_gets_a_new_address_out(text: str) -> None:
    assert addresses(out(text)) == frozenset()


@settings(max_examples=20, deadline=1000)
@given(st.sampled_from("a. a/ ht tp:// www. (a )".split(" ")), st.integers(1, 20_000))
def test_a_long_answer_takes_no_time(piece: str, times: int) -> None:
    out(piece * min(times, 100_000 // len(piece)))
