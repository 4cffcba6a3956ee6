"""Which skills a conversation of a channel may use, by what is nearest to it in the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.app.room_skills import (
    skill_list_problems,
    skill_name_problems,
    skills_named,
    usable_in,
)
from moltbot_desktop.app.rooms import Room, room_of
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.discovery import BUNDLED, Skill

RAW: JsonObject = {
    "channels": {
        "telegram": {
            "skills": ["channel"],
            "groups": {
                "*": {"skills": ["any"], "topics": {"9": {"skills": ["any-topic"]}}},
                "-100AB": {
                    "skills": ["own", " more "],
                    "topics": {"7": {"skills": []}, "8": {"requireMention": True}},
                },
                "-300": {"requireMention": False},
            },
            "accounts": {"biz": {"groups": {"-400": {"skills": ["of-account"]}}}},
        },
        "pigeon": {"groups": {"loft": {"enabled": True}}},
    }
}


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("agent:main:main", None),
        ("agent:main:telegram:group:-100ab", {"own", "more"}),
        ("agent:work:telegram:channel:-100ab", {"own", "more"}),
        ("agent:main:telegram:group:-100ab:topic:7", set()),
        ("agent:main:telegram:group:-100ab:topic:8", {"own", "more"}),
        ("agent:main:telegram:group:-100ab:topic:9", {"own", "more"}),
        ("agent:main:telegram:group:-300", {"any"}),
        ("agent:main:telegram:group:-300:topic:9", {"any-topic"}),
        ("agent:main:telegram:group:-400", {"of-account"}),
        ("agent:main:telegram:group:-500:thread:x", {"any"}),
        ("agent:main:telegram:dm:ada", {"channel"}),
        ("agent:main:telegram:biz:dm:ada", {"channel"}),
        ("agent:main:dm:ada", None),
        ("agent:main:pigeon:group:loft", None),
        ("agent:main:subagent:1", None),
        ("agent:main:cron:telegram", None),
    ],
)
def test_what_is_nearest_holds(key: str, named: set[str] | None) -> None:
    assert skills_named(RAW, SessionKey(key)) == named


def test_a_key_says_where_a_conversation_takes_place() -> None:
    topic = room_of(SessionKey("agent:main:telegram:group:-100:topic:7"))
    assert topic == Room("telegram", "-100", "7")
    assert room_of(SessionKey("agent:main:telegram:dm:ada")) == Room("telegram")
    assert room_of(SessionKey("agent:main:dm:ada")) is None
    assert room_of(SessionKey("my own")) is None


def group(skills: JsonValue) -> JsonObject:
    return {"channels": {"sun": {"groups": {"g": {"skills": skills}}}}}


@pytest.mark.parametrize("slip", ["notes", 3, True, {"notes": True}, ["notes", 4]])
@pytest.mark.parametrize("language", Language)
def test_a_list_that_cannot_be_read_is_none_and_told(slip: JsonValue, language: Language) -> None:
    assert skills_named(group(slip), SessionKey("agent:main:sun:group:g")) == frozenset()
    ((text, hint),) = skill_list_problems(group(slip), language)
    assert "channels.sun.groups.g.skills" in text and "[]" in hint


def test_lists_that_can_be_read_are_no_news() -> None:
    assert skill_list_problems(RAW, Language.ENGLISH) == []
    assert skill_list_problems(group(None), Language.ENGLISH) == []
    wrong: JsonObject = {
        "channels": {
            "sun": {
                "skills": "x",
                "accounts": {"a": {"groups": {"g": {"topics": {"1": {"skills": "y"}}}}}},
            }
        }
    }
    places = [text.split()[0] for text, _ in skill_list_problems(wrong, Language.ENGLISH)]
    assert places == [
        "channels.sun.skills",
        "channels.sun.accounts.a.groups.g.topics.1.skills",
    ]


@pytest.mark.parametrize("language", Language)
def test_a_name_that_no_skill_has_is_told_with_the_one_that_was_meant(language: Language) -> None:
    raw = group(["notes", "wether", "zzz"])
    first, second = skill_name_problems(raw, {"notes", "weather"}, language)
    assert "channels.sun.groups.g.skills" in first[0] and "“wether”" in first[0]
    assert "“weather”" in first[1]
    assert "“zzz”" in second[0] and "skills list" in second[1]
    assert skill_name_problems(raw, {"notes", "wether", "zzz"}, language) == []
    assert skill_name_problems(group("slip"), set(), language) == []


def test_nothing_set_is_all_and_an_empty_list_none() -> None:
    both = tuple(Skill(name, "d", Path(f"/s/{name}/SKILL.md"), BUNDLED) for name in ("a", "b"))
    assert usable_in(both, None) is both
    assert [one.name for one in usable_in(both, {"b", "gone"})] == ["b"]
    assert usable_in(both, frozenset()) == ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["channels", "sun", "groups", "g", "*", "topics", "1", "skills"]), inner
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(_JSON)
def test_whatever_the_settings_hold_there_is_an_answer(written: JsonValue) -> None:
    raw: JsonObject = {"channels": {"sun": written}}
    for key in ("agent:main:sun:group:g:topic:1", "agent:main:sun:dm:a"):
        named = skills_named(raw, SessionKey(key))
        assert named is None or all(isinstance(one, str) for one in named)
    skill_list_problems(raw, Language.ENGLISH)
