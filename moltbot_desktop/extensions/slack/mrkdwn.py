"""Text as Slack writes it, for people and models to read. Pure.

    readable("see <https://a.example|this> &amp; ask <@U42>", {"U42": "ada"})
    # "see this (https://a.example) & ask @ada"
    names("hi <@UBOT>", "UBOT")          # True

What means something to Slack stands in angle brackets; the three signs themselves are escaped.
https://docs.slack.dev/messaging/formatting-message-text
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_MARK = re.compile(r"<([^<>]{1,4000})>")
_PERSON = re.compile(r"<@([A-Z0-9]{2,30})(?:\|[^<>]*)?>")


def people_in(text: str) -> Iterator[str]:
    """Ids of those who are named."""
    for found in _PERSON.finditer(text):
        yield found[1]


def names(text: str, user: str) -> bool:
    """Whether `text` addresses this user."""
    return bool(user) and user in people_in(text)


def readable(text: str, people: Mapping[str, str]) -> str:
    """`text` without Slack's signs; `people` has names by id, others stay ids."""

    def plain(found: re.Match[str]) -> str:
        inner, _, label = found[1].partition("|")
        if inner.startswith("@"):
            return f"@{people.get(inner[1:]) or label or inner[1:]}"
        if inner.startswith("#"):
            return f"#{label or inner[1:]}"
        if inner.startswith("!"):
            return label or f"@{inner[1:].partition('^')[0]}"
        if (
            not label
            or label == inner
            or inner == f"mailto:{label}"
            or inner.endswith(f"//{label}")
        ):
            return inner.removeprefix("mailto:")
        return f"{label} ({inner})"

    whole = _MARK.sub(plain, text)
    for sign, written in (("<", "&lt;"), (">", "&gt;"), ("&", "&amp;")):
        whole = whole.replace(written, sign)
    return whole


def without_our_name(text: str, user: str) -> str:
    """A command behind our name, without the name; everything else as it is."""
    bare = re.sub(rf"^\s*<@{re.escape(user)}(?:\|[^<>]*)?>[\s:,]*(?=/)", "", text) if user else text
    return bare.strip()
