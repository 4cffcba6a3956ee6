"""What a chat request may say, what is refused, and that no JSON breaks the reading of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.gateway.http.openai_embeddings import EmbeddingAsked, embedding_asked
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal
from moltbot_desktop.gateway.http.openai_fields import read_object
from moltbot_desktop.gateway.http.openai_messages import agent_words, for_model
from moltbot_desktop.gateway.http.openai_values import ChatAsked, chat_asked

USER: JsonValue = {"role": "user", "content": "hello"}
BASE: dict[str, JsonValue] = {"model": "moltbot", "messages": [USER]}


def asked(**fields: JsonValue) -> ChatAsked:
    return chat_asked({**BASE, **fields})


def tool(name: str = "f", **more: JsonValue) -> JsonValue:
    return {"type": "function", "function": {"name": name, **more}}


def test_what_is_not_said_is_as_the_protocol_has_it() -> None:
    assert asked() == ChatAsked("moltbot", (ChatMessage(Role.USER, "hello"),))
    nothing = dict.fromkeys(
        "n stop seed tools tool_choice response_format logit_bias stream stream_options".split()
    )
    assert asked(**nothing) == asked()


def test_what_changes_nothing_is_ignored() -> None:
    more: dict[str, JsonValue] = {"store": True, "metadata": {"a": "b"}, "service_tier": "auto"}
    zero: dict[str, JsonValue] = {"presence_penalty": 0, "frequency_penalty": 0.0, "n": 1}
    also: dict[str, JsonValue] = {"logprobs": False, "logit_bias": {}, "modalities": ["text"]}
    assert asked(**more, **zero, **also, whatever=[1]) == asked()


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"model": None}, "model"),
        ({"model": 7}, "model"),
        ({"model": "m" * 300}, "model"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [USER] * 2049}, "messages"),
        ({"messages": [{"role": "king", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0].type",
        ),
        (
            {"messages": [USER, {"role": "tool", "content": "x", "tool_call_id": "no"}]},
            "messages[1].tool_call_id",
        ),
        ({"n": 2}, "n"),
        ({"n": "1"}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"top_logprobs": 2}, "logprobs"),
        ({"logit_bias": {"5": 1}}, "logit_bias"),
        ({"presence_penalty": 0.5}, "presence_penalty"),
        ({"frequency_penalty": 3}, "frequency_penalty"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"modalities": ["audio"]}, "modalities"),
        ({"audio": {"voice": "x"}}, "audio"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"top_p": -0.1}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_completion_tokens": 1.5}, "max_completion_tokens"),
        ({"seed": 2**80}, "seed"),
        ({"stop": ["a"] * 5}, "stop"),
        ({"stop": [""]}, "stop"),
        ({"stop": [7]}, "stop"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"reasoning_effort": "extreme"}, "reasoning_effort"),
        ({"user": 7}, "user"),
        ({"tools": [{"type": "custom"}]}, "tools[0].type"),
        ({"tools": [{"type": "function"}]}, "tools[0].function"),
        ({"tools": [tool("a b")]}, "tools[0].function.name"),
        ({"tools": [tool(), tool()]}, "tools[1].function.name"),
        ({"tools": [tool(parameters={"type": "array"})]}, "tools[0].function.parameters"),
        ({"tools": [tool(f"f{n}") for n in range(129)]}, "tools"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": [tool()], "tool_choice": tool("g")}, "tool_choice"),
        ({"tools": [tool()], "tool_choice": "sometimes"}, "tool_choice"),
        ({"response_format": {"type": "grammar"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        (
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"schema": {"type": "array"}},
                }
            },
            "response_format.json_schema",
        ),
        ({"tools": [tool()], "response_format": {"type": "json_object"}}, "response_format"),
    ],
)
def test_what_cannot_be_done_is_refused_by_its_name(
    fields: dict[str, JsonValue], param: str
) -> None:
    with pytest.raises(ApiRefusal) as refused:
        asked(**fields)
    assert (refused.value.param, refused.value.status) == (param, 400)
    assert refused.value.message.endswith(".") and param.split(".")[-1] in refused.value.message


def test_the_newer_name_of_a_limit_goes_before_the_older() -> None:
    assert asked(max_tokens=5).max_tokens == 5
    assert asked(max_tokens=5, max_completion_tokens=7).max_tokens == 7


def test_parts_of_a_message_are_one_text() -> None:
    parts: JsonValue = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    [message] = asked(messages=[{"role": "user", "content": parts}]).messages
    assert message.content == "ab"


def test_a_call_and_its_result_belong_together() -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"a": "\\ud800"}'},
    }
    messages: JsonValue = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "7"},
    ]
    _, called, told = asked(messages=messages).messages
    assert called.tool_calls == (ToolCall("c1", "f", {"a": "\ufffd"}),)
    assert (told.tool_name, told.tool_call_id, told.content) == ("f", "c1", "7")


def test_arguments_that_are_no_object_are_refused() -> None:
    for arguments in ("[]", "{", "7", '{"a": ' * 99 + "1" + "}" * 99):
        call = {"id": "c", "function": {"name": "f", "arguments": arguments}}
        with pytest.raises(ApiRefusal):
            asked(messages=[{"role": "assistant", "tool_calls": [call]}])


def message(role: Role, text: str) -> ChatMessage:
    return ChatMessage(role, text, tool_name="clock" if role is Role.TOOL else "")


def test_a_model_reads_what_the_system_says_first() -> None:
    said = (message(Role.USER, "a"), message(Role.SYSTEM, "b"), message(Role.SYSTEM, "c"))
    assert [one.content for one in for_model(said)] == ["b\n\nc", "a"]
    for nobody in ((), said[1:], (said[0], message(Role.ASSISTANT, "d"))):
        with pytest.raises(ApiRefusal):
            for_model(nobody)


def test_an_agent_is_told_what_came_since_its_last_answer() -> None:
    said = (
        message(Role.USER, "one"),
        message(Role.ASSISTANT, "two"),
        message(Role.USER, "three"),
        message(Role.TOOL, "noon"),
    )
    told = agent_words(said, goes_on=True, alone=False)
    assert "one" not in told and told.endswith("Tool:clock: noon") and "User: three" in told
    assert agent_words(said[:3], goes_on=True, alone=False) == "three"
    assert "User: one" in agent_words(said, goes_on=False, alone=False)
    assert agent_words(said, goes_on=False, alone=True) == "noon"
    assert agent_words(said[:2], goes_on=False, alone=False) == "one"
    with pytest.raises(ApiRefusal, match="Missing user message"):
        agent_words(
            (message(Role.SYSTEM, "x"), message(Role.USER, " ")), goes_on=False, alone=False
        )


# ------------------------------------------------------------------------------------ any JSON

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = (
    "model messages tools tool_choice response_format stream stream_options stop seed n user "
    "temperature top_p max_tokens logprobs logit_bias modalities reasoning_effort functions"
).split()
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "system", "assistant", "tool", "x"])},
    optional={
        "content": ANY | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": ANY})),
        "tool_call_id": ANY,
        "tool_calls": ANY
        | st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.text(max_size=3),
                    "function": st.fixed_dictionaries({"name": ANY, "arguments": ANY}),
                }
            )
        ),
    },
)
TOOL = st.fixed_dictionaries(
    {
        "type": st.just("function"),
        "function": st.fixed_dictionaries({"name": st.just("f"), "parameters": ANY}),
    }
)
BODIES = st.fixed_dictionaries(
    {"model": st.just("moltbot") | ANY, "messages": st.lists(MESSAGE, max_size=3) | ANY},
    optional={"tools": st.lists(TOOL, max_size=2), **dict.fromkeys(NAMES[3:], ANY)},
)


@given(BODIES)
def test_any_json_is_read_or_refused(body: dict[str, JsonValue]) -> None:
    try:
        values = chat_asked(body)
    except ApiRefusal as refused:
        json.dumps(refused.body)
        return
    assert values.model and values.messages
    for one in values.messages:
        one.content.encode()  # whole characters


@given(
    st.binary(max_size=64) | st.text(max_size=64).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_an_object_or_refused(body: bytes) -> None:
    try:
        assert isinstance(read_object(body), dict)
    except ApiRefusal as refused:
        assert refused.status == 400


@given(
    st.fixed_dictionaries(
        {"model": ANY, "input": ANY}, optional={"encoding_format": ANY, "dimensions": ANY}
    )
)
def test_any_json_is_texts_or_refused(body: dict[str, JsonValue]) -> None:
    try:
        values = embedding_asked(body)
    except ApiRefusal as refused:
        assert refused.status == 400
        return
    assert isinstance(values, EmbeddingAsked) and all(values.texts)
