"""No setting is silently without effect: each is read by the program, or listed as waiting.

What a setting holds is found by its attribute; one whose name occurs nowhere outside `config` is
read by nobody. (A name that is also used for other things is taken for read.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from moltbot_desktop.config.declaration import Setting
from moltbot_desktop.config.kinds import Kind, Optional
from moltbot_desktop.config.reload import RULES
from moltbot_desktop.config.settings import parts
from moltbot_desktop.config.structures import MapOf, settings_of
from moltbot_desktop.config.waiting import WAITING, is_waiting

PACKAGE = Path(__file__).resolve().parents[2] / "moltbot_desktop"
COMMON = frozenset({"allow_from", "host", "mode", "node", "restart"})
"""Names of waiting settings that other things have too."""
READ_BY_NAME = frozenset({"agents.list.identity.avatar"})
"""Reached with `getattr`, from a list of names."""

READ_IN_CONFIG = ("session.resetByType", "session.resetByChannel")
"""`SessionConfig.reset_for` picks among them."""


def names_in_use() -> frozenset[str]:
    """Attributes that anything outside `config` reads."""
    files = [file for file in PACKAGE.rglob("*.py") if file.parent.name != "config"]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    return frozenset(
        node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    )


def declared_settings() -> Iterator[tuple[str, Setting]]:
    """Every setting with its place in the file, without list numbers and free names."""
    for part in parts().values():
        for declared in part.settings:
            yield from below(part.place(declared), declared)


def below(place: str, declared: Setting) -> Iterator[tuple[str, Setting]]:
    yield place, declared
    for name, inner in inside(declared.kind):
        yield from below(f"{place}.{name}", inner)


def inside(kind: Kind[object]) -> Iterator[tuple[str, Setting]]:
    if isinstance(kind, Optional | MapOf):
        yield from inside(kind.kind)
    elif (group := getattr(kind, "defaults", None)) is not None:
        yield from ((one.path, one) for one in settings_of(group))


def test_every_setting_is_read_or_said_to_wait() -> None:
    used = names_in_use()
    silent = [
        place
        for place, declared in declared_settings()
        if declared.attribute not in used
        and not is_waiting(place)
        and place not in READ_BY_NAME
        # A group may be read through what is in it.
        and not any(inner.attribute in used for _, inner in inside(declared.kind))
        and not place.startswith(READ_IN_CONFIG)
    ]
    assert not silent, f"read them, or list them in config/waiting.py: {silent}"


def test_what_is_said_to_wait_is_read_by_nobody() -> None:
    used = names_in_use() - COMMON
    everything = tuple(declared_settings())
    for place in sorted(WAITING):
        about = [
            declared.attribute
            for name, declared in everything
            if name == place or name.startswith(f"{place}.")
        ]
        assert about, f"{place}: there is no such setting"
        assert not used.issuperset(about), f"{place} is read: take it out of config/waiting.py"


def test_every_setting_has_a_rule_for_what_a_change_of_it_means() -> None:
    """Without one, any change asks for a new start of the program."""
    prefixes = tuple(rule.prefix for rule in RULES)
    lonely = [
        place
        for place, _ in declared_settings()
        if not any(place == one or place.startswith(f"{one}.") for one in prefixes)
    ]
    assert not lonely, f"add a rule to config/reload.py: {lonely}"
