"""What of a window's tree is told of: what can be seen, within limits, whatever a program says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.walking import (
    LIMITS,
    NOWHERE,
    Limits,
    Told,
    box_of,
    seen_below,
    text_of,
)

WINDOW = Box(0, 0, 400, 300)
SMALL = Box(10, 10, 50, 20)


def told(name: str, box: Box = SMALL, **more: bool) -> Told:
    return Told(Element(NodeRef("x", name), "panel", name, box, box, frozenset()), **more)


def seen(tree: Mapping[str, Sequence[Told]], limits: Limits = LIMITS) -> dict[str, Box]:
    found = seen_below(
        told("root", WINDOW),
        WINDOW,
        lambda one: tree.get(one.element.name, ()),
        limits,
        lambda: False,
    )
    return {one.name: one.box for one in found}


def test_all_levels_are_told_of_and_what_is_hidden_with_all_below_it_is_not() -> None:
    tree = {
        "root": [told("a"), told("hidden", hidden=True)],
        "a": [told("b")],
        "b": [told("c")],
        "hidden": [told("never")],
    }
    assert list(seen(tree)) == ["a", "b", "c"]


def test_nothing_is_asked_of_a_leaf() -> None:
    asked: list[str] = []

    def children(one: Told) -> Sequence[Told]:
        asked.append(one.element.name)
        return [told("button", leaf=True)] if one.element.name == "root" else []

    seen_below(told("root", WINDOW), WINDOW, children, LIMITS, lambda: False)
    assert asked == ["root"]


def test_what_a_scrolled_list_cuts_is_cut_and_what_it_hides_is_left_out() -> None:
    tree = {
        "root": [told("list", Box(0, 100, 200, 100), clips=True)],
        "list": [
            told("half", Box(10, 190, 50, 20)),
            told("below", Box(10, 240, 50, 20)),
            told("group", NOWHERE),
        ],
        "group": [told("inside", Box(10, 110, 50, 20))],
    }
    boxes = seen(tree)
    assert boxes["half"] == Box(10, 190, 50, 10)
    assert "below" not in boxes
    assert boxes["inside"] == Box(10, 110, 50, 20)


def test_a_menu_stands_over_its_window_and_what_is_in_it_too() -> None:
    tree = {
        "root": [told("menu", Box(380, 290, 100, 200), free=True), told("out", Box(500, 0, 9, 9))],
        "menu": [told("item", Box(385, 400, 90, 20))],
    }
    boxes = seen(tree)
    assert boxes["item"] == Box(385, 400, 90, 20)
    assert "out" not in boxes


def test_a_tree_without_end_ends() -> None:
    def children(one: Told) -> Sequence[Told]:
        return [told(one.element.name + letter) for letter in "ab"]

    limits = Limits(nodes=500, levels=9, children=2)
    found = seen_below(told("r", WINDOW), WINDOW, children, limits, lambda: False)
    assert len(found) == 500
    deep = seen_below(
        told("r", WINDOW), WINDOW, lambda _: [told("x")], Limits(levels=7), lambda: False
    )
    assert len(deep) == 7
    wide = [told(str(at)) for at in range(1000)]
    assert len(seen({"root": wide}, Limits(children=30))) == 30


def test_when_the_time_is_over_what_was_found_is_told() -> None:
    asked = 0

    def children(one: Told) -> Sequence[Told]:
        nonlocal asked
        asked += 1
        return [told(f"{one.element.name}.{asked}")]

    found = seen_below(told("r", WINDOW), WINDOW, children, LIMITS, lambda: asked >= 3)
    assert len(found) == 3


@given(*[st.floats()] * 4)
def test_any_numbers_make_a_box(left: float, top: float, width: float, height: float) -> None:
    box = box_of(left, top, width, height)
    assert box.width >= 0
    assert box.height >= 0
    if not all(map(math.isfinite, (left, top, width, height))):
        assert box == NOWHERE


def test_parts_of_pixels_are_rounded_at_their_edges() -> None:
    assert box_of(0.6, 0.4, 10.0, 10.0) == Box(1, 0, 10, 10)
    assert box_of(5, 5, -3, 8) == Box(5, 5, 0, 8)


def test_only_text_is_text_and_not_too_much_of_it() -> None:
    assert text_of(7) == text_of(None) == text_of(b"x") == ""
    assert text_of("x" * 1000) == "x" * 400
