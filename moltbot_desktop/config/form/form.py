"""A form: a schema, what is saved, what was edited. Every edit gives a new form.

    form = open_form(schema, saved, manifest.ui_hints)
    form = form.put(("serve", "port"), 8080)
    form.root(language), form.dirty, form.wrong, form.changes()

What is written stays as it is unless it was edited: loading and saving is the identity, whatever
the schema cannot say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.config.form.blanks import blank
from moltbot_desktop.config.form.checking import Checker, FieldProblem
from moltbot_desktop.config.form.hidden import StillHidden, masked, unmasked
from moltbot_desktop.config.form.hints import Hints, read_hints
from moltbot_desktop.config.form.nodes import Drawing
from moltbot_desktop.config.form.shapes import Shape, fits_kind, root_shape, shape_of
from moltbot_desktop.config.form.texts import PHRASES
from moltbot_desktop.config.form.trees import (
    NoPlace,
    at,
    changes_between,
    put,
    same,
    shown,
    stands,
    unset,
)
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import Change, FieldKind, FieldPlace, FormNode

_MOST_STEPS_BACK = 200
_NO_SECRETS: Mapping[FieldPlace, str] = MappingProxyType({})


@dataclass(frozen=True)
class _State:
    """What an edit changes."""

    value: JsonValue
    secrets: Mapping[FieldPlace, str] = field(default_factory=lambda: _NO_SECRETS, repr=False)


@dataclass(frozen=True)
class Form:
    """See `sdk.forms.FormState`, which this is.

    Attributes:
        language: of refusals; what is drawn is told in the language that is asked for.
    """

    checker: Checker
    hints: Hints
    saved: JsonObject
    now: _State
    past: tuple[_State, ...] = ()
    language: Language = Language.ENGLISH

    @property
    def schema(self) -> JsonObject:
        return self.checker.schema

    @property
    def value(self) -> JsonValue:
        """What would be saved, secrets that were typed left out."""
        return self.now.value

    @property
    def secrets(self) -> Mapping[FieldPlace, str]:
        return self.now.secrets

    @property
    def dirty(self) -> bool:
        return bool(self.now.secrets) or not same(self.now.value, self.saved)

    @property
    def can_undo(self) -> bool:
        return bool(self.past)

    @property
    def wrong(self) -> int:
        before = set(self._problems(self.saved))
        return len({one.place for one in self._problems(self._checked()) if one not in before})

    def root(self, language: Language) -> FormNode:
        drawing = Drawing(
            self.schema,
            self.hints,
            self.checker,
            self.saved,
            language,
            frozenset(self.now.secrets),
        )
        return drawing.root(self.now.value, self._problems(self._checked()))

    def found(self, words: str, language: Language) -> frozenset[FieldPlace]:
        wanted = words.casefold().split()
        return frozenset(_found(self.root(language), wanted)) if wanted else frozenset()

    def changes(self) -> tuple[Change, ...]:
        return tuple(changes_between(self.saved, self.now.value))

    # ------------------------------------------------------------------ edits

    def put(self, place: FieldPlace, value: JsonValue) -> Form:
        old = self._at(place)
        try:
            whole = value
            if isinstance(value, Mapping | list) or place not in self.now.secrets:
                whole = unmasked(value, old, masked(old, place, self.hints))
            return self._with(put(self.now.value, place, whole), without=place)
        except StillHidden as error:
            raise UserInputInvalid(self._say("hidden")) from error
        except NoPlace as error:
            raise self._refused(place) from error

    def hide(self, place: FieldPlace, secret: str) -> Form:
        if not stands(self.now.value, place[:-1]) and len(place) > 1:
            return self.add(place[:-1]).hide(place, secret)
        return self._with(self.now.value, {**self.now.secrets, place: secret})

    def unset(self, place: FieldPlace) -> Form:
        if not stands(self.now.value, place):
            return self._with(self.now.value, without=place)
        tree = unset(self.now.value, place) if place else {}
        above = place[:-1]
        # A group that was begun in this form goes again with the last thing in it.
        while (
            above
            and isinstance(above[-1], str)
            and not stands(self.saved, above)
            and same(at(tree, above), {})
        ):
            tree = unset(tree, above)
            above = above[:-1]
        if not place or not isinstance(place[-1], int):
            return self._with(tree, without=place)
        gone, size = place[-1], len(place)
        left = {one: text for one, text in self.now.secrets.items() if one[:size] != place}
        return self._with(tree, _renumbered(left, place[:-1], lambda n: n - (n > gone)))

    def add(self, place: FieldPlace, name: str = "") -> Form:
        here = self._shape(place)
        old = self._at(place)
        if here.kind is FieldKind.LIST:
            items = list(old) if isinstance(old, list) else []
            return self.put((*place, len(items)) if items else place, self._more(here, items))
        if not name:
            return self if stands(self.now.value, place) else self.put(place, self._blank(place))
        if isinstance(old, Mapping) and name in old:
            raise UserInputInvalid(
                self._say("name_taken", name=name), hint=self._say("name_taken_hint")
            )
        return self.put((*place, name), self._blank((*place, name)))

    def move(self, place: FieldPlace, to: int) -> Form:
        above, number = place[:-1], place[-1] if place else ""
        items = self._at(above)
        if not isinstance(items, list) or not isinstance(number, int):
            raise self._refused(place)
        if not (0 <= to < len(items) and 0 <= number < len(items)):
            raise self._refused(place)
        order = [index for index in range(len(items)) if index != number]
        order.insert(to, number)
        moved = [items[index] for index in order]
        secrets = _renumbered(self.now.secrets, above, order.index)
        return self._with(put(self.now.value, above, moved), secrets)

    def rename(self, place: FieldPlace, name: str) -> Form:
        above = place[:-1]
        group = self._at(above)
        if not place or not isinstance(group, Mapping) or place[-1] not in group:
            raise self._refused(place)
        if name == place[-1]:
            return self
        if not name or name in group:
            raise UserInputInvalid(
                self._say("name_taken", name=name), hint=self._say("name_taken_hint")
            )
        renamed = {name if key == place[-1] else key: item for key, item in group.items()}
        size, moved = len(place), (*above, name)
        secrets = {
            (*moved, *one[size:]) if one[:size] == place else one: secret
            for one, secret in self.now.secrets.items()
        }
        return self._with(put(self.now.value, above, renamed), secrets)

    def choose(self, place: FieldPlace, option: int) -> Form:
        shape = self._shape(place)
        if shape.kind is not FieldKind.VARIANT or not 0 <= option < len(shape.variants):
            raise self._refused(place)
        return self.put(place, blank(shape.variants[option], self.schema))

    def undo(self) -> Form:
        if not self.past:
            return self
        return replace(self, now=self.past[-1], past=self.past[:-1])

    def revert(self) -> Form:
        return self._with(self.saved, {}) if self.dirty else self

    # ------------------------------------------------------------------ inside

    def _with(
        self,
        value: JsonValue,
        secrets: Mapping[FieldPlace, str] | None = None,
        without: FieldPlace | None = None,
    ) -> Form:
        """The form after an edit; `without` is a place whose typed secrets no longer hold."""
        kept = self.now.secrets if secrets is None else secrets
        if without is not None:
            size = len(without)
            kept = {place: one for place, one in kept.items() if place[:size] != without}
        past = (*self.past, self.now)[-_MOST_STEPS_BACK:]
        return replace(self, now=_State(value, kept), past=past)

    def _at(self, place: FieldPlace) -> JsonValue:
        try:
            return at(self.now.value, place)
        except NoPlace:
            return None

    def _checked(self) -> JsonValue:
        """What is checked: with the typed secrets where they will stand."""
        tree = self.now.value
        for place, secret in self.now.secrets.items():
            try:
                tree = put(tree, place, secret)
            except NoPlace:
                continue
        return tree

    def _problems(self, value: JsonValue) -> tuple[FieldProblem, ...]:
        return self.checker.problems(value)

    def _shape(self, place: FieldPlace) -> Shape:
        """The shape at `place`, through the alternatives that are chosen on the way."""
        shape = root_shape(self.schema)
        for index, step in enumerate(place):
            shape = self._chosen(shape, place[:index])
            shape = shape_of(_inside(shape, step), self.schema)
        return shape

    def _chosen(self, shape: Shape, place: FieldPlace) -> Shape:
        value = self._at(place)
        while shape.kind is FieldKind.VARIANT:
            fitting = [one for one in shape.variants if self.checker.fits(one, value)]
            rest = [one for one in shape.variants if fits_kind(shape_of(one, self.schema), value)]
            shape = shape_of((fitting or rest or list(shape.variants))[0], self.schema)
        return shape

    def _blank(self, place: FieldPlace) -> JsonValue:
        above = self._chosen(self._shape(place[:-1]), place[:-1])
        return blank(_inside(above, place[-1]), self.schema) if place else {}

    def _more(self, shape: Shape, items: list[JsonValue]) -> JsonValue:
        one = blank(shape.items, self.schema)
        return one if items else [one]

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self.language, **slots)

    def _refused(self, place: FieldPlace) -> UserInputInvalid:
        message = self._say("no_place", place=shown(place))
        return UserInputInvalid(message, hint=self._say("no_place_hint"))


def open_form(
    schema: JsonObject,
    saved: JsonObject,
    hints: JsonValue = None,
    language: Language = Language.ENGLISH,
) -> Form:
    """The form of `saved`; `hints` are a manifest's `uiHints`."""
    return Form(Checker.of(schema), read_hints(hints), saved, _State(saved), language=language)


