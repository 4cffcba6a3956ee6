"""What the settings say of one app; see the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.foreign_json import text

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 20


@dataclass(frozen=True)
class Settings:
    """Attributes:
    bot_token: ``xoxb-…``, with which everything is said.
    app_token: ``xapp-…``, with which the line is opened.
    root: of the Web API, without a slash at the end.
    most: bytes of a file that is fetched.
    """

    bot_token: str = field(repr=False)
    app_token: str = field(repr=False)
    root: str = "https://slack.com/api"
    proxy: str = field(default="", repr=False)
    most: int = _USUAL_MEGABYTES * _MEGABYTE

    @property
    def host(self) -> str:
        return urlsplit(self.root).hostname or ""

    def is_slacks(self, address: str) -> bool:
        """Whether an address that Slack told is one that may be given the token: an unencrypted
        one only where the whole API is."""
        try:
            there, own = urlsplit(address), urlsplit(self.root)
            if (there.scheme, there.netloc) == (own.scheme, own.netloc):
                return True
            host = there.hostname or ""
        except ValueError:
            return False
        return there.scheme == "https" and (host == "slack.com" or host.endswith(".slack.com"))


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing."""
    megabytes = raw.get("mediaMaxMb")
    return Settings(
        text(raw.get("botToken")).strip(),
        text(raw.get("appToken")).strip(),
        (text(raw.get("apiRoot")) or Settings.root).rstrip("/"),
        text(raw.get("proxy")),
        int((megabytes if isinstance(megabytes, int | float) else _USUAL_MEGABYTES) * _MEGABYTE),
    )
