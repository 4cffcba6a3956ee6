"""Writes the end of a conversation to memory when a new one is started."""

from __future__ import annotations

import re

from moltbot_desktop.core.messages import Role
from moltbot_desktop.sdk.internal_hooks import InternalEvent

_MOST_CHARACTERS = 2_000
_COMMENT = re.compile(r"<!--|-->")


async def handle(event: InternalEvent) -> None:
    asked = [one.content for one in event.history if one.role is Role.USER]
    if not asked:
        return
    day, time = f"{event.time:%Y-%m-%d}", f"{event.time:%H:%M}"
    # As the program marks its own notes: what strangers said is never read again as the owner's.
    strange = event.tainted or event.source != "desktop"
    mark = " <!-- mark: untrusted -->" if strange else ""
    lines = [f"# Conversation of {day} {time}", ""]
    for one in event.history:
        said = " ".join(_COMMENT.sub("", one.content[:_MOST_CHARACTERS]).split())
        lines.append(f"- {time} · {one.role.value}: {said}{mark}")
    folder = event.workspace / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{day}-{_slug(asked[0]) or f'{event.time:%H%M}'}"
    for number in range(1, 100):
        path = folder / (f"{stem}.md" if number == 1 else f"{stem}-{number}.md")
        try:
            with path.open("x", encoding="utf-8") as file:  # never over another note
                file.write("\n".join(lines) + "\n")
        except FileExistsError:
            continue
        return


def _slug(text: str) -> str:
    """Up to four words of the first request, for a file's name."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words[:4])[:40].strip("-")
