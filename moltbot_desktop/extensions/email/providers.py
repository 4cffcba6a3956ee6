"""What the well-known mail providers have, so that nobody types servers in; no network is asked.

    known("ada@fastmail.com").imap          # Server("imap.fastmail.com", 993, Security.TLS)

`vouchers` are the names under which the provider writes down what it found out about a sender
(authserv-id, RFC 8601); one with a dot in front stands for all below it. All of it is common
knowledge and none of them was reached from here: what is wrong fails strictly, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Security(StrEnum):
    """How a line is encrypted."""

    TLS = "tls"
    """From the first byte."""
    STARTTLS = "starttls"
    NONE = "none"
    """Not at all: to this computer alone."""


@dataclass(frozen=True)
class Server:
    """Where a server listens."""

    host: str
    port: int
    security: Security = Security.TLS


@dataclass(frozen=True)
class Provider:
    """Attributes:
    vouchers: see above; empty where what it writes is not known.
    passwords: False where programs must log in through a browser (OAuth), which this cannot.
    """

    name: str
    imap: Server
    smtp: Server
    vouchers: tuple[str, ...] = ()
    passwords: bool = True


def _provider(name: str, imap: str, smtp: str, *vouchers: str, port: int = 465) -> Provider:
    security = Security.TLS if port == 465 else Security.STARTTLS
    return Provider(name, Server(imap, 993), Server(smtp, port, security), vouchers)


_GMAIL = _provider("Gmail", "imap.gmail.com", "smtp.gmail.com", "mx.google.com")
_OUTLOOK = Provider(
    "Outlook.com",
    Server("outlook.office365.com", 993),
    Server("smtp-mail.outlook.com", 587, Security.STARTTLS),
    passwords=False,
)
_ICLOUD = _provider("iCloud", "imap.mail.me.com", "smtp.mail.me.com", "dmarc.icloud.com", port=587)
_FASTMAIL = _provider("Fastmail", "imap.fastmail.com", "smtp.fastmail.com", ".messagingengine.com")
_YAHOO = _provider("Yahoo", "imap.mail.yahoo.com", "smtp.mail.yahoo.com", ".yahoo.com")
_AOL = _provider("AOL", "imap.aol.com", "smtp.aol.com", ".yahoo.com")
_GMX = _provider("GMX", "imap.gmx.net", "mail.gmx.net", "gmx.net")
_GMX_COM = _provider("GMX", "imap.gmx.com", "mail.gmx.com", "gmx.net", "gmx.com")
_WEB_DE = _provider("WEB.DE", "imap.web.de", "smtp.web.de", "web.de")
_YANDEX = _provider("Yandex", "imap.yandex.com", "smtp.yandex.com", ".yandex.net")
_QQ = _provider("QQ", "imap.qq.com", "smtp.qq.com", "mx.qq.com")
_ZOHO = _provider("Zoho", "imap.zoho.com", "smtp.zoho.com", "mx.zohomail.com")
_MAIL_RU = _provider("Mail.ru", "imap.mail.ru", "smtp.mail.ru", ".mail.ru")


def _netease(domain: str) -> Provider:
    return _provider("NetEase", f"imap.{domain}", f"smtp.{domain}")


_KNOWN: Mapping[str, Provider] = MappingProxyType(
    {
        **dict.fromkeys(("gmail.com", "googlemail.com"), _GMAIL),
        **dict.fromkeys(
            ("outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "hotmail.co.uk"),
            _OUTLOOK,
        ),
        **dict.fromkeys(("icloud.com", "me.com", "mac.com"), _ICLOUD),
        **dict.fromkeys(("fastmail.com", "fastmail.fm", "messagingengine.com"), _FASTMAIL),
        **dict.fromkeys(
            ("yahoo.com", "ymail.com", "rocketmail.com", "yahoo.co.uk", "yahoo.de", "yahoo.fr"),
            _YAHOO,
        ),
        "aol.com": _AOL,
        **dict.fromkeys(("gmx.net", "gmx.de", "gmx.at", "gmx.ch"), _GMX),
        "gmx.com": _GMX_COM,
        "web.de": _WEB_DE,
        **dict.fromkeys(("yandex.com", "yandex.ru", "ya.ru"), _YANDEX),
        **dict.fromkeys(("qq.com", "foxmail.com", "vip.qq.com"), _QQ),
        **{domain: _netease(domain) for domain in ("163.com", "126.com", "yeah.net")},
        **dict.fromkeys(("zoho.com", "zohomail.com"), _ZOHO),
        **dict.fromkeys(("mail.ru", "bk.ru", "inbox.ru", "list.ru"), _MAIL_RU),
    }
)
_NO_PASSWORDS = ("outlook.office365.com", "smtp.office365.com", _OUTLOOK.smtp.host)


def known(address: str) -> Provider | None:
    """The provider of an address, None for a domain that is not listed."""
    return _KNOWN.get(address.rpartition("@")[2].lower())


def by_host(host: str) -> Provider | None:
    """The provider whose IMAP server that is: addresses may have a domain of their owner's."""
    return next((one for one in _KNOWN.values() if one.imap.host == host.lower()), None)


def takes_passwords(host: str) -> bool:
    """Whether a program may log in there with a password."""
    return host.lower() not in _NO_PASSWORDS
