"""Prompts: nothing is lost, nothing in a content is ever a control token, nothing hangs."""

from __future__ import annotations

import functools
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.jinja_sandbox import MAX_CHARACTERS
from moltbot_desktop.models.neutral import Neutraliser
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.models.thinking import thinking_variables
from moltbot_desktop.sdk.models import ThinkingControl
from moltbot_desktop.sdk.tools import Effect, ToolSpec

# The usual shape of ChatML templates with tools, written down shortly.
CHATML = """
{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for m in messages %}{% if m.role == 'tool' %}<|im_start|>user
<tool_response>
{{ m.content }}
</tool_response><|im_end|>
{% elif m.role != 'system' %}<|im_start|>{{ m.role }}
{{ m.content }}
{%- for c in m.tool_calls or [] %}

<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endif %}{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if thinking %}<think>
{% endif %}{% endif %}"""
# Refuses a system message and roles that do not take turns, as Gemma's does.
STRICT = """{{ bos_token }}
{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}
{%- for m in messages %}
{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Roles must alternate') }}{% endif -%}
<start_of_turn>{{ m.role }}
{{ m.content | trim }}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %}"""
TOOL_LOOP = "{% for t in tools %}{{ t.function.name }}: {{ t.function.description }}{% endfor %}"
FORGETFUL = """{% set ns = namespace(last=0) %}{% for m in messages %}{% if m.role == 'user' %}
{%- set ns.last = loop.index0 %}{% endif %}{% endfor %}{% for m in messages[ns.last:] -%}
<|{{ m.role }}|> {{ m.content }}{% for c in m.tool_calls or [] %}{% if c.function.name == 'read' -%}
CALL {{ c.function.arguments['path'] }}{% endif %}{% endfor %}<|end|>{% endfor %}"""

CONTROL = frozenset({"<|im_start|>", "<|im_end|>", "<end_of_turn>", "<start_of_turn>", "[INST]"})
READ = ToolSpec(
    "read",
    "Reads a <file> & 'more', 文件",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    Effect.FILE_READ,
)
CALL = ToolCall("run1-c7", "read", {"path": "年/a <b>.md"})
DIALOGUE = (
    ChatMessage(Role.SYSTEM, "Be kind."),
    ChatMessage(Role.USER, "Read it"),
    ChatMessage(Role.ASSISTANT, "", tool_calls=(CALL,), thinking="secret thought"),
    ChatMessage(Role.TOOL, "the result", tool_call_id=CALL.id, tool_name="read"),
    ChatMessage(Role.ASSISTANT, "It says so."),
    ChatMessage(Role.USER, "Thanks, and now?"),
)
SAID = ["Be kind.", "Read it", "年/a <b>.md", "the result", "It says so.", "Thanks, and now?"]


@functools.cache  # immutable, and probing one takes a while
def template(source: str, today: date = date(2026, 3, 4)) -> ChatTemplate:
    return ChatTemplate(source, bos_token="<bos>", control_tokens=CONTROL, today=today)


def user(text: str) -> ChatMessage:
    return ChatMessage(Role.USER, text)


@pytest.mark.parametrize("source", [CHATML, STRICT, TOOL_LOOP + CHATML, "", "{% broken"])
def test_every_template_shows_everything_that_was_said_in_order(source: str) -> None:
    text = template(source).render(DIALOGUE, [READ])
    places = [text.find(words) for words in SAID]
    assert -1 not in places and places == sorted(places)
    assert "Reads a <file> & 'more', 文件" in text
    assert "secret thought" not in text


def test_a_template_that_knows_tools_and_calls_gets_them_as_data() -> None:
    known = template(CHATML)
    assert known.shows_tools and known.shows_calls and not known.problem
    text = known.render(DIALOGUE, [READ])
    assert '{"name": "read", "arguments": {"path": "年/a <b>.md"}}' in text
    assert text.count("# Tools") == 1
    assert text.endswith("<|im_start|>assistant\n")


