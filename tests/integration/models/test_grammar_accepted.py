"""llama.cpp takes our grammars, and reads them as our own machine in the unit tests does."""

from __future__ import annotations

import random
import time

import pytest

from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.grammar import call_grammar
from moltbot_desktop.models.llama import LlamaContext
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.grammar_machine import GrammarMachine

each_format = pytest.mark.parametrize(
    "call_format", [HermesFormat(), FunctionXmlFormat()], ids=lambda f: f.name
)
RICH = ToolSpec(
    "rich",
    "Every kind of argument",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1},
            "short": {"type": "string", "minLength": 3, "maxLength": 40},
            "long": {"type": "string", "maxLength": 5000},
            "count": {"type": "integer", "minimum": -17, "maximum": 2026},
            "any_count": {"type": "integer"},
            "ratio": {"type": "number"},
            "flag": {"type": "boolean"},
            "kind": {"enum": ["a", 'b "quoted" \\', "你好", 3, None]},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "place": {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": ["integer", "null"]}},
                "required": ["x"],
            },
        },
        "required": ["count", "place"],
    },
    Effect.NONE,
)


def _walk(context: LlamaContext, grammar: str, text: str) -> None:
    """Every token of `text` is allowed in turn, and then only the end."""
    sampler = context.grammar(grammar)
    try:
        for token in context.tokenize(text, special=False):
            assert sampler.allows(token), (text, context.piece(token))
            sampler.accept(token)
        assert any(sampler.allows(token) for token in context.end_tokens), text
        assert not sampler.allows(context.tokenize("x", special=False)[-1])
    finally:
        sampler.close()


@each_format
@pytest.mark.parametrize("limit", [1, 33, 4096, 1_000_000])
def test_a_grammar_is_accepted_at_any_length_of_texts(
    context: LlamaContext, call_format: CallFormat, limit: int
) -> None:
    grammar = call_grammar(call_format, [*BUILT_IN, RICH], string_limit=limit)
    started = time.process_time()
    context.grammar(grammar).close()
    # A bound of a million characters must not become a million rules: generous, because
    # machines differ, and far from the minutes that a plain repeat takes.
    assert time.process_time() - started < 5


@each_format
@pytest.mark.parametrize("seed", range(12))
def test_sentences_of_a_grammar_pass_llama_cpp(
    context: LlamaContext, call_format: CallFormat, seed: int
) -> None:
    grammar = call_grammar(call_format, [*BUILT_IN, RICH], string_limit=200)
    machine, rng = GrammarMachine(grammar), random.Random(seed)
    for _ in range(4):
        _walk(context, grammar, machine.sentence(rng))


@each_format
def test_a_long_text_passes_llama_cpp_quickly(
    context: LlamaContext, call_format: CallFormat
) -> None:
    """The blocks of a bounded text keep few states open."""
    write = next(tool for tool in BUILT_IN if tool.name == "write")
    grammar = call_grammar(call_format, [write], string_limit=100_000)
    content = "line of text, 一行文字\\n" * 60
    if call_format.name == "hermes":
        text = f'\n{{"name": "write", "arguments": {{"path": "a", "content": "{content}"}}}}\n'
    else:
        value = content.replace("\\n", "\n")
        text = (
            "\n<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n"
            f"{value}\n</parameter>\n</function>\n"
        )
    _walk(context, grammar, text + call_format.close)
