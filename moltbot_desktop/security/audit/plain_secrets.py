"""Keys and passwords that stand in plain text where they need not.

    plain_places(raw)              # ("models.providers.lab.apiKey", "env.vars.BRAVE_API_KEY")
    "key sk-abc…" and holds_key(line)

Only where they stand is told, never what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from moltbot_desktop.config.secrets import is_secret_name
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.audit import Finding, Severity
from moltbot_desktop.security.redaction import holds_key

_ELSEWHERE = ("${", "keyring:")
_OF_FILES = ("file", "path", "dir")
"""What a setting ends with that says where a key lies."""
_LEAST = 8
"""Characters; shorter ones are words such as "none"."""
_MOST_NAMED = 5


def plain_places(value: JsonValue, place: str = "") -> Iterator[str]:
    """Where in the settings a key or a password stands itself, and not only what it is called."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            below = f"{place}.{name}" if place else name
            if isinstance(item, str):
                if _is_plain(name, item):
                    yield below
            else:
                yield from plain_places(item, below)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            if isinstance(item, str):
                if holds_key(item):
                    yield f"{place}[{number}]"
            else:
                yield from plain_places(item, f"{place}[{number}]")


def _is_plain(name: str, text: str) -> bool:
    words = text.split()
    if not words or any(word.startswith(_ELSEWHERE) for word in words):
        return False
    is_name = is_secret_name(name) and not name.lower().endswith(_OF_FILES)
    is_name |= name.lower() == "authorization"
    return (is_name and len(text) >= _LEAST and len(words) <= 2) or holds_key(text)


def secret_findings(
    config: Iterable[str], backups: Iterable[str], transcripts: Iterable[str], logs: Iterable[str]
) -> Iterator[Finding]:
    """Of places in moltbot.json, and of files that hold what looks like a key."""
    yield from _found("secrets.config.plain", Severity.WARNING, config)
    yield from _found("secrets.backup.plain", Severity.WARNING, backups)
    yield from _found("secrets.transcript.plain", Severity.WARNING, transcripts)
    yield from _found("secrets.log.plain", Severity.WARNING, logs)


def _found(id: str, severity: Severity, places: Iterable[str]) -> Iterator[Finding]:
    found = tuple(dict.fromkeys(places))
    if found:
        named = ", ".join(found[:_MOST_NAMED])
        where = f"{named} …" if len(found) > _MOST_NAMED else named
        yield Finding(id, severity, {"where": where, "count": len(found)})