def test_a_template_that_refuses_the_system_role_has_it_in_the_first_request() -> None:
    text = template(STRICT).render(DIALOGUE)
    assert text.startswith("<bos><start_of_turn>user\nBe kind.\n\nRead it<end_of_turn>")
    assert "<tool_call>" in text and "<tool_response>\nthe result\n</tool_response>" in text


def test_a_template_that_shows_no_tools_teaches_them_in_the_system_text() -> None:
    text = template(STRICT).render([user("hi")], [READ])
    assert "<tools>" in text and "<tool_call>" in text and '"name": "read"' in text
    assert template(STRICT).render([user("hi")]) == (
        "<bos><start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n"
    )


def test_two_requests_in_a_row_do_not_break_a_template_with_strict_turns() -> None:
    prompt = template(STRICT).render_prompt([user("one"), user("two")])
    assert "one\n\ntwo" in prompt.text and not prompt.fallback_reason and not prompt.stops


def test_a_template_that_fails_on_calls_as_data_gets_them_as_text() -> None:
    """Before ChatML: the model's own turns are worth more than its own way of calls."""
    twice = (
        "{% for m in messages %}{% if loop.previtem and m.role == loop.previtem.role %}"
        "{{ raise_exception('twice') }}{% endif %}{% endfor %}"
    )
    known = template(twice + CHATML)
    assert known.shows_calls
    prompt = known.render_prompt([user("one"), user("two")], [READ])
    assert "<|im_start|>user\none\n\ntwo<|im_end|>" in prompt.text
    assert not prompt.fallback_reason


def test_a_template_that_loops_over_tools_untested_is_used_without_tools_too() -> None:
    prompt = template(TOOL_LOOP + CHATML).render_prompt([user("hi")])
    assert "hi" in prompt.text and not prompt.fallback_reason


def test_the_fallback_s_own_markers_are_neutralised_in_every_vocabulary() -> None:
    text = ChatTemplate("").render([user("<|im_end|>")])
    assert text.count("<|im_end|>") == 1


def test_without_a_template_it_is_chatml_and_the_end_marker_stops() -> None:
    prompt = template("").render_prompt([ChatMessage(Role.SYSTEM, "S"), user("hi")])
    assert prompt.text == (
        "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert prompt.stops == ("<|im_end|>",) and prompt.fallback_reason


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{% broken", "broken"),
        ("{{ messages.nothing.at.all }}", "Undefined"),
        ("{{ raise_exception('not me') }}", "not me"),
        ("{{ 1 // 0 }}", "ZeroDivision"),
        ("always the same", "does not print"),
        ("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}", "steps"),
        ("{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}", "ecursion"),
        ("{% set x = 'a' * 999999999 %}", "characters"),
        ("{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}"
         "{% endfor %}", "characters"),
        ("{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}"
         "{% endfor %}", "characters"),
        ("{% set ns = namespace(x='aa') %}{% for i in range(9) %}"
         "{% set ns.x = ns.x.replace('a', ns.x) %}{% endfor %}", "characters"),
        ("{% set ns = namespace(x='aa') %}{% for i in range(9) %}"
         "{% set ns.x = ns.x | replace('a', ns.x) %}{% endfor %}", "characters"),
        ("{% set ns = namespace(x='aa') %}{% for i in range(9) %}"
         "{% set ns.x = ns.x | join(ns.x) %}{% endfor %}", "characters"),
        ("{% set ns = namespace(x='aa') %}{% for i in range(9) %}"
         "{% set ns.x = ns.x.join(ns.x) %}{% endfor %}", "characters"),
        ("{% for i in range(1000) %}{{ 'x' * 10000 }}{% endfor %}", "characters"),
        ("{% macro f() %}{% for i in range(1000) %}{{ 'x' * 10000 }}{% endfor %}{% endmacro %}"
         "{% set x = f() %}", "characters"),
        ("{% set x %}{% for i in range(1000) %}{{ 'x' * 10000 }}{% endfor %}{% endset %}",
         "characters"),
        ("{% set ns = namespace(x=[1]) %}{% for i in range(24) %}{% set ns.x = ns.x + ns.x %}"
         "{% endfor %}", "characters"),
        ("{% set x = ('{0}' * 1000).format('x' * 100000) %}", "characters"),
        ("{% set x = ('%(a)s' * 1000) % {'a': 'x' * 100000} %}", "characters"),
        ("{% set x = ('%900d' * 9000) % ((1,) * 9000) %}", "characters"),
        ("{% set x = ('x' * 1000).translate({120: 'x' * 1000000}) %}", "ecurity"),
        ("{% set x = 'x'.encode('utf-32') %}", "ecurity"),
        ("{% set x = (1).to_bytes(999999999, 'big') %}", "ecurity"),
        ("{% set x = ([[1] * 1000] * 1000) | sum(start=[]) %}", "numbers"),
        ("{{ 10 ** 10 ** 10 }}", "powers"),
        ("{{ '%999999999d' % 1 }}", "width"),
        ("{{ '{:999999999}'.format(1) }}", "width"),
        ("{{ 'a'.center(999999999) }}", "ecurity"),
        ("{{ 'a' | indent(999999999, true) }}", "characters"),
        ("{{ strftime_now('%999999999Y') }}", "width"),
        ("{{ messages.append(1) }}", "ecurity"),
        ("{{ ''.__class__.__mro__ }}", "ecurity"),
        ("{{ cycler.__init__.__globals__ }}", "ecurity"),
        ("{% include 'x' %}", "loader"),
        ("x" * 600_000, "longer"),
    ],
)  # fmt: skip
def test_a_template_that_fails_or_overreaches_means_chatml_with_the_reason(
    source: str, reason: str
) -> None:
    prompt = template(source + "{{ messages[-1].content }}" * ("same" not in source)).render_prompt(
        [user("hi")]
    )
    assert reason in prompt.fallback_reason
    assert "<|im_start|>user\nhi<|im_end|>" in prompt.text


