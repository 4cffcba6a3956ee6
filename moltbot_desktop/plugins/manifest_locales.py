"""The words of a manifest in the person's language.

    "locales": { "zh": {
        "name": "天气",
        "description": "某地的天气。",
        "uiHints": { "units": { "label": "单位", "values": { "metric": "摄氏度" } } } } }

    in_language(raw, Language.CHINESE)["name"]       # "天气"; what is not said stays as it was

Only words are taken: what a form does with a field (its order, whether it is a secret) is said once
and for all languages. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

_OF_A_HINT = frozenset({"label", "help", "placeholder", "group", "itemTemplate"})
_VALUES = "values"


def in_language(raw: JsonObject, language: Language) -> JsonObject:
    """The manifest `raw`, which has no mistakes, as somebody who reads `language` sees it."""
    said = _group(_group(raw.get("locales")).get(language.value))
    configs, theirs = _group(raw.get("channelConfigs")), _group(said.get("channelConfigs"))
    return {
        **raw,
        **_words(said, frozenset({"name", "description"})),
        "uiHints": _hints(raw, said),
        "channelConfigs": {
            channel: _channel(_group(one), _group(theirs.get(channel)))
            for channel, one in configs.items()
        },
    }


def _channel(config: JsonObject, said: JsonObject) -> JsonObject:
    return {**config, **_words(said, frozenset({"label"})), "uiHints": _hints(config, said)}


def _hints(raw: JsonObject, said: JsonObject) -> JsonObject:
    """A field that has words in this language only has them all the same."""
    own, theirs = _group(raw.get("uiHints")), _group(said.get("uiHints"))
    return {
        path: _hint(_group(own.get(path)), _group(theirs.get(path)))
        for path in (*own, *(one for one in theirs if one not in own))
    }


def _hint(own: JsonObject, said: JsonObject) -> JsonObject:
    names, theirs = _group(own.get(_VALUES)), _group(said.get(_VALUES))
    values = {_VALUES: {**names, **_words(theirs, frozenset(theirs))}} if theirs else {}
    return {**own, **_words(said, _OF_A_HINT), **values}


def _words(said: JsonObject, names: frozenset[str]) -> JsonObject:
    return {
        name: text
        for name, text in said.items()
        if name in names and isinstance(text, str) and text.strip()
    }


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
