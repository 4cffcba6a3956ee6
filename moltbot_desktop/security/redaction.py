"""Keys and passwords taken out of a line before it leaves the log.

    redacted("token=8134567:AAHq9vQxk2Jd…")      # "token=813456…k2Jd"

A net, not a proof: whatever writes a log leaves secrets out, and this catches what slipped through
and is recognisable. Of a long one the beginning and the end stay, so that a person can tell which
it was (the reference's figures: from 18 characters on, 6 and 4).
"""

from __future__ import annotations

import re

_SHORT = 18
_HIDDEN = "***"
_NAMED = re.compile(
    r"""
    (?P<name>(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|private[_-]?key|cookie)
        ["']?\s*[=:]\s*["']?)
    (?P<value>[^\s"',;&)}\]]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?P<name>\b(?:bearer|basic)\s+)(?P<value>[A-Za-z0-9._~+/=-]{8,})", re.IGNORECASE
)
_IN_ADDRESS = re.compile(r"(?P<name>\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@]*:)(?P<value>[^\s/@]+)(?=@)")
_KNOWN = re.compile(
    r"(?P<name>)(?P<value>\b(?:"
    r"sk-[A-Za-z0-9_-]{16,}|gh[opsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,}"
    r"|AKIA[A-Z0-9]{16}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}"
    r"|\d{6,12}:[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]*"
    r"))"
)
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----")
_FORMS = (_HEADER, _NAMED, _IN_ADDRESS, _KNOWN)


def holds_key(text: str) -> bool:
    """Whether something in `text` looks like a key of a kind that is known by its form."""
    return _KNOWN.search(text) is not None or _PRIVATE.search(text) is not None


def redacted(line: str) -> str:
    """`line` with what looks like a key or a password hidden."""
    for form in _FORMS:
        line = form.sub(lambda found: found["name"] + _masked(found["value"]), line)
    return line


def _masked(value: str) -> str:
    return f"{value[:6]}…{value[-4:]}" if len(value) >= _SHORT else _HIDDEN
