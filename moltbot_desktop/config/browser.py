"""The assistant's own browser: `browser`. Off until the owner switches it on.

browser: { enabled: true, headless: false, idleMinutes: 10,
           ssrfPolicy: { allowedHostnames: ["localhost:8080", "nas.local"] } }
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Flag, ListOf, Optional, Text, WholeNumber


@dataclass(frozen=True)
class BrowserConfig(Section):
    enabled: bool = setting(
        "enabled", Flag(), False, "Let me use web pages in a browser; their servers learn of it."
    )
    executable_path: str | None = setting(
        "executablePath",
        Optional(Text()),
        None,
        "The browser's program; null is the first Chrome, Edge or Chromium that is found.",
    )
    headless: bool | None = setting(
        "headless",
        Optional(Flag()),
        None,
        "Without a window; null is that where there is no screen.",
    )
    no_sandbox: bool = setting(
        "noSandbox", Flag(), False, "Without the browser's own walls; only inside a container."
    )
    cdp_url: str | None = setting(
        "cdpUrl",
        Optional(Text()),
        None,
        "Address of a running browser to use in place of my own; what it does by itself is not "
        "counted.",
    )
    evaluate_enabled: bool = setting(
        "evaluateEnabled", Flag(), False, "Let me run programs inside pages; I ask for each."
    )
    idle_minutes: int = setting(
        "idleMinutes", WholeNumber(0, 1_440), 10, "Close it after so long without use; 0 keeps it."
    )
    snapshot_chars: int = setting(
        "snapshotDefaults.maxChars",
        WholeNumber(500, 80_000),
        6_000,
        "Characters of a page at once.",
    )
    allowed_hosts: tuple[str, ...] = setting(
        "ssrfPolicy.allowedHostnames",
        ListOf(Text()),
        (),
        "Computers of your own network that I may look at: host, or host:port.",
    )
