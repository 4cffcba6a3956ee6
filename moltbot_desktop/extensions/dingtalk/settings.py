"""What the settings say of one app; see the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.foreign_json import text

_MEGABYTE = 1_000_000
_USUAL_MEGABYTES = 20
_DOMAINS = ("dingtalk.com", "dingtalk.io")
_HOUSES = (".dingtalk.com", ".dingtalk.io")
_STORES = (*_HOUSES, ".aliyuncs.com")
"""Where files lie that people have sent; it is told nowhere in the documents, only seen."""


@dataclass(frozen=True)
class Settings:
    """Attributes:
    client_id: ``ding…``, once called AppKey.
    robot: the robot's code, which is mostly the client id.
    root: of the API, without a slash at the end.
    old_root: of the older API, which still takes files and answers within a session.
    most: bytes of a file that is fetched.
    """

    client_id: str
    client_secret: str = field(repr=False)
    robot: str = ""
    root: str = f"https://api.{_DOMAINS[0]}"
    old_root: str = f"https://oapi.{_DOMAINS[0]}"
    proxy: str = field(default="", repr=False)
    most: int = _USUAL_MEGABYTES * _MEGABYTE

    @property
    def host(self) -> str:
        return host_of(self.root)

    def is_line(self, address: str) -> bool:
        """Whether an address that the platform told is one a line is opened to: unencrypted only
        where the whole API is."""
        there = _parts(address)
        if there is None:
            return False
        own = urlsplit(self.root)
        if there.netloc == own.netloc:
            return there.scheme == ("wss" if own.scheme == "https" else "ws")
        return there.scheme == "wss" and (there.hostname or "").endswith(_HOUSES)

    def is_session(self, address: str) -> bool:
        """Whether words may be posted there."""
        there = _parts(address)
        if there is None:
            return False
        if there.netloc == urlsplit(self.old_root).netloc:
            return there.scheme == urlsplit(self.old_root).scheme
        return there.scheme == "https" and (there.hostname or "").endswith(_HOUSES)

    def file_address(self, address: str) -> str:
        """Where a file is loaded from, "" where that is no place of the platform's. What it names
        without encryption is asked for with it."""
        there = _parts(address)
        if there is None or there.scheme not in ("http", "https"):
            return ""
        if there.netloc == urlsplit(self.root).netloc:
            return address
        if not (there.hostname or "").endswith(_STORES):
            return ""
        return there._replace(scheme="https").geturl()


def host_of(address: str) -> str:
    """Its name, without the port; "" where there is none."""
    there = _parts(address)
    return (there.hostname or "") if there is not None else ""


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing."""
    megabytes = raw.get("mediaMaxMb")
    domain = text(raw.get("domain"))
    house = domain if domain in _DOMAINS else _DOMAINS[0]
    other = text(raw.get("apiRoot")).rstrip("/")
    client_id = text(raw.get("clientId")).strip()
    return Settings(
        client_id,
        text(raw.get("clientSecret")).strip(),
        text(raw.get("robotCode")).strip() or client_id,
        other or f"https://api.{house}",
        other or f"https://oapi.{house}",
        text(raw.get("proxy")),
        int((megabytes if isinstance(megabytes, int | float) else _USUAL_MEGABYTES) * _MEGABYTE),
    )


def _parts(address: str) -> SplitResult | None:
    """None for what is no address; one with a name or a password in it is none either."""
    try:
        there = urlsplit(address)
        return None if there.username or there.password or there.port == 0 else there
    except ValueError:
        return None
