"""Keys that are left out of what is kept of a tool's call: by their form alone, and only sure ones.

    keys = keys_in({"command": "curl -H 'X-Key: sk-…'"})      # ("sk-…",)
    without_in(keys, arguments)             # {"command": "curl -H 'X-Key: [key left out here…]'"}

The log's net (`redaction`) may hide too much: nobody works on with a log. A conversation is worked
on with, so here a word that only looks like a key stays: names in code, checksums, a class of a
style sheet. What the maker gave no form (a password) stays too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.security.redaction import HOOK, KNOWN

MARK = "[key left out here; it is not kept]"
"""Read by the model too, in later turns: it says why it stands there."""
_CUT = "…"
_SHOWN = 6
"""Letters of a key that may stay where a text was cut: as many as `redaction` shows."""
_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 _-]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<value>(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!-)){64,20000}+)"
)
_RUN = re.compile(r"[A-Za-z0-9+/]{32}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_BREAK = re.compile(r"\\[rn]|\s")
_PARTS = re.compile(r"[^A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HEX = re.compile(r"(?:\d{5,16}:)?[0-9a-f]+")
_LEAST_HUMP = 2.9
"""Letters of a part of a name on the average; of letters by chance it is about two."""


def keys_in(value: JsonValue) -> tuple[str, ...]:
    """Each key in the texts of `value`, the longest first."""
    found: set[str] = set()
    for text in _texts(value):
        found.update(_in_text(text))
    return tuple(sorted(found, key=lambda key: (-len(key), key)))


def without(keys: Sequence[str], text: str) -> str:
    """`text` with a mark in the place of each of `keys`, and of a long beginning of one that was
    cut ("sk-AAHq9vQxk…")."""
    for key in keys:
        text = text.replace(key, MARK)
    *cut, last = text.split(_CUT)
    return _CUT.join((*(_without_end(keys, one) for one in cut), last))


def _without_end(keys: Sequence[str], text: str) -> str:
    for key in keys:
        for end in range(len(key) - 1, _SHOWN, -1):
            if text.endswith(key[:end]):
                return text[:-end] + MARK
    return text


def without_in(keys: Sequence[str], value: JsonValue) -> JsonValue:
    """`value` with a mark in the place of each of `keys`; the same object where there is none."""
    if not keys:
        return value
    if isinstance(value, str):
        return without(keys, value)
    if isinstance(value, Mapping):
        return {without(keys, name): without_in(keys, one) for name, one in value.items()}
    if isinstance(value, Sequence):
        return [without_in(keys, one) for one in value]
    return value


def _texts(value: JsonValue) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield name
            yield from _texts(one)
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _in_text(text: str) -> Iterable[str]:
    for form in (KNOWN, HOOK):
        for found in form.finditer(text):
            if not _is_ordinary(found["value"]):
                yield found["value"]
    for found in _BLOCK.finditer(text):
        block = found["value"].strip()
        if _RUN.search(block):
            yield block
            # A tool that shows what it changed shows line by line.
            yield from filter(_BASE64.fullmatch, _BREAK.split(block))


def _is_ordinary(value: str) -> bool:
    """Whether it is a checksum, or names joined together: no part mixes letters and digits, and
    the letters are words by their capitals."""
    if _HEX.fullmatch(value):
        return True
    letters = humps = 0
    for part in filter(None, _PARTS.split(value)):
        if part.isdigit():
            continue
        if not part.isalpha():
            return False
        own = _HUMPS.findall(part)
        letters += len(part)
        humps += len(own)
    return humps > 0 and letters >= _LEAST_HUMP * humps
