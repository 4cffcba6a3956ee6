"""What a form makes of a schema, before there is any value: which properties have a field, and
what is edited as JSON for which reason.

    form_report(manifest.config_schema, language).raw       # (UndrawnField("steps", "A list in…"),)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from moltbot_desktop.config.form.checking import Checker
from moltbot_desktop.config.form.shapes import Shape, root_shape, shape_of
from moltbot_desktop.config.form.texts import PHRASES
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind, FormReport, UndrawnField

_MOST_PARTS = 6_000
_DEEPEST = 24


def form_report(schema: JsonObject, language: Language) -> FormReport:
    """Look through all of `schema`; a part that leads into itself is looked through once."""
    checker = Checker.of(schema)
    if checker.broken:
        reason = PHRASES.say("raw_schema", language)
        return FormReport((), (UndrawnField("", reason),), (checker.broken,))
    walk = _Walk(schema, language)
    found = tuple(walk.parts("", schema, frozenset(), 0))
    drawn = dict.fromkeys(part for part in found if isinstance(part, str) and part)
    raw = dict.fromkeys(part for part in found if isinstance(part, UndrawnField))
    return FormReport(tuple(drawn), tuple(raw), ())


@dataclass
class _Walk:
    root: JsonObject
    language: Language
    _left: int = field(default=_MOST_PARTS, init=False)

    def parts(
        self, path: str, schema: JsonValue, refs: frozenset[str], depth: int
    ) -> Iterator[str | UndrawnField]:
        self._left -= 1
        shape = shape_of(schema, self.root) if path or depth else root_shape(self.root)
        if shape.kind is FieldKind.RAW:
            reason = PHRASES.say(shape.reason, self.language, **shape.slots)
            yield UndrawnField(path, reason)
            return
        yield path
        if refs & shape.refs or depth >= _DEEPEST or self._left <= 0:
            return
        for name, inner in _inner(shape):
            below = f"{path}{name}" if name == "[]" or not path else f"{path}.{name}"
            yield from self.parts(below if name else path, inner, refs | shape.refs, depth + 1)


def _inner(shape: Shape) -> Iterator[tuple[str, JsonValue]]:
    match shape.kind:
        case FieldKind.GROUP | FieldKind.MAP:
            yield from shape.properties.items()
            if shape.others is not None:
                yield "*", shape.others
        case FieldKind.LIST:
            yield "[]", shape.items
        case FieldKind.VARIANT:
            yield from (("", variant) for variant in shape.variants)
