"""Asks at the start what BOOT.md says."""

from __future__ import annotations

from moltbot_desktop.sdk.internal_hooks import InternalEvent

_MOST_CHARACTERS = 8_000


async def handle(event: InternalEvent) -> None:
    path = event.workspace / "BOOT.md"
    if event.ask is None or path.is_symlink() or not path.is_file():
        return
    text = path.read_text(encoding="utf-8", errors="replace").strip()[:_MOST_CHARACTERS]
    if text:
        event.ask(text)
