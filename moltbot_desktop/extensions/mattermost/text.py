"""Words on their way to Mattermost and from there. Pure.

    harmless("@all: ![x](https://a.example/x.png)")   # calls nobody, loads nothing
    names("ask @molt.", "molt")                       # True
    without_our_name("@molt /status", "molt")         # "/status"

Mattermost takes Markdown as it is. https://docs.mattermost.com/collaborate/mention-people.html
"""

from __future__ import annotations

import re

_EVERYBODY = re.compile(r"(?<![^\W_])@(?=(?:all|channel|here)(?![^\W_]))", re.IGNORECASE)
_NAMED = re.compile(r"(?<![A-Za-z0-9])@([A-Za-z0-9._-]{1,64})")
_FENCE = re.compile(r" {0,3}+(`{3,}+|~{3,}+)([^`]*)")
_CODE = re.compile(r"(`[^`]*`)")
_LEAD = re.compile(r"\s*@([A-Za-z0-9._-]{1,64})[\s:,]*(?=/)")
_NOTHING = "\N{ZERO WIDTH SPACE}"


def harmless(text: str) -> str:
    """`text` in which no name calls everybody in a room, and no picture is loaded from where it
    lies: its address is shown instead."""
    quiet = _EVERYBODY.sub(f"@{_NOTHING}", text)
    if "![" not in quiet:
        return quiet
    lines, fence = [], ""
    for line in quiet.split("\n"):
        found = _FENCE.fullmatch(line)
        if fence:
            ends = found is not None and found[1].startswith(fence) and not found[2].strip()
            fence = "" if ends else fence
            lines.append(line)
        elif found is not None:
            fence = found[1]
            lines.append(line)
        else:
            parts = _CODE.split(line)
            parts[::2] = [one.replace("![", "!\\[") for one in parts[::2]]
            lines.append("".join(parts))
    return "\n".join(lines)


def names(text: str, username: str) -> bool:
    """Whether `text` has ``@username``."""
    return bool(username) and any(_is(found[1], username) for found in _NAMED.finditer(text))


def calls_everybody(text: str) -> bool:
    return _EVERYBODY.search(text) is not None


def without_our_name(text: str, username: str) -> str:
    """A command behind our name, without the name: Mattermost keeps what begins with "/" for
    itself. Everything else as it is."""
    found = _LEAD.match(text)
    if found is not None and _is(found[1], username):
        return text[found.end() :].strip()
    return text.strip()


def without_prefix(text: str, prefixes: tuple[str, ...]) -> str | None:
    """What stands behind the first of `prefixes` that `text` begins with; None for none."""
    bare = text.lstrip()
    for one in prefixes:
        if bare.startswith(one):
            return bare.removeprefix(one).strip()
    return None


def _is(found: str, username: str) -> bool:
    """A name may be followed by what ends a sentence."""
    wanted, small = username.lower(), found.lower()
    return small == wanted or small.rstrip("._-") == wanted
