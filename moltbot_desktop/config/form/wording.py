"""What a field is called: the hint's words, else the schema's, else its name as people say it.

spoken("silenceDurationMs")       # "Silence duration (ms)"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.config.form.hints import Hint
from moltbot_desktop.core.json import JsonObject

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_INITIALS = frozenset(
    "api url uri id ui kv gpu cpu mcp http https json html csv pdf tts stt ip sid sip ssl tls ttl"
    " vad dm llm ai sms dns sdk tcp udp cli pin".split()
)
_UNITS: Mapping[str, str] = MappingProxyType(
    {
        "ms": "ms",
        "millis": "ms",
        "milliseconds": "ms",
        "sec": "seconds",
        "secs": "seconds",
        "seconds": "seconds",
        "minutes": "minutes",
        "hours": "hours",
        "days": "days",
        "kb": "KB",
        "mb": "MB",
        "gb": "GB",
        "bytes": "bytes",
        "chars": "characters",
        "tokens": "tokens",
        "percent": "%",
    }
)


def hint_words(hint: Hint, schema: JsonObject) -> dict[str, str]:
    """Label, help and placeholder: the hint's word goes before the schema's."""

    def text(keyword: str) -> str:
        value = schema.get(keyword)
        return value if isinstance(value, str) else ""

    examples = schema.get("examples")
    example = examples[0] if isinstance(examples, list) and examples else ""
    return {
        "label": hint.label or text("title"),
        "help": hint.help or text("description"),
        "placeholder": hint.placeholder or (example if isinstance(example, str) else ""),
    }


def spoken(name: str) -> str:
    """``maxToolCalls`` as "Max tool calls", ``apiUrl`` as "API URL", ``timeoutMs`` as "Timeout
    (ms)"."""
    words = _WORD.findall(name)
    if not words:
        return name
    unit = _UNITS.get(words[-1].lower(), "") if len(words) > 1 else ""
    named = words[:-1] if unit else words
    small = [word.upper() if _is_initials(word) else word.lower() for word in named]
    told = " ".join([small[0][:1].upper() + small[0][1:], *small[1:]])
    return f"{told} ({unit})" if unit else told


def _is_initials(word: str) -> bool:
    return word.lower() in _INITIALS or (word.isupper() and len(word) > 1)


def title_of(schema: JsonObject) -> str:
    title = schema.get("title")
    return title if isinstance(title, str) else ""


def filled(template: str, words: Mapping[str, str | int]) -> str:
    return re.sub(
        r"\{\{?\s*(\w+)\s*\}?\}", lambda match: str(words.get(match[1], "")), template
    ).strip()
