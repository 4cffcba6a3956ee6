"""All tools together: names, schemas, and a prompt that stays small."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.tools import Tool
from moltbot_desktop.tools.registry import ToolParts, core_tools, missing_tools
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory
from tests.fakes.reminders import FakeReminderBook
from tests.fakes.tool_context import call, tool_context

_CLOCK = ManualClock(datetime(2026, 11, 21, tzinfo=UTC))
_MEMORY = FakeMemory()
TOOLS = core_tools(ToolParts(_MEMORY, FakeReminderBook(_CLOCK), _CLOCK, FakeForgetting(_MEMORY)))
CORE_TABLE = {
    "memory_store": ["text"], "memory_search": ["query"], "memory_get": ["path", "from", "lines"],
    "reminder_add": ["when", "text"], "reminder_list": [], "read": ["path", "offset", "limit"],
    "write": ["path", "content"], "find_files": ["pattern"], "calc": ["expression"],
    "web_fetch": ["url"], "open": ["target"], "exec": ["command"], "screenshot": [],
    "weather_query": ["city"],
}  # fmt: skip
MOST_CHARACTERS = 2_400
"""Of all core specs as JSON: about 600 tokens of a 1,500 token prompt."""


def _properties(tool: Tool) -> dict[str, object]:
    properties = tool.spec.parameters["properties"]
    assert isinstance(properties, dict)
    return properties


def test_the_core_table_is_either_there_or_known_to_be_missing() -> None:
    core = {tool.spec.name for tool in TOOLS if tool.spec.core}
    at_the_desk = {"open"}
    assert core | at_the_desk | set(missing_tools()) - {"browser", "image"} == set(CORE_TABLE)
    assert not core & set(missing_tools())


def test_arguments_are_those_of_the_table_in_its_order() -> None:
    for tool in TOOLS:
        if tool.spec.core:
            assert list(_properties(tool)) == CORE_TABLE[tool.spec.name]


def test_tools_are_sorted_by_name() -> None:
    names = [tool.spec.name for tool in TOOLS]
    assert names == sorted(set(names))


def test_all_core_specs_together_stay_small() -> None:
    specs = [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
        for spec in (tool.spec for tool in TOOLS)
        if spec.core
    ]
    assert len(json.dumps(specs, separators=(",", ":"))) <= MOST_CHARACTERS


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.spec.name))
def test_schemas_are_flat_valid_and_short(tool: Tool) -> None:
    schema = dict(tool.spec.parameters)
    jsonschema.Draft202012Validator.check_schema(schema)
    properties = _properties(tool)
    assert len(properties) <= 3
    assert len(tool.spec.description.split()) <= 15
    for described in properties.values():
        assert isinstance(described, dict)
        assert described["type"] in ("string", "integer")
        assert len(str(described.get("description", "")).split()) <= 15
    required = schema["required"]
    assert isinstance(required, list)
    assert set(required) <= set(properties)
    assert set(tool.spec.path_arguments) <= set(properties)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.spec.name))
def test_a_call_without_arguments_asks_or_answers_but_never_raises(
    tool: Tool, language: Language
) -> None:
    result = call(tool, tool_context(language=language))
    needs_something = bool(tool.spec.parameters["required"])
    assert bool(result.question) == needs_something
    assert result.ok != needs_something
    if result.question:
        assert result.question.isascii() == (language is Language.ENGLISH)
        assert "error" in result.data


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.spec.name))
def test_empty_arguments_are_asked_for(tool: Tool) -> None:
    required = tool.spec.parameters["required"]
    assert isinstance(required, list)
    texts = [name for name in required if "string" in str(_properties(tool)[name])]
    if texts:
        assert call(tool, tool_context(), **dict.fromkeys(texts, "  ")).question


def test_missing_tools_have_a_sentence_in_both_languages() -> None:
    for missing in missing_tools().values():
        assert missing.sentence(Language.ENGLISH).startswith("I cannot")
        assert missing.sentence(Language.CHINESE).endswith("。")
