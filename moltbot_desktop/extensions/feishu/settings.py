"""What the settings say of one app; see the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.foreign_json import text

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 20
_ROOTS = {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}
_HOUSES = (".feishu.cn", ".larksuite.com")


@dataclass(frozen=True)
class Settings:
    """Attributes:
    app_id: ``cli_…``.
    root: of the API, without a slash at the end.
    most: bytes of a file that is fetched.
    """

    app_id: str
    app_secret: str = field(repr=False)
    root: str = _ROOTS["feishu"]
    proxy: str = field(default="", repr=False)
    most: int = _USUAL_MEGABYTES * _MEGABYTE

    @property
    def host(self) -> str:
        return urlsplit(self.root).hostname or ""

    def is_line(self, address: str) -> bool:
        """Whether an address that the platform told is one a line is opened to: unencrypted only
        where the whole API is."""
        try:
            there, own = urlsplit(address), urlsplit(self.root)
            if there.netloc == own.netloc:
                return there.scheme == ("wss" if own.scheme == "https" else "ws")
            return there.scheme == "wss" and (there.hostname or "").endswith(_HOUSES)
        except ValueError:
            return False


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing."""
    megabytes = raw.get("mediaMaxMb")
    domain = text(raw.get("domain")) or "feishu"
    return Settings(
        text(raw.get("appId")).strip(),
        text(raw.get("appSecret")).strip(),
        (text(raw.get("apiRoot")) or _ROOTS.get(domain, _ROOTS["feishu"])).rstrip("/"),
        text(raw.get("proxy")),
        int((megabytes if isinstance(megabytes, int | float) else _USUAL_MEGABYTES) * _MEGABYTE),
    )
