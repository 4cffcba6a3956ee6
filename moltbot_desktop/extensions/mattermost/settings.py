"""What the settings say of one account; see the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.mattermost.values import text, texts

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 20
_USUAL_PREFIXES = (">", "!")


@dataclass(frozen=True)
class Settings:
    """Attributes:
    token: of the bot account.
    base: where Mattermost is, without ``/api/v4`` and without a slash at the end.
    hears_all: in a room every message is for the assistant.
    prefixes: with which a message in a room is for the assistant, as if it named it.
    most: bytes of a file that is fetched.
    """

    token: str = field(repr=False)
    base: str
    hears_all: bool = False
    prefixes: tuple[str, ...] = ()
    proxy: str = field(default="", repr=False)
    most: int = _USUAL_MEGABYTES * _MEGABYTE

    @property
    def host(self) -> str:
        return urlsplit(self.base).hostname or ""

    @property
    def root(self) -> str:
        """Of the API."""
        return f"{self.base}/api/v4"


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing."""
    megabytes = raw.get("mediaMaxMb")
    mode = text(raw.get("chatmode"))
    written = [one.strip() for one in texts(raw.get("oncharPrefixes"))]
    return Settings(
        text(raw.get("botToken")).strip(),
        text(raw.get("baseUrl")).strip().rstrip("/").removesuffix("/api/v4").rstrip("/"),
        # The mode goes before `requireMention`, as in the reference.
        hears_all=mode == "onmessage" or (not mode and raw.get("requireMention") is False),
        prefixes=tuple(filter(None, written)) or _USUAL_PREFIXES if mode == "onchar" else (),
        proxy=text(raw.get("proxy")),
        most=int(
            (megabytes if isinstance(megabytes, int | float) else _USUAL_MEGABYTES) * _MEGABYTE
        ),
    )
