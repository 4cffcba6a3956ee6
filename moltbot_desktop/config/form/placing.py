"""Puts what is wrong where a person looks for it.

with_problems(node, {("serve", "port"): ["This should be at least 1."]})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode


def with_problems(node: FormNode, problems: Mapping[FieldPlace, list[str]]) -> FormNode:
    """`problems` at their nodes; one that has none stands at the nearest above it."""
    places = set(_places(node))
    nearest: dict[FieldPlace, list[str]] = {}
    for place, sentences in problems.items():
        home = place
        while home and home not in places:
            home = home[:-1]
        nearest.setdefault(home, []).extend(sentences)
    return _placed(node, nearest)


def _places(node: FormNode) -> Iterator[FieldPlace]:
    yield node.place
    for child in node.children:
        yield from _places(child)


def _placed(node: FormNode, problems: Mapping[FieldPlace, list[str]]) -> FormNode:
    own = problems.get(node.place, ())
    if node.kind is FieldKind.VARIANT and node.children:
        own = ()  # the chosen form has the same place and says it
    return replace(
        node,
        problems=(*node.problems, *own),
        children=tuple(_placed(child, problems) for child in node.children),
    )
