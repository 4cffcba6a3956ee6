"""One account's settings, as the manifest's schema has let them through.

    settings = settings_from(account.settings)
    settings.port                    # 6697 with TLS, 6667 without, unless it is set

What says who may write is the program's; here it only decides whose invitation is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue

TLS_PORT, PLAIN_PORT = 6697, 6667
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class IrcSettings:
    """Attributes:
    ca_file: certificates that are trusted besides the system's; "" for none.
    password: of the server itself, which few ask for.
    account, account_password: for SASL PLAIN.
    nickserv_password: told to NickServ once the server has let us in.
    channels: (name, key) of those that are joined; key "" for most.
    invited_by: sender ids whose invitations are taken; empty for nobody's.
    by_nick: a sender is known by the nick alone, which anybody can take.
    most_lines: of one answer.
    line_seconds: between two lines, after the first few.
    fallback: Python codec for what is not UTF-8.
    """

    host: str
    port: int
    nick: str = "moltbot"
    tls: bool = True
    ca_file: str = ""
    realname: str = "Moltbot Desktop"
    password: str = ""
    account: str = ""
    account_password: str = ""
    nickserv_password: str = ""
    channels: tuple[tuple[str, str], ...] = ()
    invited_by: frozenset[str] = frozenset()
    by_nick: bool = False
    most_lines: int = 12
    line_seconds: float = 2.0
    fallback: str = "cp1252"

    @property
    def has_secret(self) -> bool:
        return bool(self.password or self.account_password or self.nickserv_password)

    @property
    def tells_secrets(self) -> bool:
        """Whether a password would go over a line that others can read."""
        return self.has_secret and not self.tls and self.host not in LOOPBACK


def settings_from(raw: JsonObject) -> IrcSettings:
    """`raw` fits the schema in the manifest, with its defaults filled in."""

    def text(name: str) -> str:
        return str(raw.get(name) or "").strip()

    tls = raw.get("tls") is not False
    port = raw.get("port")
    seconds = raw.get("lineDelaySeconds")
    most = raw.get("maxLines")
    return IrcSettings(
        host=text("host"),
        port=port if isinstance(port, int) and port else TLS_PORT if tls else PLAIN_PORT,
        nick=text("nick") or "moltbot",
        tls=tls,
        ca_file=text("caFile"),
        realname=text("realname") or "Moltbot Desktop",
        password=text("password"),
        account=text("account"),
        account_password=text("accountPassword"),
        nickserv_password=text("nickservPassword"),
        channels=tuple(_channel(one) for one in _texts(raw.get("channels"))),
        invited_by=frozenset(_texts(raw.get("allowFrom")) if raw.get("joinOnInvite") else ()),
        by_nick=raw.get("identify") == "nick",
        most_lines=most if isinstance(most, int) else 12,
        line_seconds=float(seconds) if isinstance(seconds, int | float) else 2.0,
        fallback=text("fallbackEncoding") or "cp1252",
    )


def _channel(written: str) -> tuple[str, str]:
    """``#name`` or ``#name key``."""
    name, _, key = written.partition(" ")
    return name, key.strip()


def _texts(value: JsonValue) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [str(one).strip() for one in value if isinstance(one, str) and one.strip()]
