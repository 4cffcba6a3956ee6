"""Keys that stand twice in one group of a settings file: JSON lets the last one count, and whoever
wrote the first one wonders why nothing happens.

    repeated_keys('{\n ui: {theme: "dark"},\n ui: {language: "zh"},\n}')   # ui, lines 2 and 3
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from moltbot_desktop.config.spans import Member, Span, Unclear, spans


@dataclass(frozen=True)
class Repeated:
    """`path` is dotted; `lines` where it stands, 1-based, in order."""

    path: str
    lines: tuple[int, ...]


def repeated_keys(text: str) -> tuple[Repeated, ...]:
    """Those of a text that could be read; none where it is written too unusually to tell."""
    try:
        return tuple(_repeated(text, spans(text), ""))
    except Unclear:
        return ()


def _repeated(text: str, group: Span, path: str) -> Iterator[Repeated]:
    named: dict[str, list[Member]] = {}
    for number, member in enumerate(group.members):
        if group.opening == "{":
            named.setdefault(member.key, []).append(member)
        inner = f"{path}.{member.key}" if path else member.key
        yield from _repeated(
            text, member.value, inner if group.opening == "{" else f"{path}[{number}]"
        )
    for key, members in named.items():
        if len(members) > 1:
            lines = tuple(text.count("\n", 0, one.start) + 1 for one in members)
            yield Repeated(f"{path}.{key}" if path else key, lines)
