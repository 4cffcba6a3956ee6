"""The parts of a large form, each of which the settings window shows alone. Pure.

    parts_of(root, page.sections)        # () for a form that is shown whole
    without(root, places)                # what is left beside them
    outline(pages, "general", parts)     # the lines of the list on the left

A page either says itself what stands together (`SettingsPage.sections`), or it is shown group by
group where it has many.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.sdk.forms import (
    FieldKind,
    FieldPlace,
    FormNode,
    FormSection,
    SettingsPage,
)

ADVANCED = "advanced"
"""The line above all parts that hardly anybody needs."""
_GROUPS_FOR_PARTS = 6
"""A form with so many groups is shown group by group."""


@dataclass(frozen=True)
class Part:
    """What is shown alone.

    Attributes:
        node: a group of its fields.
        places: what it was made of; empty where it is one group of the form.
    """

    id: str
    title: str
    node: FormNode
    advanced: bool = False
    places: tuple[FieldPlace, ...] = ()


@dataclass(frozen=True)
class Line:
    """One line of the list of pages.

    Attributes:
        part: of that page, "" for the page as such.
        folded: what is below it is not to be seen before somebody wants to.
    """

    page: str
    part: str
    title: str
    below: tuple[Line, ...] = ()
    folded: bool = False


def parts_of(root: FormNode, sections: Sequence[FormSection] = ()) -> tuple[Part, ...]:
    """The sections of a form that have something in them; without any the groups of a large form:
    those at its top, or those of the one group it has (a plugin's settings stand below a switch).
    """
    if sections:
        return tuple(_sectioned(root, sections))
    groups = tuple(one for one in root.children if one.kind is FieldKind.GROUP)
    if len(groups) == 1:
        return parts_of(groups[0])
    shown = groups if len(groups) >= _GROUPS_FOR_PARTS else ()
    return tuple(Part(shown_place(one), one.label, one) for one in shown)


def _sectioned(root: FormNode, sections: Sequence[FormSection]) -> Iterator[Part]:
    named = frozenset(place for one in sections for place in one.places)
    rest = without(root, named)
    for section in sections:
        found = [_at(root, place) for place in section.places]
        left = [without(one, named - {one.place}) for one in found if one is not None]
        fields = [one for one in left if one is not None]
        if not section.places and rest is not None:
            fields = [*rest.children]
        alone = len(section.places) == 1 and fields and _is_plain(fields[0])
        inside = fields[0].children if alone else tuple(fields)
        if inside:
            node = FormNode((), FieldKind.GROUP, section.title, help=section.note, children=inside)
            yield Part(section.id, section.title, node, section.advanced, section.places)


def _is_plain(node: FormNode) -> bool:
    """A group that says nothing but what is in it."""
    return node.kind is FieldKind.GROUP and not (node.named or node.problems)


def _at(node: FormNode, place: FieldPlace) -> FormNode | None:
    if node.place == place:
        return node
    inside = (one for one in node.children if one.place == place[: len(one.place)])
    return next(filter(None, (_at(one, place) for one in inside)), None)


def without(node: FormNode, places: Collection[FieldPlace]) -> FormNode | None:
    """What is left of a form when the parts at `places` are shown alone; None for nothing."""
    if node.place in places:
        return None
    if node.kind is not FieldKind.GROUP or not node.children:
        return node
    left = tuple(filter(None, (without(one, places) for one in node.children)))
    if not left and _is_plain(node):
        return None
    return replace(node, children=left)


def has_problem(node: FormNode) -> bool:
    """Whether anything in it is wrong."""
    return bool(node.problems) or any(map(has_problem, node.children))


def has_advanced(node: FormNode) -> bool:
    """Whether anything in it is shown on demand only."""
    return node.advanced or any(map(has_advanced, node.children))


def shown_place(node: FormNode) -> str:
    """A part's place as an item of the tree holds it."""
    return ".".join(map(str, node.place))


# ----------------------------------------------------------------------------- searching


def found_in(parts: Sequence[Part], found: frozenset[FieldPlace], words: str) -> set[FieldPlace]:
    """The places to show for `words`: what a form has `found`, and all of a part that is called
    so."""
    wanted, shown = words.casefold().split(), set(found)
    for part in parts:
        if wanted and all(word in part.title.casefold() for word in wanted):
            shown.update(places_of(part.node))
    return shown


def all_of(root: FormNode, parts: Sequence[Part]) -> FormNode:
    """All fields of a form, each once, under the names of the parts where they stand."""
    if not parts or any(part.node.place for part in parts):
        return root
    fields: dict[FieldPlace, FormNode] = {}
    for part in parts:
        for one in part.node.children:
            fields.setdefault(one.place, replace(one, heading=part.title))
    return replace(root, children=tuple(fields.values()))


def hits(part: Part, found: Collection[FieldPlace]) -> bool:
    """Whether anything in a part is among what was found."""
    return any(place in found for place in places_of(part.node) if place)


def part_at(parts: Sequence[Part], link: str) -> Part | None:
    """The part that a link means: by its id, else by the dotted place of a setting, where the
    nearest above or below will do."""
    place = tuple(link.split("."))
    named = next((one for one in parts if one.id == link), None)
    nearest = max(parts, key=lambda part: _nearness(part, place), default=None)
    if named is not None or nearest is None or _nearness(nearest, place) == 0:
        return named
    return nearest


def _nearness(part: Part, place: tuple[str, ...]) -> float:
    every = (*part.places, *places_of(part.node))
    return max((_fit(tuple(map(str, one)), place) for one in every), default=0)


def _fit(one: tuple[str, ...], place: tuple[str, ...]) -> float:
    if one == place[: len(one)]:
        return len(one)
    return len(place) - 0.5 if one[: len(place)] == place else 0


def places_of(node: FormNode) -> Iterator[FieldPlace]:
    """Of a node and all that is in it."""
    yield node.place
    for child in node.children:
        yield from places_of(child)


# ----------------------------------------------------------------------------- the list


def outline(
    pages: Sequence[SettingsPage],
    chosen: str,
    parts: Mapping[str, Sequence[Part]],
    advanced: str,
    found: Mapping[str, Collection[FieldPlace]] | None = None,
) -> tuple[Line, ...]:
    """The lines to show.

    Args:
        chosen: the page that shows its groups.
        parts: of the pages that were read.
        advanced: what the line above the rare parts is called; it is the last.
        found: of the pages that were searched, what was; only what has something of it is shown.
    """
    lines: list[Line] = []
    rare: list[Line] = []
    for page in pages:
        known = parts.get(page.id)
        hit = None if found is None else found.get(page.id)
        shown = tuple(_lines(page, known, hit))
        if page.sections:
            quiet = {one.id for one in page.sections if one.advanced}
            lines += [one for one in shown if one.part not in quiet]
            rare += [one for one in shown if one.part in quiet]
        elif found is None or hit or known is None:
            lines.append(Line(page.id, "", page.title, shown if page.id == chosen else ()))
    if rare:
        lines.append(Line(rare[0].page, ADVANCED, advanced, tuple(rare), folded=found is None))
    return tuple(lines)


def _lines(
    page: SettingsPage, parts: Sequence[Part] | None, found: Collection[FieldPlace] | None
) -> Iterator[Line]:
    if parts is None:  # not read yet: what it will have
        yield from (Line(page.id, one.id, one.title) for one in page.sections)
        return
    for part in parts:
        if found is None or hits(part, found):
            yield Line(page.id, part.id, part.title)