def test_a_request_as_long_as_the_output_may_be_is_still_put() -> None:
    prompt = template(CHATML).render_prompt([user("x" * (MAX_CHARACTERS + 1))])
    assert prompt.fallback_reason and len(prompt.text) > MAX_CHARACTERS


def test_a_template_that_forgets_is_left_alone() -> None:
    """The starter: no system text, no tools, no history may reach its last request."""
    forgetful = template(FORGETFUL)
    assert forgetful.abilities.forgets and forgetful.call_format.name == "function-xml"
    assert forgetful.render(DIALOGUE[:4], [READ]) == (
        "<|user|> Read it<|end|><|assistant|> CALL 年/a <b>.md<|end|><|tool|> the result<|end|>"
    )
    correction = [user("Read it"), ChatMessage(Role.TOOL, "not a tool", tool_name="tool_call")]
    assert forgetful.render(correction) == "<|user|> Read it<|end|><|tool|> not a tool<|end|>"


def test_the_date_is_the_one_it_was_given() -> None:
    dated = template("{{ strftime_now('%d %b %Y') }} {{ messages[-1].content }}")
    assert dated.render([user("hi")]).startswith("04 Mar 2026 ")


def test_extra_variables_reach_the_template_and_open_thinking_is_told() -> None:
    quiet = template(CHATML).render_prompt([user("hi")])
    loud = template(CHATML).render_prompt([user("hi")], extra={"thinking": True})
    assert not quiet.opens_thinking and loud.opens_thinking
    assert loud.text == quiet.text + "<think>\n"


EFFORT = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    "{{ 'Reasoning: ' ~ (reasoning_effort or 'medium') }}"
)
SWITCH = CHATML.replace(
    "{% if thinking %}<think>\n{% endif %}",
    "{% if enable_thinking == false %}<think>\n\n</think>{% endif %}",
)


@pytest.mark.parametrize(
    ("source", "control", "off", "high"),
    [
        (CHATML, ThinkingControl.SWITCH, "assistant\n", "<think>\n"),
        (SWITCH, ThinkingControl.SWITCH, "<think>\n\n</think>", "assistant\n"),
        (EFFORT, ThinkingControl.EFFORT, "Reasoning: low", "Reasoning: high"),
        (STRICT, ThinkingControl.NONE, "model\n", "model\n"),
    ],
)
def test_a_level_of_thinking_reaches_the_templates_that_know_one(
    source: str, control: ThinkingControl, off: str, high: str
) -> None:
    made = template(source)
    assert made.abilities.thinking is control
    assert made.render([user("hi")], extra=thinking_variables("off")).endswith(off)
    assert made.render([user("hi")], extra=thinking_variables("xhigh")).endswith(high)
    assert made.render([user("hi")], extra=thinking_variables("")) == made.render([user("hi")])


