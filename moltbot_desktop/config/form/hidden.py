"""Keys and passwords inside a part that is edited as JSON: shown as ``***``, and put back in when
the part comes back edited.

    seen = masked({"apiKey": "abc", "url": "x"}, (), hints)     # {"apiKey": "***", "url": "x"}
    unmasked({"apiKey": "***", "url": "y"}, old, seen)          # {"apiKey": "abc", "url": "y"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from moltbot_desktop.config.form.hints import Hints
from moltbot_desktop.config.secrets import HIDDEN
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import FieldPlace

_ELSEWHERE = re.compile(r"\$\{[A-Z_][A-Z0-9_]*\}|keyring:.+")


class StillHidden(Exception):
    """``***`` stands where no key was before."""


def kept_elsewhere(value: JsonValue) -> bool:
    """Whether a text only names where the key is: a variable, the password store."""
    return isinstance(value, str) and _ELSEWHERE.fullmatch(value) is not None


def masked(value: JsonValue, place: FieldPlace, hints: Hints) -> JsonValue:
    """`value`, which stands at `place`, as it may be seen."""
    if hints.at(place).sensitive:
        return value if not value or kept_elsewhere(value) else HIDDEN
    if isinstance(value, Mapping):
        return {name: masked(item, (*place, name), hints) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item, (*place, index), hints) for index, item in enumerate(value)]
    if isinstance(value, str) and value and hints.secret(place) and not kept_elsewhere(value):
        return HIDDEN
    return value


def unmasked(edited: JsonValue, old: JsonValue, seen: JsonValue) -> JsonValue:
    """`edited` with what `old` has where `seen`, which was shown of it, had it hidden.

    Raises:
        StillHidden: something is hidden and there is nothing to put in: it must not be written.
    """
    if edited == HIDDEN and seen == HIDDEN:
        return old
    if edited == HIDDEN and old != HIDDEN:
        raise StillHidden
    if isinstance(edited, Mapping):
        before = old if isinstance(old, Mapping) else {}
        known = seen if isinstance(seen, Mapping) else {}
        return {
            name: unmasked(item, before.get(name), known.get(name)) for name, item in edited.items()
        }
    return _items(edited, old, seen) if isinstance(edited, list) else edited


def _items(edited: list[JsonValue], old: JsonValue, seen: JsonValue) -> JsonValue:
    """Items may have moved: one that looks as an old one did is that one, else its number says
    which it was."""
    before = list(old) if isinstance(old, list) else []
    known = list(seen) if isinstance(seen, list) and len(seen) == len(before) else []
    found: list[JsonValue] = []
    for index, item in enumerate(edited):
        if index < len(known) and known[index] == item:
            found.append(before[index])
        elif item in known:
            found.append(before[known.index(item)])
        elif index < len(known):
            found.append(unmasked(item, before[index], known[index]))
        else:
            found.append(unmasked(item, None, None))
    return found
