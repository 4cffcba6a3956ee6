"""Discord's signs in a text, as a person would read them. Pure.

    readable("<@9> look at <#5> <:party:7>", Names("9", users={}, rooms={"5": "plans"}))
    # "look at #plans :party:"

A message that begins with the assistant's name says nothing by it but whom it is for, so that a
command behind it is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_SIGN = re.compile(r"<(?:(@[!&]?|#)(\d{1,20})|a?:(\w{1,64}):\d{1,20}|/([^:<>]{1,100}):\d{1,20})>")


@dataclass(frozen=True)
class Names:
    """What stands behind the numbers of one message; `me` is the assistant's own."""

    me: str
    users: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    rooms: Mapping[str, str] = field(default_factory=dict)


def readable(content: str, names: Names) -> str:
    """`content` with names for numbers; one that nobody knows stays as it is."""
    for called in (f"<@{names.me}>", f"<@!{names.me}>"):
        if content.lstrip().startswith(called):
            content = content.lstrip().removeprefix(called).lstrip(" ,:")
            break

    def named(found: re.Match[str]) -> str:
        kind, number, emoji, command = found.groups()
        if emoji:
            return f":{emoji}:"
        if command:
            return f"/{command}"
        table = {"#": names.rooms, "@&": names.roles}.get(kind, names.users)
        name = table.get(number)
        return f"{kind[0]}{name}" if name else found.group()

    return _SIGN.sub(named, content)
