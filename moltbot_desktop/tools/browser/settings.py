"""How the browser is set up: `browser` of the settings, as the tool's own value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.security.forward_door import NO_LOCAL_HOSTS, LocalHosts


@dataclass(frozen=True)
class BrowserSettings:
    """What holds when the browser is next started, and `evaluate` at once.

    Attributes:
        profile: its own folder; nobody else's.
        program: "" for the first that is found.
        headless: without a window; None where there is no screen for one.
        connect: address of a running browser to use in place of an own one.
        idle_seconds: without use, until it is closed; 0 never.
        local: computers that are not public and may be looked at.
        most: characters of a snapshot where a call does not say.
    """

    profile: Path
    program: str = ""
    headless: bool | None = None
    sandbox: bool = True
    connect: str = ""
    evaluate: bool = False
    idle_seconds: float = 600.0
    local: LocalHosts = NO_LOCAL_HOSTS
    most: int = 6_000
