"""Which plugins are on: the reference's order, and the owner's word for code of others."""

from __future__ import annotations

import pytest

from moltbot_desktop.config.plugins import PluginsConfig
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.enablement import Reason, Wish, decide, wish_of


def of(wish: Wish, plugin: str = "a", *, kind: str = "", bundled: bool = False) -> tuple[bool, str]:
    decision = decide(wish, plugin, kind=kind, bundled=bundled)
    return decision.on, decision.reason.value


ON = {"a": True}


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (Wish(enabled=False, said=ON), (False, "all_off")),
        (Wish(deny=frozenset("a"), said=ON), (False, "denied")),
        (Wish(deny=frozenset("a"), allow=frozenset("a"), said=ON), (False, "denied")),
        (Wish(allow=frozenset("b"), said=ON), (False, "not_allowed")),
        (Wish(allow=frozenset("b"), memory="a", memory_named=True), (False, "not_allowed")),
        (Wish(said=ON), (True, "switched_on")),
        (Wish(said={"a": False}), (False, "switched_off")),
        (Wish(allow=frozenset("a")), (False, "nobody_said")),
        (Wish(), (False, "nobody_said")),
    ],
)
def test_the_first_that_applies_decides(wish: Wish, expected: tuple[bool, str]) -> None:
    assert of(wish) == expected


def test_what_is_bundled_is_off_until_it_is_switched_on() -> None:
    assert of(Wish(), bundled=True) == (False, "bundled")
    assert of(Wish(said=ON), bundled=True) == (True, "switched_on")


def test_one_plugin_keeps_the_memory() -> None:
    assert of(Wish(), "memory-core", kind="memory", bundled=True) == (True, "slot")
    assert of(Wish(said=ON), kind="memory") == (False, "slot_taken")
    other = Wish(memory="a", memory_named=True)
    assert of(other, "memory-core", kind="memory", bundled=True)[0] is False
    named = Wish(memory="a", memory_named=True, said={"a": False})
    assert of(named, kind="memory") == (True, "slot")
    nobody = wish_of(PluginsConfig(memory_slot="none"), {"a": True})
    assert of(nobody, kind="memory") == (False, "no_slot")


def test_the_usual_slot_runs_nobody_who_merely_has_its_name() -> None:
    assert of(Wish(), "memory-core", kind="memory") == (False, "nobody_said")


def test_the_slot_switches_nothing_on_that_keeps_no_memory() -> None:
    """A slip in a name is no yes to a plugin that asks the network."""
    wish = Wish(memory="a", memory_named=True)
    assert of(wish, bundled=True) == (False, "bundled")
    assert of(wish) == (False, "nobody_said")


def test_the_settings_are_read() -> None:
    config = PluginsConfig(allow=("a",), deny=("b",), memory_slot=" mem ")
    assert wish_of(config, {"a": True, "b": None}) == Wish(
        True, frozenset("a"), frozenset("b"), {"a": True}, "mem", True
    )


@pytest.mark.parametrize("language", Language)
def test_every_reason_has_words(language: Language) -> None:
    for reason in Reason:
        assert decide(Wish(), "a", kind="", bundled=True).words(language)
        assert reason.value
