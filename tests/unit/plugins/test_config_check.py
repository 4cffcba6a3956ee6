"""A plugin's settings: defaults filled in, every mistake with its path, nothing invented."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.plugin_entries import read_plugin_entries
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.config_check import check_config

SCHEMA = {
    "type": "object",
    "required": ["server"],
    "properties": {
        "units": {"type": "string", "enum": ["metric", "us"], "default": "metric"},
        "server": {
            "type": "object",
            "required": ["port"],
            "properties": {"port": {"$ref": "#/$defs/port"}, "name": {"type": "string"}},
        },
        "proxy": {"type": "object", "properties": {"port": {"type": "integer", "default": 1}}},
        "people": {
            "type": "array",
            "items": {"type": "object", "properties": {"age": {"type": "integer", "default": 7}}},
        },
    },
    "$defs": {"port": {"type": "integer", "minimum": 1, "default": 80}},
}


def checked(config, schema=SCHEMA, language=Language.ENGLISH):
    return check_config(schema, config, language)


def test_defaults_are_filled_in_where_something_is_written_or_needed() -> None:
    found = checked({"people": [{}, {"age": 9}]})
    assert found.mistakes == ()
    assert found.value == {
        "units": "metric",
        "server": {"port": 80},
        "people": [{"age": 7}, {"age": 9}],
    }
    assert checked({"proxy": {}}).value["proxy"] == {"port": 1}


@pytest.mark.parametrize("draft", ["http://json-schema.org/draft-07/schema#",
                                   "https://json-schema.org/draft/2020-12/schema"])  # fmt: skip
def test_all_mistakes_are_told_with_their_paths(draft: str) -> None:
    schema = {**SCHEMA, "$schema": draft}
    found = checked({"units": "kelvin", "server": {"port": 0}, "people": [{"age": "x"}]}, schema)
    assert {one.path for one in found.mistakes} == {"units", "server.port", "people[0].age"}
    chinese = checked({"units": "kelvin"}, schema, Language.CHINESE)
    assert "应" in chinese.mistakes[0].message


def test_a_schema_that_is_none_is_told() -> None:
    assert checked({}, {"type": "object", "properties": 3}).mistakes
    assert checked({}, {"$ref": "#/nowhere"}).value == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
WORDS = st.sampled_from(
    ["type", "properties", "default", "required", "items", "allOf", "$ref", "additionalProperties"]
)


@settings(max_examples=60)
@given(st.dictionaries(WORDS, JSON), st.dictionaries(st.text(max_size=4), JSON))
def test_whatever_a_schema_says_nothing_that_is_written_is_lost(schema, config) -> None:
    found = checked(config, schema)
    assert found.value.keys() >= config.keys()


def test_an_entry_with_a_mistake_costs_itself_alone() -> None:
    entries = {
        "sun": {"enabled": True, "config": {"key": "${SUN_KEY}"}},
        "rain": {"enabled": True, "config": {"key": "${RAIN_KEY}"}},
        "snow": {"enabled": "yes"},
        "hail": [],
        "wind": {"config": []},
    }
    found = read_plugin_entries({"plugins": {"entries": entries}}, {"SUN_KEY": "abc"})
    assert found["sun"].config == {"key": "abc"} and found["sun"].problem is None
    assert found["rain"].enabled and "RAIN_KEY" in found["rain"].problem.message
    assert found["snow"].enabled is None and found["snow"].problem
    assert found["hail"].problem and found["wind"].problem
    assert read_plugin_entries({"plugins": 3}, {}) == {}
