"""Keys and passwords taken out of a line before it leaves the log.

    redacted("token=8134567:AAHq9vQxk2Jd…")      # "token=813456…k2Jd"

A net, not a proof: whatever writes a log leaves secrets out, and this catches what slipped through
and is recognisable. Of a long one the beginning and the end stay, so that a person can tell which
it was (the reference's figures: from 18 characters on, 6 and 4).
"""

from __future__ import annotations

import re

from moltbot_desktop.security.key_forms import EVERY

_SHORT = 18
_HIDDEN = "***"
_NAMED = re.compile(
    r"""
    (?P<name>(?:token|secret|passw(?:or)?d|passphrase|cookie
        |(?:api|private|access|secret|account|encryption|auth|client|service|signing|license)
        [_-]?key)
        ["']?\s*(?:=>|:=|[=:])\s*["']?)
    (?P<value>[^\s"',;&)}\]]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?P<name>\b(?:bearer|basic|authorization:\s{0,5}(?:api-)?token)\s+)"
    r"(?P<value>[A-Za-z0-9._~+/=@-]{8,})",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]*:)(?P<value>[^\s/@]+)(?=@)")
KNOWN = re.compile(rf"(?P<name>)(?P<value>(?<![A-Za-z0-9_])(?:{EVERY}))")
"""`value` is a key of a maker's form; `HOOK`'s, what makes an address one that anybody can use."""
_LIKELY = re.compile(
    r"""
    (?P<name>(?:key|auth|authorization|creds?|credentials?|access|api|pwd)["']?\s*(?:=>|:=|[=:])\s*["']?)
    (?P<value>(?=[A-Za-z_+/=.-]{0,199}+\d)[A-Za-z0-9_+/=.-]{16,200})
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Named as much else is, so only what has the length and the look of a key."""
_LOGIN = re.compile(
    r"""(?P<name>(?<!\S)(?:-u|--user)[ =]["']?[^\s:"']{1,64}:)(?P<value>[^\s:"'/]{3,200})"""
)
_IN_XML = re.compile(
    r"""(?P<name>\bkey=["'](?:ClearText)?Password["']\s{1,9}value=["'])(?P<value>[^"'\n]{1,200})"""
)
_BEGIN = r"-----BEGIN [A-Z0-9 _-]{0,40}?PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE = re.compile(_BEGIN)
_BLOCK = re.compile(rf"(?P<name>{_BEGIN})(?P<value>(?:(?!-----).){{1,20000}}+)", re.DOTALL)
HOOK = re.compile(
    r"(?P<name>\b(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    r"|discord(?:app)?\.com/api/webhooks|[a-z0-9-]{1,63}\.webhook\.office\.com/webhookb2)/)"
    r"(?P<value>[A-Za-z0-9_/@+-]{10,})"
)
_FORMS = (_BLOCK, _HEADER, _NAMED, _IN_ADDRESS, HOOK, KNOWN, _LIKELY, _LOGIN, _IN_XML)


def holds_key(text: str) -> bool:
    """Whether something in `text` looks like a key of a kind that is known by its form."""
    return KNOWN.search(text) is not None or _PRIVATE.search(text) is not None


def redacted(line: str) -> str:
    """`line` with what looks like a key or a password hidden."""
    for form in _FORMS:
        line = form.sub(lambda found: found["name"] + _masked(found["value"]), line)
    return line


def _masked(value: str) -> str:
    return f"{value[:6]}…{value[-4:]}" if len(value) >= _SHORT else _HIDDEN
