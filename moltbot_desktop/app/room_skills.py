"""The skills that a conversation of a channel may use, where its settings name them. Pure.

    channels: { telegram: { skills: ["notes"], groups: {
        "-100": { skills: ["notes", "weather"], topics: { "7": { skills: [] } } } } } }

    skills_named(config.raw, key)        # frozenset({"notes", "weather"}); None is all
    usable_in(view.usable, skills_named(config.raw, key))

What is nearest holds: the topic, its group, all groups (``*``), the channel. An empty list is none.
A list that cannot be read is none, too: nobody meant to give more by a slip, and the start says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence, Set

from moltbot_desktop.app.rooms import channel_settings, group_layers, inside, room_of
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.discovery import Skill

_NAME = "skills"
_PHRASES = Phrases(
    english={
        "wrong": "{place} is no list of skill names, so no skill can be used there.",
        "wrong_hint": 'Write names in brackets, such as ["notes"]; [] for none; take the line out '
        "for all.",
        "unknown": "{place} names “{name}”, and there is no skill of that name.",
        "unknown_hint": "moltbot-desktop skills list shows all of them.",
        "meant_hint": "Did you mean “{meant}”?",
    },
    chinese={
        "wrong": "{place} 不是技能名称的列表，因此那里不能使用任何技能。",
        "wrong_hint": '请把名称写在方括号里，例如 ["notes"]；[] 表示一个也不用；'
        "删掉这一行则全部可用。",
        "unknown": "{place} 写了“{name}”，但没有这个名称的技能。",
        "unknown_hint": "用 moltbot-desktop skills list 查看全部技能。",
        "meant_hint": "你是说“{meant}”吗？",
    },
)


def skills_named(raw: JsonObject, key: SessionKey) -> frozenset[str] | None:
    """Names of the skills that the conversation may use; None where nothing is set for it.

    Args:
        raw: the settings as they are written.
    """
    room = room_of(key)
    if room is None:
        return None
    layers: list[JsonValue] = []
    for group in group_layers(raw, room):
        if room.topic:
            layers.append(inside(inside(group, "topics"), room.topic))
        layers.append(group)
    layers.append(channel_settings(raw, room.channel))
    found = (inside(layer, _NAME) for layer in layers)
    written = next((one for one in found if one is not None), None)
    return None if written is None else _names(written) or frozenset()


def usable_in(usable: Sequence[Skill], named: Set[str] | None) -> Sequence[Skill]:
    """Those of `usable` that are named; all of them for None."""
    return usable if named is None else tuple(one for one in usable if one.name in named)


def skill_list_problems(raw: JsonObject, language: Language) -> list[tuple[str, str]]:
    """Lists below ``channels`` that cannot be read: message and hint."""
    channels = raw.get("channels")
    return [
        (_PHRASES.say("wrong", language, place=place), _PHRASES.say("wrong_hint", language))
        for place, written in _written(channels, "channels")
        if written is not None and _names(written) is None
    ]


def skill_name_problems(
    raw: JsonObject, known: Set[str], language: Language
) -> list[tuple[str, str]]:
    """Names in those lists that no skill has, `known` being all there are: message and hint."""
    return [
        (_PHRASES.say("unknown", language, place=place, name=name), _meant(name, known, language))
        for place, written in _written(raw.get("channels"), "channels")
        for name in sorted((_names(written) or frozenset()) - known)
    ]


def _meant(name: str, known: Set[str], language: Language) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)
    if near:
        return _PHRASES.say("meant_hint", language, meant=near[0])
    return _PHRASES.say("unknown_hint", language)


def _names(written: JsonValue) -> frozenset[str] | None:
    """None for what is no list of names."""
    if not isinstance(written, Sequence) or isinstance(written, str):
        return None
    names = [one.strip() for one in written if isinstance(one, str)]
    return frozenset(filter(None, names)) if len(names) == len(written) else None


def _written(channels: JsonValue, at: str) -> Iterator[tuple[str, JsonValue]]:
    """Every list there is, with its place."""
    for name, channel in _each(channels):
        yield from _own(channel, f"{at}.{name}")
        for account, settings in _each(inside(channel, "accounts")):
            yield from _of_groups(settings, f"{at}.{name}.accounts.{account}")
        yield from _of_groups(channel, f"{at}.{name}")


def _of_groups(owner: JsonValue, at: str) -> Iterator[tuple[str, JsonValue]]:
    for name, group in _each(inside(owner, "groups")):
        yield from _own(group, f"{at}.groups.{name}")
        for number, topic in _each(inside(group, "topics")):
            yield from _own(topic, f"{at}.groups.{name}.topics.{number}")


def _own(settings: JsonValue, at: str) -> Iterator[tuple[str, JsonValue]]:
    yield f"{at}.{_NAME}", inside(settings, _NAME)


def _each(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    yield from value.items() if isinstance(value, Mapping) else ()
