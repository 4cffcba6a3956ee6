"""Topics, payloads and the cursor of the MQTT channel: anybody may have written them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.mqtt.kept import Kept, mark_of
from moltbot_desktop.extensions.mqtt.payloads import (
    MOST_BYTES,
    NotReadable,
    Said,
    read_payload,
    write_payload,
)
from moltbot_desktop.extensions.mqtt.settings import settings_from
from moltbot_desktop.extensions.mqtt.topics import address, overlap

LEVELS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


@pytest.mark.parametrize(
    "written",
    ["", "+", "#", "a/b", "a/#", "+/+", "a/+/#", "a/+b", "a+/b", "$SYS/+", "$share/g/a/+", "a/+\0"],
)
def test_no_topic_without_exactly_one_place_for_the_sender(written: str) -> None:
    assert address(written) is None


@pytest.mark.parametrize("written", ["a/+", "+/a", "a/+/b", "/a/+", "a b/+/茶"])
def test_a_name_goes_in_and_comes_out(written: str) -> None:
    found = address(written)
    assert found is not None and found.filter == written
    topic = found.filled("kitchen 茶")
    assert topic == written.replace("+", "kitchen 茶")
    assert found.name_in(topic) == "kitchen 茶"
    for other in (f"{topic}/x", f"x/{topic}", topic.upper(), "", found.filter):
        assert found.name_in(other) == "" or other == topic


@given(st.lists(LEVELS, max_size=5).map("/".join), LEVELS)
def test_any_topic_and_any_name(written: str, name: str) -> None:
    found = address(written)
    if found is None:
        return
    topic = found.filled(name)
    if topic:
        assert found.name_in(topic) == name
        assert topic.count("/") == written.count("/")


def test_where_answers_would_come_back_is_known() -> None:
    def both(one: str, other: str) -> bool:
        first, second = address(one), address(other)
        assert first is not None and second is not None
        return overlap(first, second)

    assert both("a/+", "a/+") and both("a/+", "+/b") and both("+/in", "out/+")
    assert not both("a/+", "b/+") and not both("a/+", "a/+/b") and not both("a/+/in", "a/+/out")


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(data: bytes, as_json: bool) -> None:
    try:
        said = read_payload(data, as_json=as_json)
    except NotReadable as error:
        assert error.phrase in ("no_text", "no_json")
        return
    for text in (said.text, said.id, said.name):
        text.encode("utf-8")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["text", "id", "name", "x"]), JSON))
def test_any_object(value: dict[str, object]) -> None:
    data = json.dumps(value).encode()
    if not isinstance(value.get("text"), str):
        with pytest.raises(NotReadable, match="no_json"):
            read_payload(data, as_json=True)
        return
    said = read_payload(data, as_json=True)
    assert said.id == "" or isinstance(value["id"], str | int)
    assert not isinstance(value.get("id"), bool) or said.id == ""


def test_what_an_id_may_be() -> None:
    def read(text: str) -> str:
        return read_payload(text.encode(), as_json=True).id

    assert read('{"text": "a", "id": 7}') == read('{"text": "a", "id": "7"}') == "7"
    assert read(f'{{"text": "a", "id": "{"x" * 201}"}}') == ""
    assert read(f'{{"text": "a", "id": {"9" * 300}}}') == ""
    half = r'{"text": "\ud800", "id": "\udc00"}'
    assert read_payload(half.encode(), as_json=True) == Said("?", "?")


def test_what_is_too_long() -> None:
    assert read_payload(b"x" * MOST_BYTES, as_json=False).text
    with pytest.raises(NotReadable, match="too_long"):
        read_payload(b"x" * (MOST_BYTES + 1), as_json=False)


def test_an_answer_reads_back() -> None:
    written = write_payload('“茶” {"a"}', "id1", "7", as_json=True)
    assert json.loads(written) == {"text": '“茶” {"a"}', "id": "id1", "replyTo": "7"}
    assert "replyTo" not in json.loads(write_payload("a", "b", "", as_json=True))
    assert write_payload("茶", "id", "7", as_json=False) == "茶".encode()


@pytest.mark.parametrize("text", ["", "x", "{}", "[1, null]", "[" * 5_000, '["a", 7]'])
def test_a_cursor_of_somebody_else_is_none(text: str) -> None:
    assert set(Kept.parsed(text).marks) <= {"a"}


def test_the_last_ones_are_known() -> None:
    kept = Kept()
    for number in range(400):
        kept = kept.with_one(mark_of(number, "a/b", b"hello"))
    again = Kept.parsed(kept.text)
    assert again == kept and len(again.marks) == 300
    assert mark_of(399, "a/b", b"hello") in again.marks
    assert mark_of(399, "a/b", b"hello!") not in again.marks
    assert mark_of(0, "a/b", b"hello") not in again.marks


def test_settings_without_a_word_about_them() -> None:
    raw = {"host": "b", "listenTopic": "in/+", "answerTopic": "out/+"}
    settings = settings_from(raw, "main", Language.ENGLISH)
    assert (settings.port, settings.encrypted, settings.client_id) == (8883, True, "moltbot-main")
    open_one = settings_from({**raw, "tls": False, "format": "json"}, "", Language.ENGLISH)
    assert (open_one.port, open_one.as_json, open_one.client_id) == (1883, True, "moltbot-default")
    for language in Language:
        with pytest.raises(ChannelRefused, match="answerTopic"):
            settings_from({**raw, "answerTopic": "out"}, "", language)
