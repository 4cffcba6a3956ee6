"""One account's settings, as the manifest's schema has let them through.

    settings = settings_from(account.settings)
    settings.imap, settings.smtp             # found by the address where they are not said

Which senders may write is the program's to say; here it is said who counts as a sender at all.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.email.providers import (
    Security,
    Server,
    by_host,
    known,
    takes_passwords,
)

IMAP_PORTS = {Security.TLS: 993, Security.STARTTLS: 143, Security.NONE: 143}
SMTP_PORTS = {Security.TLS: 465, Security.STARTTLS: 587, Security.NONE: 25}


class Reading(StrEnum):
    """Which e-mails are marked as read."""

    HANDLED = "handled"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True)
class EmailSettings:
    """Attributes:
    address: ours, lower-case.
    user: the name to log in with.
    imap, smtp: None where neither the settings nor the provider's name say it.
    vouchers: authserv-ids that are believed; one with a dot in front stands for all below it.
    unproven: senders count without a proof, too.
    ca_file: certificates that are trusted besides the system's; "" for none.
    per_hour: e-mails of one sender that are read in an hour, 0 for as many as come.
    poll_seconds: between two looks, on servers that do not say when something comes.
    """

    address: str
    password: str
    user: str
    imap: Server | None
    smtp: Server | None
    name: str = "Moltbot"
    folder: str = "INBOX"
    vouchers: tuple[str, ...] = ()
    unproven: bool = False
    ca_file: str = ""
    reading: Reading = Reading.HANDLED
    per_hour: int = 100
    poll_seconds: float = 60.0

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]

    @property
    def takes_passwords(self) -> bool:
        return all(takes_passwords(one.host) for one in (self.imap, self.smtp) if one is not None)


def settings_from(raw: JsonObject) -> EmailSettings:
    """`raw` fits the schema in the manifest, with its defaults filled in."""

    def text(name: str) -> str:
        return str(raw.get(name) or "").strip()

    address = text("address").lower()
    provider = known(address) or by_host(text("imapHost"))
    most, poll = raw.get("maxPerHour"), raw.get("pollSeconds")
    own = tuple(one.lower() for one in _texts(raw.get("authservId")))
    return EmailSettings(
        address,
        str(raw.get("password") or ""),
        text("user") or address,
        _server(raw, "imap", IMAP_PORTS, provider.imap if provider else None),
        _server(raw, "smtp", SMTP_PORTS, provider.smtp if provider else None),
        name=text("name") or "Moltbot",
        folder=text("folder") or "INBOX",
        vouchers=own or (provider.vouchers if provider else ()),
        unproven=raw.get("believeUnproven") is True,
        ca_file=text("caFile"),
        reading=Reading(text("markRead") or Reading.HANDLED),
        per_hour=most if isinstance(most, int) else 100,
        poll_seconds=float(poll) if isinstance(poll, int | float) else 60.0,
    )


def is_here(host: str) -> bool:
    """Whether a line to `host` leaves this computer nowhere."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _server(
    raw: JsonObject, kind: str, ports: dict[Security, int], usual: Server | None
) -> Server | None:
    host, security = raw.get(f"{kind}Host"), raw.get(f"{kind}Security")
    port = raw.get(f"{kind}Port")
    if not isinstance(host, str) or not host.strip():
        return usual
    same = usual is not None and usual.host == host.strip().lower()
    if usual is not None and same and not isinstance(port, int):
        return usual
    kept = Security(str(security or Security.TLS))
    given = port if isinstance(port, int) and port else ports[kept]
    return Server(host.strip().lower(), given, kept)


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        return [one.strip() for one in value.split(",") if one.strip()]
    if not isinstance(value, Sequence):
        return []
    return [one.strip() for one in value if isinstance(one, str) and one.strip()]