def _renumbered(
    secrets: Mapping[FieldPlace, str], above: FieldPlace, number: Callable[[int], int]
) -> Mapping[FieldPlace, str]:
    """`secrets` with those in items of the list at `above` where their items are now."""
    size = len(above)

    def now(place: FieldPlace) -> FieldPlace:
        step = place[size] if len(place) > size else ""
        if place[:size] != above or not isinstance(step, int):
            return place
        return (*above, number(step), *place[size + 1 :])

    return {now(place): secret for place, secret in secrets.items()}


def _inside(shape: Shape, step: str | int) -> JsonValue:
    """The schema of what stands at `step` of a value of this shape."""
    if isinstance(step, int):
        return shape.items
    if step in shape.properties:
        return shape.properties[step]
    return True if shape.others is None else shape.others


def _found(node: FormNode, wanted: list[str]) -> Iterator[FieldPlace]:
    steps = tuple(map(str, node.place))
    text = " ".join((*steps, ".".join(steps), node.label, node.help, node.heading)).casefold()
    if node.place and all(word in text for word in wanted):
        yield from _all(node)
        return
    below = [place for child in node.children for place in _found(child, wanted)]
    if below:
        yield node.place
        yield from below


def _all(node: FormNode) -> Iterator[FieldPlace]:
    yield node.place
    for child in node.children:
        yield from _all(child)
