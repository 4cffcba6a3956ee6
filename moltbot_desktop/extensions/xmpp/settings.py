"""One account's settings, as the manifest's schema has let them through.

    settings = settings_from(account.settings)
    settings.domain, settings.address          # "example.org", ("", 0): found by its name

What says who may write is the program's; here it only decides whose invitations are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue


@dataclass(frozen=True)
class XmppSettings:
    """Attributes:
    jid: ``name@domain``.
    host, port: of a server that its domain's records do not name; "" and 0 for most.
    direct_tls: encrypted from the first byte, in place of STARTTLS; unencrypted is not spoken.
    ca_file: certificates that are trusted besides the system's; "" for none.
    rooms: (address, password) of those that are entered; password "" for most.
    known: bare JIDs of those who may write (``allowFrom``).
    on_invite: whether invitations of those are taken.
    """

    jid: str
    password: str
    host: str = ""
    port: int = 0
    direct_tls: bool = False
    ca_file: str = ""
    nick: str = "moltbot"
    rooms: tuple[tuple[str, str], ...] = ()
    known: frozenset[str] = frozenset()
    on_invite: bool = False

    @property
    def domain(self) -> str:
        return self.jid.partition("@")[2]

    @property
    def server(self) -> str:
        """As it is told to the person."""
        return self.host or self.domain


def settings_from(raw: JsonObject) -> XmppSettings:
    """`raw` fits the schema in the manifest, with its defaults filled in."""

    def text(name: str) -> str:
        return str(raw.get(name) or "").strip()

    port = raw.get("port")
    host, direct = text("host"), raw.get("directTls") is True
    return XmppSettings(
        jid=text("jid").partition("/")[0].lower(),
        password=str(raw.get("password") or ""),
        host=host,
        port=port if isinstance(port, int) and port else 5223 if direct else 5222,
        direct_tls=direct,
        ca_file=text("caFile"),
        nick=text("nick") or "moltbot",
        rooms=tuple(_room(one) for one in _texts(raw.get("rooms"))),
        known=frozenset(one.lower() for one in _texts(raw.get("allowFrom"))),
        on_invite=raw.get("joinOnInvite") is True,
    )


def _room(written: str) -> tuple[str, str]:
    """``room@service`` or ``room@service password``."""
    address, _, password = written.partition(" ")
    return address.lower(), password.strip()


def _texts(value: JsonValue) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [one.strip() for one in value if isinstance(one, str) and one.strip()]
