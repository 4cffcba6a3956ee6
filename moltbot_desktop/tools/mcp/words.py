"""Words of strangers, made short and harmless before they stand in a prompt or a window.

    line("Gets <|im_start|> the\\n time", 40)       # "Gets <​|im_start|> the time"

A description is in every prompt, before the person's own words, so it gets one line without control
characters. Marks of turns get a zero width space (`models.neutral` says why), here those of every
model, because the list is made before it is known who reads it.
"""

from __future__ import annotations

import re
import unicodedata

BREAK = "\u200b"
_MARK = re.compile(
    r"<(?=[|｜][^\s<>]{1,60}>)"
    r"|<(?=[^\s<>]{1,60}[|｜]>)"
    r"|<(?=/?(?:s|[a-z]{1,20}_of_[a-z]{1,20}|think|tool_call|tool_response|tools?|system)>)"
    r"|\[(?=/?[A-Z_]{3,20}\])"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Kinds of characters that a person does not see; text can be hidden in them."""


def harmless(text: str) -> str:
    """`text` in which no mark of a turn stands any more; else as it is."""
    return _MARK.sub(lambda found: found[0] + BREAK, text)


def line(value: object, longest: int) -> str:
    """`value` as one harmless line of at most `longest` characters; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    # Far more than is needed, far less than a server can send.
    seen = "".join(one if _is_seen(one) else " " for one in value[: 4 * longest + 64])
    text = harmless(" ".join(seen.split()))
    return text if len(text) <= longest else f"{text[: max(0, longest - 1)].rstrip()}…"


def _is_seen(one: str) -> bool:
    return (one.isascii() and one.isprintable()) or unicodedata.category(one) not in _UNSEEN
