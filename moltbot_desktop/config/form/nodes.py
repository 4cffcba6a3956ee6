"""Makes the tree of fields from a schema, a value and hints.

    node = Drawing(schema, hints, checker, saved, language).root(value)

Each level is looked at when it is reached, so a schema may be recursive: a group that is not
written and that leads into itself, or lies deep, is a closed one that can be begun (`addable`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.config.form.checking import Checker, FieldProblem, in_words, names_variable
from moltbot_desktop.config.form.choosing import chosen_variant
from moltbot_desktop.config.form.hidden import kept_elsewhere, masked
from moltbot_desktop.config.form.hints import Hints
from moltbot_desktop.config.form.placing import with_problems
from moltbot_desktop.config.form.shapes import (
    Shape,
    fits_kind,
    option_name,
    root_shape,
    shape_of,
)
from moltbot_desktop.config.form.texts import PHRASES
from moltbot_desktop.config.form.trees import NoPlace, at, same
from moltbot_desktop.config.form.wording import filled, hint_words, spoken, title_of
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode, Option, SecretState

_NO_NAMES: Mapping[str, str] = MappingProxyType({})
_DEEPEST_UNWRITTEN = 8
_MOST_NODES = 6_000
_PATHS: Mapping[str, str] = MappingProxyType(
    {
        "path": "file",
        "file": "file",
        "file-path": "file",
        "filepath": "file",
        "folder": "folder",
        "directory": "folder",
        "directory-path": "folder",
        "dir": "folder",
    }
)


@dataclass(frozen=True)
class _Here:
    """Where the drawing is.

    Attributes:
        refs: references entered since the last value that is written.
        unwritten: levels since then.
    """

    place: FieldPlace
    schema: JsonValue
    refs: frozenset[str] = frozenset()
    unwritten: int = 0
    required: bool = False
    unknown: bool = False
    label: str = ""


@dataclass
class Drawing:
    """One drawing of one state of a form.

    Attributes:
        saved: the value as it is in the file, to tell what was changed.
        hidden: places of secrets that were typed and wait to be kept.
    """

    schema: JsonObject
    hints: Hints
    checker: Checker
    saved: JsonValue
    language: Language
    hidden: frozenset[FieldPlace] = frozenset()
    _left: int = field(default=_MOST_NODES, init=False)
    _problems: dict[FieldPlace, list[str]] = field(default_factory=dict, init=False)
    _value: JsonValue = field(default=None, init=False)

    def root(self, value: JsonValue, problems: tuple[FieldProblem, ...]) -> FormNode:
        """The whole form; a problem at a place that has no field stands at the next one above."""
        self._value, self._left, self._problems = value, _MOST_NODES, {}
        for problem in problems:
            sentence = in_words(self._with_example(problem), self.language)
            self._problems.setdefault(problem.place, []).append(sentence)
        if self.checker.broken:
            told = PHRASES.say("schema_broken", self.language, reason=self.checker.broken)
            shape = Shape(FieldKind.RAW, reason="raw_schema")
            return replace(self._made(_Here((), {}), shape, value, {}), problems=(told,))
        node = self._node(_Here((), self.schema, label=title_of(self.schema)))
        return with_problems(node, self._problems)

    def _with_example(self, problem: FieldProblem) -> FieldProblem:
        """People read an example more easily than a pattern."""
        example = self.hints.at(problem.place).placeholder
        if problem.phrase != "pattern" or not example:
            return problem
        return replace(problem, expected=(example,))

    # ------------------------------------------------------------------ one level

    def _node(self, here: _Here) -> FormNode:
        self._left -= 1
        shape = shape_of(here.schema, self.schema) if here.place else root_shape(self.schema)
        if here.unknown:
            shape = Shape(FieldKind.RAW, reason="raw_unknown")
        written, value = self._at(here.place)
        if written and not fits_kind(shape, value):
            if names_variable(value):
                shape = replace(shape, kind=FieldKind.TEXT)
            else:
                shape = replace(shape, kind=FieldKind.RAW, reason="raw_other_kind", slots={})
        plain = shape.kind is FieldKind.TEXT or (here.unknown and isinstance(value, str))
        if plain and self.hints.secret(here.place):
            shape = replace(shape, kind=FieldKind.SECRET)
        inside = replace(
            here,
            refs=frozenset() if written else here.refs | shape.refs,
            unwritten=0 if written else here.unwritten + 1,
        )
        closed = not written and (
            bool(here.refs & shape.refs) or here.unwritten >= _DEEPEST_UNWRITTEN or self._left <= 0
        )
        told = self._told(here, shape, value, written=written)
        match shape.kind:
            case FieldKind.GROUP:
                children = () if closed else tuple(self._fields(inside, shape, value))
                named = shape.others is not None or bool(shape.patterns)
                return replace(told, children=children, addable=not written, named=named)
            case FieldKind.MAP:
                entries = tuple(self._entries(inside, shape, value))
                return replace(told, children=entries, addable=not written, named=True)
            case FieldKind.LIST:
                return self._list(told, inside, shape, value)
            case FieldKind.VARIANT:
                return self._variant(told, inside, shape, value, closed=closed)
        return told

    def _fields(self, here: _Here, shape: Shape, value: JsonValue) -> Iterator[FormNode]:
        """The properties in the hints' order, entries of the person's own, then what is not known:
        shown as well, so that nothing is lost unseen."""
        made = [
            self._node(
                replace(
                    here,
                    place=(*here.place, name),
                    schema=one,
                    required=name in shape.required,
                    label="",
                    unknown=False,
                )
            )
            for name, one in shape.properties.items()
            if not self.hints.at((*here.place, name)).hidden
        ]
        yield from sorted(made, key=lambda node: self.hints.at(node.place).order)
        yield from self._entries(here, shape, value)

    def _entries(self, here: _Here, shape: Shape, value: JsonValue) -> Iterator[FormNode]:
        for name in value if isinstance(value, Mapping) else ():
            place = (*here.place, name)
            if name in shape.properties or not self._written(place) or self.hints.at(place).hidden:
                continue
            schema = self._entry_schema(shape, name)
            inner = replace(
                here,
                place=place,
                schema=True if schema is None else schema,
                label=name,
                required=False,
                unknown=schema is None,
            )
            yield replace(self._node(inner), removable=True, renamable=True)

    def _entry_schema(self, shape: Shape, name: str) -> JsonValue:
        for pattern, one in shape.patterns.items():
            if self.checker.named(pattern, name):
                return one
        more = shape.schema.get("additionalProperties")
        return shape.others if shape.free else more if isinstance(more, Mapping) else None

    def _list(self, told: FormNode, here: _Here, shape: Shape, value: JsonValue) -> FormNode:
        items = value if isinstance(value, list) else []
        children: list[FormNode] = []
        for index, item in enumerate(items):
            if self._left <= 0 or not told.written:
                break
            inner = replace(here, place=(*here.place, index), schema=shape.items, required=False)
            label = self._item_label(here.place, index, item)
            made = self._node(replace(inner, label=label))
            last = index == len(items) - 1
            children.append(replace(made, label=label, removable=True, movable=True, last=last))
        most = shape.number("maxItems")
        return replace(told, children=tuple(children), addable=most is None or len(items) < most)

    def _item_label(self, place: FieldPlace, index: int, item: JsonValue) -> str:
        """By the hint's template, or by what tells items apart, or by number."""
        template = self.hints.at(place).item
        values = item if isinstance(item, Mapping) else {}
        if template:
            words = {name: one for name, one in values.items() if isinstance(one, str | int)}
            return filled(template, {"index": index + 1, "number": index + 1, **words})
        for name in ("name", "id", "label", "title"):
            if isinstance(values.get(name), str) and values[name]:
                return str(values[name])
        return PHRASES.say("item", self.language, number=index + 1)

    def _variant(
        self, told: FormNode, here: _Here, shape: Shape, value: JsonValue, *, closed: bool
    ) -> FormNode:
        options = tuple(Option(self._option_label(here, one)) for one in shape.variants)
        told = replace(told, options=options)
        if not told.written or value is None or closed:
            return told
        chosen = chosen_variant(shape, value, self.checker)
        if chosen < 0:
            raw = replace(shape, kind=FieldKind.RAW, reason="raw_no_option", slots={})
            return replace(told, children=(self._told(here, raw, value, written=True),))
        inner = self._node(replace(here, schema=shape.variants[chosen], label=told.label))
        return replace(told, chosen=chosen, children=(replace(inner, help=""),))

    def _option_label(self, here: _Here, schema: JsonObject) -> str:
        name = option_name(schema)
        if name:
            return name
        kind = shape_of(schema, self.schema).kind
        if kind is FieldKind.CHOICE:
            values = shape_of(schema, self.schema).values
            return " / ".join(self._choice(value).label for value in values[:6])
        if kind is FieldKind.TEXT and self.hints.secret(here.place):
            return PHRASES.say("option_key", self.language)
        return PHRASES.say(f"option_{_TYPE_WORDS.get(kind, 'any')}", self.language)

    # ------------------------------------------------------------------ what a field says

    def _told(self, here: _Here, shape: Shape, value: JsonValue, *, written: bool) -> FormNode:
        hint = self.hints.at(here.place)
        node = self._made(here, shape, value, hint_words(hint, shape.schema))
        default = shape.schema.get("default")
        has_default = "default" in shape.schema
        if shape.kind is FieldKind.SECRET:
            return self._secret(replace(node, nullable=False, written=written), value)
        return replace(
            node,
            value=node.value if written else default,
            written=written,
            default=default,
            has_default=has_default,
            variable=names_variable(value),
            advanced=hint.advanced,
            heading=hint.group,
        )

    def _made(
        self, here: _Here, shape: Shape, value: JsonValue, words: Mapping[str, str]
    ) -> FormNode:
        names = self.hints.at(here.place).values
        options = tuple(self._choice(one, names) for one in shape.values)
        chosen = [index for index, one in enumerate(options) if same(one.value, value)]
        written = self._written(here.place)
        said = shape.schema.get("format")
        low, high = shape.number("minimum"), shape.number("maximum")
        reason, slots = shape.reason, dict(shape.slots)
        named = str(here.place[-1]) if here.place else ""
        return FormNode(
            place=here.place,
            kind=shape.kind,
            label=words.get("label") or here.label or spoken(named),
            help=words.get("help", ""),
            placeholder=words.get("placeholder", ""),
            value=masked(value, here.place, self.hints),
            written=written,
            changed=self._changed(here.place, value),
            required=here.required,
            nullable=shape.nullable,
            format=_PATHS.get(said.lower(), "") if isinstance(said, str) else "",
            options=options if shape.kind is FieldKind.CHOICE else (),
            chosen=chosen[0] if written and chosen else -1,
            low=low,
            high=high,
            unknown=here.unknown,
            blank=_may_be_blank(shape),
            reason=PHRASES.say(reason, self.language, **slots) if reason else "",
        )

    def _secret(self, node: FormNode, value: JsonValue) -> FormNode:
        """Of a key nothing is shown but that there is one, or where it is kept."""
        hint = self.hints.at(node.place)
        elsewhere = kept_elsewhere(value)
        state = SecretState.UNSET
        if node.place in self.hidden or (isinstance(value, str) and value and not elsewhere):
            state = SecretState.WRITTEN
        elif elsewhere:
            state = SecretState.ELSEWHERE
        return replace(
            node,
            value=value if state is SecretState.ELSEWHERE else None,
            written=node.written or state is SecretState.WRITTEN,
            changed=node.changed or node.place in self.hidden,
            variable=elsewhere,
            secret=state,
            advanced=hint.advanced,
            heading=hint.group,
            options=(),
            chosen=-1,
        )

    def _choice(self, value: JsonValue, names: Mapping[str, str] = _NO_NAMES) -> Option:
        match value:
            case None:
                return Option(PHRASES.say("option_null", self.language), value)
            case True | False:
                return Option(PHRASES.say(f"option_{str(value).lower()}", self.language), value)
            case str():
                return Option(names.get(value) or value, value)
        return Option(json.dumps(value, ensure_ascii=False, default=str), value)

    # ------------------------------------------------------------------ values

    def _at(self, place: FieldPlace) -> tuple[bool, JsonValue]:
        try:
            return True, at(self._value, place)
        except NoPlace:
            return False, None

    def _written(self, place: FieldPlace) -> bool:
        return self._at(place)[0]

    def _changed(self, place: FieldPlace, value: JsonValue) -> bool:
        try:
            before = at(self.saved, place)
        except NoPlace:
            return self._written(place)
        return not self._written(place) or not same(before, value)


def _may_be_blank(shape: Shape) -> bool:
    """Whether who empties a line means a text without a word, and not the default again."""
    said = shape.schema
    limited = said.get("minLength") or "pattern" in said or "format" in said
    return shape.kind is FieldKind.TEXT and bool(said.get("default")) and not limited


_TYPE_WORDS: Mapping[FieldKind, str] = MappingProxyType(
    {
        FieldKind.TEXT: "string",
        FieldKind.WHOLE: "integer",
        FieldKind.NUMBER: "number",
        FieldKind.FLAG: "boolean",
        FieldKind.GROUP: "object",
        FieldKind.MAP: "object",
        FieldKind.LIST: "array",
    }
)
