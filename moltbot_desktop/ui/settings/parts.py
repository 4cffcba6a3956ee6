"""The parts of a large form, each of which the settings window shows alone. Pure.

parts_of(root)                     # () for a form that is shown whole
without(root, {"agents.list"})     # what is left beside them
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from moltbot_desktop.sdk.forms import FieldKind, FormNode

_GROUPS_FOR_PARTS = 6
"""A form with so many groups is shown group by group."""


def parts_of(root: FormNode) -> tuple[FormNode, ...]:
    """The groups of a large form, each of which is shown alone: those at its top, or those of the
    one group it has (a plugin's settings stand below a switch)."""
    groups = tuple(one for one in root.children if one.kind is FieldKind.GROUP)
    if len(groups) == 1:
        return parts_of(groups[0])
    return groups if len(groups) >= _GROUPS_FOR_PARTS else ()


def has_problem(node: FormNode) -> bool:
    """Whether anything in it is wrong."""
    return bool(node.problems) or any(map(has_problem, node.children))


def shown_place(node: FormNode) -> str:
    """A part's place as an item of the tree holds it."""
    return ".".join(map(str, node.place))


def without(node: FormNode, parts: Container[str]) -> FormNode:
    """What is left of a form when its parts are shown alone."""
    left = tuple(without(one, parts) for one in node.children if shown_place(one) not in parts)
    return replace(node, children=left) if node.kind is FieldKind.GROUP else node
