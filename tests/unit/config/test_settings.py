"""One declaration gives defaults, checks, unknown-key hints and the JSON Schema."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.declaration import Section
from moltbot_desktop.config.sections import (
    UnsetVariable,
    WrongSetting,
    check_part,
    part_from_record,
)
from moltbot_desktop.config.settings import Config, ModelsConfig, json_schema, parts
from moltbot_desktop.config.strangers import UnknownKey, unknown_keys, unused_keys
from moltbot_desktop.config.structures import settings_of, underscored
from moltbot_desktop.config.substitute import MissingVariable, substitute
from moltbot_desktop.config.waiting import WAITING
from tests.unit.config.whole_file import WHOLE

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def checked(attribute, raw, **environment):
    return check_part(attribute, raw, environment)


def test_an_empty_file_means_the_defaults():
    for attribute, part in parts().items():
        found = checked(attribute, {})
        assert (found.value, found.mistakes, found.written) == (part.default, (), {})
    assert Config().models.context_tokens == 8192
    assert Config().agent.timeout_seconds == 600


EXCLUSIVE = (".allow", ".alsoAllow")
"""Of each pair only one can be written; both are seen below `tools`."""


def assert_all_differ(value, default, path):
    for setting in settings_of(default):
        one, usual = getattr(value, setting.attribute), getattr(default, setting.attribute)
        place = f"{path}.{setting.path}"
        assert one != usual or place.endswith(EXCLUSIVE), place
        if isinstance(usual, Section):
            assert_all_differ(one, usual, place)


def test_every_setting_is_read_from_its_place():
    for attribute, part in parts().items():
        found = checked(attribute, WHOLE)
        assert found.mistakes == ()
        if isinstance(part.default, Section):
            assert_all_differ(found.value, part.default, part.path)
        else:
            assert found.value != part.default
    for entry in checked("agents", WHOLE).value[:1]:
        assert_all_differ(entry, type(entry)(), "agents.list")
    assert checked("agent", WHOLE).value.workspace == Path("/data/notes")
    assert checked("memory", WHOLE).value.sources == ("sessions", "memory")
    assert unknown_keys(WHOLE) == ()
    waiting = {re.sub(r"\[\d+\]", "", path) for path in unused_keys(WHOLE)}
    assert waiting <= WAITING
    jsonschema.validate(WHOLE, json_schema())


def test_an_underscore_spelling_is_understood():
    found = checked("models", {"models": {"context_tokens": 1000}})
    assert found.value == ModelsConfig(context_tokens=1000)
    assert unknown_keys({"models": {"context_tokens": 1000}}) == ()
    assert underscored("memorySearch") == "memory_search"


@pytest.mark.parametrize(
    ("attribute", "raw", "path"),
    [
        ("models", {"models": {"context_tokens": "lots"}}, "models.context_tokens"),
        ("models", {"models": {"threads": True}}, "models.threads"),
        ("models", {"models": {"contextTokens": 0.5}}, "models.contextTokens"),
        ("models", {"models": {"threads": 10**400}}, "models.threads"),
        ("models", {"models": {"chat": ""}}, "models.chat"),
        ("models", {"models": {"chat": "a\0b"}}, "models.chat"),
        ("models", {"models": []}, "models"),
        ("agent", {"agents": {"defaults": {"temperature": 3}}}, "agents.defaults.temperature"),
        ("agent", {"agents": {"defaults": {"workspace": "notes"}}}, "agents.defaults.workspace"),
        ("agent", {"agents": {"defaults": {"workspace": "~no~/x"}}}, "agents.defaults.workspace"),
        ("memory", {"agents": {"defaults": 7}}, "agents.defaults"),
        ("ui", {"ui": {"theme": "pink"}}, "ui.theme"),
        ("reminders", {"reminders": {"notifications": "yes"}}, "reminders.notifications"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(attribute, raw, path):
    (mistake,) = checked(attribute, raw).mistakes
    assert isinstance(mistake, WrongSetting)
    assert mistake.path == path


def memory(**values):
    return checked("memory", {"agents": {"defaults": {"memorySearch": values}}})


def test_a_wrong_item_of_a_list_is_named_by_its_place():
    (mistake,) = memory(sources=["memory", "cloud"]).mistakes
    assert mistake.path == "agents.defaults.memorySearch.sources[1]"
    assert (mistake.expected, mistake.found) == ("choice", "cloud")
    assert memory(extraPaths="notes").mistakes[0].expected == "list"


@pytest.mark.parametrize(("tokens", "overlap"), [(400, 80), (800, 80), (100, 20), (1, 0)])
def test_an_overlap_that_is_not_written_fits_the_length(tokens, overlap):
    found = memory(chunking={"tokens": tokens})
    assert (found.mistakes, found.value.overlap) == ((), overlap)


def test_an_overlap_as_long_as_the_piece_is_a_mistake():
    found = memory(chunking={"tokens": 100, "overlap": 100})
    (mistake,) = found.mistakes
    assert mistake.path == "agents.defaults.memorySearch.chunking.overlap"
    assert (mistake.expected, mistake.slots, mistake.found) == ("overlap", {"tokens": 100}, 100)
    assert part_from_record("memory", found.written, {}) == Config().memory


def test_a_mistake_in_one_section_leaves_the_others_alone():
    raw = {"models": {"threads": "all"}, "agents": {"defaults": {"memorySearch": 1}}}
    assert checked("models", raw).mistakes
    assert checked("memory", raw).mistakes
    assert not checked("agent", raw).mistakes
    assert not checked("ui", raw).mistakes


def test_variables_are_filled_in_and_a_missing_one_is_named():
    raw = {"models": {"chat": "${DIR}/a.gguf"}}
    found = checked("models", raw, DIR="/m")
    assert found.value == ModelsConfig(chat="/m/a.gguf")
    assert found.written == {"chat": "${DIR}/a.gguf"}
    assert checked("models", raw).mistakes == (UnsetVariable("models.chat", "DIR"),)


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        ("${A_B}", {"A_B": "1"}, "1"),
        ("${a}", {"a": "1"}, "${a}"),
        ("$A", {"A": "1"}, "$A"),
        ("${1A}", {"1A": "x"}, "${1A}"),
        ("$${A}", {"A": "1"}, "${A}"),
        ("x${A}y${A}", {"A": "$${A}"}, "x$${A}y$${A}"),
    ],
)
def test_substitution_follows_the_reference(text, environment, expected):
    assert substitute({"k": [text]}, "", environment) == {"k": [expected]}


def test_an_empty_variable_counts_as_missing():
    with pytest.raises(MissingVariable) as caught:
        substitute(["${A}"], "k", {"A": ""})
    assert (caught.value.path, caught.value.name) == ("k[0]", "A")


def test_unknown_keys_are_told_with_what_was_meant():
    raw = {
        "model": {},
        "agents": {"defaults": {"timeoutSecond": 3, "memorySearch": {"query": {"zzz": 1}}}},
        "channels": {"telegram": {"anything": 1}},
        "models": {"providers": {}, "mode": "merge"},
    }
    assert unknown_keys(raw) == (
        UnknownKey("model", "models"),
        UnknownKey("agents.defaults.timeoutSecond", "agents.defaults.timeoutSeconds"),
        UnknownKey("agents.defaults.memorySearch.query.zzz", ""),
    )
    assert unused_keys(raw) == ("models.mode",)


def test_what_waits_for_its_feature_is_told_by_the_file_and_by_the_editor():
    raw = {
        "tools": {"exec": {"backgroundMs": 20, "notifyOnExit": True}},
        "agents": {"defaults": {"time_format": "24"}, "list": [{"id": "a", "tools": {"exec": {}}}]},
        "ui": {"theme": "dark"},
    }
    assert set(unused_keys(raw)) == {
        "agents.defaults.time_format",
        "agents.list[0].tools.exec",
    }
    assert unknown_keys(raw) == ()
    defaults = json_schema()["properties"]["agents"]["properties"]["defaults"]["properties"]
    assert "this version does not use it" in defaults["timeFormat"]["description"]
    assert "this version does not use it" not in defaults["userTimezone"]["description"]


def test_a_record_of_an_older_version_gives_what_still_fits():
    record = {"threads": 3, "contextTokens": "old text", "gone": 1}
    assert part_from_record("models", record, {}) == ModelsConfig(threads=3)


def test_the_schema_names_every_setting_with_its_default():
    schema = json_schema()
    jsonschema.Draft7Validator.check_schema(schema)
    timeout = schema["properties"]["agents"]["properties"]["defaults"]["properties"][
        "timeoutSeconds"
    ]
    assert timeout["default"] == AgentConfig().timeout_seconds
    assert {one.name for one in fields(Config)} == {*parts(), "raw"}


@settings(max_examples=200)
@given(JSON, JSON, st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_any_values_are_checked_without_failing(one, two, rest):
    raw = {"agents": {"defaults": one, "x": two}, "models": two, "ui": one, **rest}
    flat = {
        "models": dict.fromkeys(["chat", "embedding", "contextTokens", "threads"], one),
        "agents": {"defaults": dict.fromkeys(["workspace", "temperature", "language"], two)},
    }
    for attempt in (raw, flat):
        unknown_keys(attempt)
        unused_keys(attempt)
        for attribute in parts():
            found = checked(attribute, attempt)
            again = part_from_record(attribute, found.written, {})
            assert found.mistakes or again == found.value
