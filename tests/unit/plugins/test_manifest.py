"""Plugin manifests: strict, every mistake told, never run, never a crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import PluginInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.manifest import (
    MAX_BYTES,
    Requirements,
    manifest_file,
    parse_manifest,
    read_manifest,
)

LEAST = {"id": "weather", "configSchema": {"type": "object"}}


def data(**changes: object) -> bytes:
    return json.dumps({**LEAST, **changes}).encode()


def mistakes(raw: bytes) -> dict[str, str]:
    with pytest.raises(PluginInvalid) as caught:
        parse_manifest(raw)
    return {one.path: one.message for one in caught.value.mistakes}


def test_everything_it_says_is_read() -> None:
    manifest = parse_manifest(
        data(
            name=" Weather ",
            description="Says the weather",
            version="1.0",
            kind="memory",
            channels=["sms"],
            providers=["p"],
            skills=["skills/rain"],
            commands=["rain"],
            uiHints={"units": {"label": "Units"}},
            requires={"packages": ["httpx>=0.27"], "bins": ["curl"]},
            newerThanWe={"kept": True},
        )
    )
    assert (manifest.id, manifest.name, manifest.version) == ("weather", "Weather", "1.0")
    assert (manifest.kind, manifest.channels, manifest.providers) == ("memory", ("sms",), ("p",))
    assert manifest.skills == ("skills/rain",)
    assert manifest.commands == ("rain",)
    assert manifest.ui_hints == {"units": {"label": "Units"}}
    assert manifest.requires == Requirements(("httpx>=0.27",), ("curl",))


@pytest.mark.parametrize(
    "name", ["moltbot.plugin.json", "clawdbot.plugin.json", "openclaw.plugin.json"]
)
def test_older_and_newer_names_of_the_file_are_understood(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(data())
    found = manifest_file(tmp_path)
    assert found == tmp_path / name
    assert read_manifest(found).id == "weather"


def test_all_mistakes_are_told_at_once() -> None:
    raw = json.dumps(
        {
            "configSchema": [],
            "name": 1,
            "channels": "sms",
            "skills": ["../other"],
            "uiHints": {"a": 1},
            "requires": {"bins": [1]},
        }
    ).encode()
    assert set(mistakes(raw)) == {
        *("id", "configSchema", "name", "channels", "skills[0]", "uiHints.a", "requires.bins"),
    }


@pytest.mark.parametrize("name", ["", " a", "../up", "a/b", "a.b", "x" * 65, 1, ["a"]])
def test_an_id_is_a_plain_name(name: object) -> None:
    assert set(mistakes(data(id=name))) == {"id"}


@pytest.mark.parametrize(
    "package", ["--index-url=x", "a @ https://x.example", "a; rm -rf ~", "a$(b)", "a>=1 'b'", "a b"]
)
def test_a_package_is_a_name_with_versions(package: str) -> None:
    assert set(mistakes(data(requires={"packages": [package]}))) == {"requires.packages[0]"}
    fine = ["httpx", "httpx>=0.27", "a[b,c] ~= 1.2, <2.0a1", "a == 1.*"]
    assert parse_manifest(data(requires={"packages": fine})).requires.packages == tuple(fine)


def test_a_schema_of_something_else_than_a_group_is_told() -> None:
    assert set(mistakes(data(configSchema={"type": "string"}))) == {"configSchema.type"}
    assert parse_manifest(data(configSchema={})).config_schema == {}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b"{,}",
        b'{"id": "a", /* no */ "configSchema": {}}',
        b'{"id": "a", "id": "b", "configSchema": {}}',
        b'{"id": "a", "configSchema": {"default": NaN}}',
        b'{"id": "a", "configSchema": {"default": 1e999}}',
        b'{"id": "a", "configSchema": {"default": ' + b"9" * 5000 + b"}}",
        b'{"id": "a", "name": "\\ud800", "configSchema": {}}',
        b'{"id": "a", "configSchema": ' + b'{"a":' * 70 + b"1" + b"}" * 71,
        b'{"id": "a", "configSchema": ' + b"[" * 100_000,
        b'{"id": "\xff"}',
        b" " * (MAX_BYTES + 1),
    ],
)
def test_what_is_not_strict_json_is_refused_in_words(raw: bytes) -> None:
    assert all(message.strip() for message in mistakes(raw).values())


def test_it_is_told_in_chinese() -> None:
    with pytest.raises(PluginInvalid) as caught:
        parse_manifest(b"{}", language=Language.CHINESE)
    assert "不能用" in caught.value.message


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "moltbot.plugin.json").mkdir()
    with pytest.raises(PluginInvalid):
        read_manifest(tmp_path / "moltbot.plugin.json")
    with pytest.raises(PluginInvalid):
        read_manifest(tmp_path / "gone.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    "id configSchema uiHints kind channels providers skills requires name version".split()
)


@settings(max_examples=60)
@given(
    st.binary(max_size=60) | st.dictionaries(FIELDS, JSON).map(lambda raw: json.dumps(raw).encode())
)
def test_whatever_stands_there_is_a_manifest_or_told(raw: bytes) -> None:
    try:
        assert parse_manifest(raw).id
    except PluginInvalid as error:
        assert error.message
        assert error.mistakes


IN_CHINESE = {
    "name": "天气",
    "description": " ",
    "id": "other",
    "uiHints": {
        "units": {"label": "单位", "sensitive": False, "order": 9},
        "place": {"label": "地点"},
    },
    "channelConfigs": {"sms": {"label": "短信", "schema": {"type": "object"}}, "fax": {}},
}


def test_the_words_of_a_language_are_laid_over_the_others() -> None:
    """Words alone: which field is a secret is said once."""
    raw = data(
        name="Weather",
        description="Says the weather",
        uiHints={"units": {"label": "Units", "help": "Of figures", "sensitive": True}},
        channelConfigs={"sms": {"label": "SMS", "schema": {"type": "object", "title": "t"}}},
        locales={"zh": IN_CHINESE},
    )
    english = parse_manifest(raw)
    assert (english.name, list(english.ui_hints)) == ("Weather", ["units"])
    chinese = parse_manifest(raw, language=Language.CHINESE)
    assert (chinese.id, chinese.name, chinese.description) == (
        "weather",
        "天气",
        "Says the weather",
    )
    assert chinese.ui_hints == {
        "units": {"label": "单位", "help": "Of figures", "sensitive": True},
        "place": {"label": "地点"},
    }
    (channel,) = chinese.channel_configs.values()
    assert (channel.label, channel.schema["title"]) == ("短信", "t")


def test_mistakes_in_other_languages_are_told_too() -> None:
    wrong = {"zh": {"name": 7, "uiHints": {"units": 1}, "channelConfigs": []}, "fr": "bonjour"}
    assert set(mistakes(data(locales=wrong))) == {
        "locales.zh.name",
        "locales.zh.uiHints.units",
        "locales.zh.channelConfigs",
        "locales.fr",
    }
    assert set(mistakes(data(locales=[]))) == {"locales"}


def test_what_is_chosen_has_a_name_in_each_language() -> None:
    english = {"metric": "Celsius", "imperial": "Fahrenheit"}
    raw = data(
        uiHints={"units": {"values": english}, "place": {}},
        locales={"zh": {"uiHints": {"units": {"values": {"metric": "摄氏度", "imperial": 7}}}}},
    )
    assert parse_manifest(raw).ui_hints["units"]["values"] == english
    chinese = parse_manifest(raw, language=Language.CHINESE).ui_hints
    assert chinese["units"]["values"] == {"metric": "摄氏度", "imperial": "Fahrenheit"}
    assert "values" not in chinese["place"]


BUNDLED = Path(__file__).parents[3] / "moltbot_desktop" / "extensions"


@pytest.mark.parametrize("file", sorted(BUNDLED.glob("*/moltbot.plugin.json")), ids=str)
def test_what_comes_with_the_program_speaks_chinese(file: Path) -> None:
    manifest = read_manifest(file, Language.CHINESE)
    fields = manifest.config_schema["properties"]
    assert isinstance(fields, dict)
    words = [manifest.description]
    # A platform's name, and what is named after one, is the same in all languages.
    words += [] if manifest.channel_configs else [manifest.name]
    words += [str(manifest.ui_hints[name]["label"]) for name in fields]
    words += [str(manifest.ui_hints[name]["help"]) for name in fields]
    for config in manifest.channel_configs.values():
        words += [str(hint["help"]) for hint in config.ui_hints.values() if "help" in hint]
    named = [
        hint.get("values", {})
        for hints in (manifest.ui_hints, *(c.ui_hints for c in manifest.channel_configs.values()))
        for hint in hints.values()
    ]
    words += [
        str(name)
        for values in named
        if isinstance(values, dict)
        for name in values.values()
        if name not in ("TLS", "STARTTLS", "JSON")
    ]
    for one in words:
        assert any("\u4e00" <= character <= "\u9fff" for character in one), one
