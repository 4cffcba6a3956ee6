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
    (?P<name>(?:token|secret|passw(?:or)?d|passphrase|cookie
        |(?:api|private|access|secret|account|encryption)[_-]?key)
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
    r"|A[KS]IA[A-Z0-9]{16}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|[spr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}|npm_[A-Za-z0-9]{30,}"
    r"|pypi-[A-Za-z0-9_-]{40,}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{20,}"
    r"|ya29\.[A-Za-z0-9_-]{20,}|do[opr]_v1_[a-f0-9]{40,}|hv[sb]\.[A-Za-z0-9_-]{20,}"
    r"|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}"
    r"|dapi[a-f0-9]{32}|PMAK-[a-f0-9]{20,}-[a-f0-9]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}"
    r"|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|tvly-[A-Za-z0-9-]{20,}"
    r"|syt_[A-Za-z0-9_-]{20,}|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"
    r"|\d{6,12}:[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]*"
    r"))"
)
_PRIVATE = re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----")
_BLOCK = re.compile(
    r"(?P<name>-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)(?P<value>(?:(?!-----).){1,20000}+)",
    re.DOTALL,
)
_HOOK = re.compile(
    r"(?P<name>\bhttps://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/)"
    r"(?P<value>[A-Za-z0-9_/-]{10,})"
)
_FORMS = (_BLOCK, _HEADER, _NAMED, _IN_ADDRESS, _HOOK, _KNOWN)


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
