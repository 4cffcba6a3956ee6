"""How files would be changed, for the card: a unified diff, bounded, in words a person can read.

notes = DiffNotes()
tool.run(given, replace(context, rehearsal=notes))
notes.text()          # "--- a.md\\n+++ a.md\\n@@ …"; "" when nothing can be shown
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field

_MOST_BYTES = 200_000
_MOST_LINES = 2_000
_SHOWN_LINES = 200
_LONGEST_LINE = 500
_NOTHING = "/dev/null"


@dataclass
class DiffNotes:
    """Implements `sdk.tools.Rehearsal`."""

    _parts: list[str] = field(default_factory=list)

    def note(self, path: str, before: bytes | None, after: bytes | None) -> None:
        head = [f"--- {_NOTHING if before is None else path}"]
        head.append(f"+++ {_NOTHING if after is None else path}")
        old, new = _lines(before), _lines(after)
        if old is None or new is None:
            sizes = [len(one) for one in (before, after) if one is not None]
            body = [f"@@ {' -> '.join(map(str, sizes))} bytes @@"]
        else:
            body = list(difflib.unified_diff(old, new, lineterm="", n=2))[2:]
        self._parts += [*head, *body]

    def text(self) -> str:
        """What was noted, the beginning of it when it is long. Where something is left out the last
        line ends in `@@`: then whoever shows it shows the call's arguments too."""
        shown = [one[:_LONGEST_LINE] for one in self._parts[:_SHOWN_LINES]]
        left = len(self._parts) - len(shown)
        if left or any(len(one) > _LONGEST_LINE for one in self._parts):
            shown.append(f"@@ … +{left} @@")
        return "\n".join(_visible(one) for one in shown)


def _lines(data: bytes | None) -> list[str] | None:
    """None for what is no text, or too much to compare."""
    if data is None:
        return []
    if len(data) > _MOST_BYTES:
        return None
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= _MOST_LINES else None


def _visible(line: str) -> str:
    """What cannot be seen, or turns the line round, as its code."""
    return "".join(one if one.isprintable() or one == "\t" else ascii(one)[1:-1] for one in line)
