"""The options of /exec and /queue: words with a name before them, in any order.

    queue_options("steer debounce:2s")         # QueueOptions(mode="steer", debounce_ms=2000)
    exec_options("host=gateway ask=always")    # ExecOptions(host="gateway", ask="always")

A word that cannot be used stands in `wrong`, as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from moltbot_desktop.agent.queueing import drop_policy, queue_mode

MAX_QUEUE_CAP = 1_000
MAX_DEBOUNCE_MS = 600_000
"""Ten minutes: a longer pause is a mistake, not patience."""

_RESET = frozenset({"default", "reset", "clear"})
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ms|s|m|h)?", re.IGNORECASE)
_UNIT_MS: Mapping[str, int] = MappingProxyType({"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000})
_CAP = re.compile("[0-9]{1,4}")
_NAMED = re.compile(r"([a-z]+)[:=](.*)", re.IGNORECASE)


@dataclass(frozen=True)
class QueueOptions:
    """Of /queue; "" and None are not given.

    Attributes:
        debounce_ms: pause after the last message before the next run begins.
        cap: most messages that wait.
        default: back to what the settings say, before the rest.
    """

    mode: str = ""
    debounce_ms: int | None = None
    cap: int | None = None
    drop: str = ""
    default: bool = False
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExecOptions:
    """Of /exec; "" is not given."""

    host: str = ""
    security: str = ""
    ask: str = ""
    node: str = ""
    wrong: tuple[str, ...] = ()


_EXEC_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "host": ("sandbox", "gateway", "node"),
        "security": ("deny", "allowlist", "full"),
        "ask": ("off", "on-miss", "always"),
        "node": (),
    }
)


def milliseconds(text: str) -> int | None:
    """A time such as ``2s``, ``500ms`` or ``1500`` (milliseconds); None when it is none or longer
    than ten minutes."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    found = round(float(match[1]) * _UNIT_MS[(match[2] or "ms").lower()])
    return found if found <= MAX_DEBOUNCE_MS else None


def queue_options(text: str) -> QueueOptions:
    """What `text` says, the last of several that are given twice."""
    found = QueueOptions()
    for word in text.split():
        found = _with_queue_word(found, word)
    return found


def _with_queue_word(found: QueueOptions, word: str) -> QueueOptions:
    named = _NAMED.fullmatch(word)
    name, value = (named[1].lower(), named[2]) if named else ("mode", word)
    if name == "mode" and word.casefold() in _RESET:
        return replace(found, default=True)
    if name == "mode" and (mode := queue_mode(value)) is not None:
        return replace(found, mode=mode.value)
    if name == "debounce" and (pause := milliseconds(value)) is not None:
        return replace(found, debounce_ms=pause)
    if name == "cap" and _CAP.fullmatch(value) and 1 <= int(value) <= MAX_QUEUE_CAP:
        return replace(found, cap=int(value))
    if name == "drop" and (drop := drop_policy(value)) is not None:
        return replace(found, drop=drop.value)
    return replace(found, wrong=(*found.wrong, word))


def exec_options(text: str) -> ExecOptions:
    """What `text` says, the last of several that are given twice."""
    values: dict[str, str] = {}
    wrong: list[str] = []
    for word in text.split():
        named = _NAMED.fullmatch(word)
        name, value = (named[1].lower(), named[2]) if named else ("", "")
        among = _EXEC_CHOICES.get(name)
        if among is None or not value or (among and value.lower() not in among):
            wrong.append(word)
        else:
            values[name] = value.lower() if among else value
    return ExecOptions(**values, wrong=tuple(wrong))