def test_the_next_prompt_begins_with_the_last_one() -> None:
    """So that the model's cache of the prefix is kept."""
    for source in (CHATML, STRICT, ""):
        one = template(source)
        whole = one.render(DIALOGUE, [READ], add_generation_prompt=False)
        for count in (2, 4, 5):
            part = one.render(DIALOGUE[:count], [READ], add_generation_prompt=False)
            assert whole.startswith(part), (source, count)


def test_ids_of_calls_are_nine_letters_and_digits() -> None:
    source = (
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n"
        '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n'
        "</tool_call>({{ c.id }}){% endfor %}{% if m.tool_call_id %}[{{ m.tool_call_id }}]"
        "{% endif %}{% endfor %}"
    )
    text = template(source).render(DIALOGUE)
    assert "(call00000)" in text and "[call00000]" in text


# --- contents are never control tokens

MARKERS = [*sorted(CONTROL), "<tool_call>", "</tool_call>", "</tool_response>", "</tools>"]
evil = st.lists(
    st.sampled_from([*MARKERS, "<", "<|im_", "|>", "start|>", "hello", "\n", "<|", "]", "[INS"]),
    max_size=6,
).map("".join)


@pytest.mark.parametrize("source", [CHATML, STRICT, TOOL_LOOP + CHATML, ""])
@settings(max_examples=60)
@given(evil, evil, evil, evil)
def test_no_content_makes_a_control_token(
    source: str, words: str, result: str, value: str, description: str
) -> None:
    one = template(source)
    tool = ToolSpec("read", description, READ.parameters, Effect.NONE)
    call = ToolCall("c", "read", {"path": value})

    def prompt(text: str, told: str, tool: ToolSpec, call: ToolCall) -> str:
        return one.render(
            [
                ChatMessage(Role.SYSTEM, text),
                user(text),
                ChatMessage(Role.ASSISTANT, text, tool_calls=(call,)),
                ChatMessage(Role.TOOL, told, tool_call_id="c", tool_name="read"),
                user(text),
            ],
            [tool],
        )

    plain = prompt("x", "x", READ, ToolCall("c", "read", {"path": "x"}))
    hostile = prompt(words, result, tool, call)
    for marker in MARKERS:
        assert hostile.count(marker) == plain.count(marker), marker


def test_every_text_inside_a_value_is_neutralised_and_overlapping_markers_too() -> None:
    neutral = Neutraliser(["<a>", "><b", " ", "x"])
    assert neutral.value({"<a>": ["y<a><b", {"k": "<a>"}, 5, None]}) == {
        "<\u200ba>": ["y<\u200ba>\u200b<b", {"k": "<\u200ba>"}, 5, None]
    }


def test_what_is_neutralised_looks_the_same_to_a_person() -> None:
    text = template("").render([user("What does <|im_start|> mean?")])
    assert "What does <\u200b|im_start|> mean?" in text


def test_what_a_template_prints_is_structure_whatever_the_vocabulary_calls_it() -> None:
    source = "{% for m in messages %}<user><|turn>{{ m.content }}<turn|>[/INST]<b>{% endfor %}"
    known = ChatTemplate(source, defined_tokens=frozenset({"<user>", "<table>"}))
    marks = ["<user>", "<|turn>", "<turn|>", "[/INST]"]
    text = known.render([user(" ".join([*marks, "<b> <table> <system>"]))])
    assert [text.count(mark) for mark in marks] == [1, 1, 1, 1]
    assert "<b> <table> <system>" in text


def test_ordinary_markup_is_left_alone() -> None:
    words = "<b>bold</b> a < b <|x|> <table> [1]"
    assert words in template("").render([user(words)])
