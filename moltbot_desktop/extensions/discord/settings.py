"""What the settings say of one bot."""

from __future__ import annotations

from dataclasses import dataclass, field

from moltbot_desktop.core.json import JsonObject

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 8


@dataclass(frozen=True)
class Settings:
    """See the manifest for what they mean.

    Attributes:
        most: bytes of a file that is fetched.
    """

    token: str = field(repr=False)
    proxy: str = field(default="", repr=False)
    most: int = _USUAL_MEGABYTES * _MEGABYTE


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing. A token may be written as it is sent."""
    token, proxy, megabytes = raw.get("token"), raw.get("proxy"), raw.get("mediaMaxMb")
    return Settings(
        str(token or "").strip().removeprefix("Bot ").strip(),
        str(proxy or ""),
        int((megabytes if isinstance(megabytes, int | float) else _USUAL_MEGABYTES) * _MEGABYTE),
    )
