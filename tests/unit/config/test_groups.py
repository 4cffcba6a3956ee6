"""Which settings stand together in the window: every one in reach, the usual ones at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from moltbot_desktop.config.chinese import in_chinese
from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.groups import GROUPS, section_hints, sections
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode
from moltbot_desktop.ui.settings.parts import Part, parts_of

ENGLISH, CHINESE = Language.ENGLISH, Language.CHINESE


def shown(
    saved: JsonObject | None = None, schema: JsonObject | None = None, language: Language = ENGLISH
) -> dict[str, Part]:
    """The groups of a file, by their ids."""
    form = open_form(schema or json_schema(), saved or {}, section_hints(language))
    return {one.id: one for one in parts_of(form.root(language), sections(language))}


def leaves(node: FormNode) -> Iterator[FieldPlace]:
    """The places of a form at which something can be set."""
    if node.kind is not FieldKind.GROUP or not node.children:
        yield node.place
        return
    for child in node.children:
        yield from leaves(child)


def labels(part: Part) -> list[str]:
    return [one.label for one in part.node.children]


def test_the_first_page_has_what_people_change() -> None:
    first = next(iter(shown().values()))
    assert first.title == "General"
    assert labels(first) == [
        "Language",
        "Look",
        "Start with the computer",
        "Key for the quick question",
        "Notifications",
        "Notifications say what they are about",
        "Chat model",
        "Memory",
    ]
    assert labels(next(iter(shown(language=CHINESE).values())))[:2] == ["语言", "外观"]


def test_the_groups_come_before_what_hardly_anybody_needs() -> None:
    found = list(shown().values())
    usual = [one.title for one in found if not one.advanced]
    assert usual == [
        "General",
        "Chat and models",
        "Memory",
        "Schedule",
        "Web",
        "Safety",
        "Channels",
        "Skills and plugins",
    ]
    assert [one.advanced for one in found] == sorted(one.advanced for one in found)
    technical = {"hooks", "gateway", "agents", "file", "tools"}
    assert technical <= {one.id for one in found if one.advanced}


def test_every_setting_stands_in_one_group_and_no_other() -> None:
    every = set(leaves(open_form(json_schema(), {}).root(ENGLISH)))
    shared = {place for one in sections(ENGLISH) for place in one.shared}
    found = [place for part in shown().values() for place in leaves(part.node)]
    assert set(found) == every
    assert {place for place in found if found.count(place) > 1} == shared


def test_what_nobody_has_put_into_a_group_is_an_advanced_one() -> None:
    """A new setting: in a section of its own, and beside those of the first page."""
    more: Any = json.loads(json.dumps(json_schema(), default=dict))
    more["properties"]["ui"]["properties"]["sparkle"] = {"type": "boolean"}
    depth = {"type": "object", "properties": {"depth": {"type": "integer"}}}
    more["properties"]["submarine"] = depth
    found = shown({"unheard": {"of": 1}}, more)
    other = set(leaves(found["other"].node))
    assert {("submarine", "depth"), ("ui", "sparkle"), ("unheard",)} <= other
    assert found["other"].advanced


def test_what_is_wrong_is_in_reach() -> None:
    """Also where the file has something else in the place of a whole group."""
    found = shown({"ui": "blue", "models": 3, "messages": {"groupChat": []}})
    assert ("ui",) in set(leaves(found["other"].node))
    assert ("models",) in set(leaves(found["models"].node))
    assert ("messages", "groupChat") in set(leaves(found["messaging"].node))


def test_json_is_never_on_a_page_that_people_see_first() -> None:
    saved: JsonObject = {"channels": {"irc": {}}, "models": {"providers": {"a": {}}}, "x": []}

    def kinds(node: FormNode) -> set[FieldKind]:
        return {node.kind}.union(*map(kinds, node.children))

    for part in shown(saved).values():
        assert part.advanced or FieldKind.RAW not in kinds(part.node), part.id


def test_what_people_see_first_is_called_as_people_call_it() -> None:
    """No null, no true, no key of the file, in either language."""
    for language in Language:
        schema = json_schema() if language is ENGLISH else in_chinese(json_schema())
        for part in shown(schema=schema, language=language).values():
            for node in () if part.advanced else told(part.node):
                said = f"{node.label} {node.help} {' '.join(one.label for one in node.options)}"
                for word in ("null", "true", "false", "auto", "defaults", "Enabled"):
                    assert word not in said, (part.id, node.place, said)


def told(node: FormNode) -> Iterator[FormNode]:
    for child in node.children:
        yield child
        yield from told(child)


def test_every_name_that_is_given_is_of_a_setting() -> None:
    """A hint at a place that is gone would be silently without effect."""
    known = {node.place for node in told(open_form(json_schema(), {}).root(ENGLISH))}
    assert {tuple(path.split(".")) for path in section_hints(ENGLISH)} <= known
    places = {tuple(one.split(".")) for group in GROUPS for one in group.places}
    assert places - known == {("channels",)}, "that one is read elsewhere"
    assert section_hints(ENGLISH).keys() == section_hints(CHINESE).keys()
