"""Which browsers may talk here, and the link that lets one in: two small files in one folder.

    code = invite(folder, now)                 # by the owner, in a shell or the window
    taken(folder, code, now)                   # True once, within two minutes

    book = BrowserBook(folder)
    browser = book.add("Firefox, Linux")
    proves(browser, nonce, proof)              # HMAC-SHA256 of the nonce, under the browser's key

A browser is given its key once, in exchange for the code, and keeps it in a form that no script can
read back (a WebCrypto key that is not extractable); later it only proves that it has it. So nothing
that lasts is ever in an address, a cookie or a storage that another program on the same address
could read: a cookie would go to every port of 127.0.0.1.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LINK_SECONDS = 120.0
MOST_BROWSERS = 20
PROOF_OF = b"moltbot-webchat-1\n"
"""Stands before the nonce, so that a proof is good for nothing else."""
_INVITE, _BROWSERS = "invite.json", "browsers.json"
_MOST_BYTES = 100_000
_KEY_BYTES = 32
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Browser:
    """Attributes:
    id: rights are given to it alone.
    key: hexadecimal.
    """

    id: str
    key: str
    name: str


def invite(folder: Path, now: float) -> str:
    """A code that is good once and for two minutes from `now` (seconds of UTC); one that was made
    before is not any more.

    Raises:
        OSError: it cannot be written.
    """
    code = secrets.token_urlsafe(_KEY_BYTES)
    _write(folder, _INVITE, {"code": _digest(code), "until": now + LINK_SECONDS})
    return code


def taken(folder: Path, code: str, now: float) -> bool:
    """Whether `code` is the one of the invitation, which is used up by that."""
    told = _read(folder, _INVITE)
    wanted, until = str(told.get("code", "")), told.get("until")
    right = hmac.compare_digest(_digest(code).encode(), wanted.encode())
    # A time that lies further ahead than any invitation is from before the clock was set back.
    if not right or not isinstance(until, int | float) or not 0 <= until - now <= LINK_SECONDS:
        return False
    try:
        (folder / _INVITE).unlink()  # by one alone
    except OSError:
        return False
    return True


def proof(key: str, nonce: str) -> str:
    """What proves that one has `key` (hexadecimal)."""
    return hmac.new(bytes.fromhex(key), PROOF_OF + nonce.encode(), hashlib.sha256).hexdigest()


def proves(browser: Browser, nonce: str, given: str) -> bool:
    """In a time that says nothing about how much of it is right."""
    return hmac.compare_digest(proof(browser.key, nonce).encode(), given.encode("utf-8", "replace"))


def named_by(agent: str) -> str:
    """A short name for a person to know a browser by, of its `User-Agent`."""
    kinds = (
        ("Edg/", "Edge"),
        ("Firefox/", "Firefox"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    )
    systems = ("Android", "iPhone", "Windows", "Mac", "Linux")
    kind = next((name for sign, name in kinds if sign in agent), "Browser")
    system = next((name for name in systems if name in agent), "")
    return ", ".join(filter(None, (kind, system)))[:_LONGEST_NAME]


@dataclass(frozen=True)
class BrowserBook:
    """Read anew each time: a person may take a browser away by changing the file."""

    folder: Path

    def all(self) -> tuple[Browser, ...]:
        found = []
        for name, one in _read(self.folder, _BROWSERS).items():
            if isinstance(one, Mapping) and _is_key(key := one.get("key")):
                found.append(Browser(name, str(key), str(one.get("name", ""))[:_LONGEST_NAME]))
        return tuple(found)

    def find(self, name: str) -> Browser | None:
        return next((one for one in self.all() if one.id == name), None)

    def add(self, name: str) -> Browser:
        """One more; the oldest goes where there are too many.

        Raises:
            OSError: it cannot be written.
        """
        browser = Browser(secrets.token_hex(8), secrets.token_hex(_KEY_BYTES), name)
        self._keep((*self.all(), browser)[-MOST_BROWSERS:])
        return browser

    def remove(self, name: str) -> None:
        """Raises OSError."""
        self._keep(tuple(one for one in self.all() if one.id != name))

    def _keep(self, browsers: tuple[Browser, ...]) -> None:
        told = {one.id: {"key": one.key, "name": one.name} for one in browsers}
        _write(self.folder, _BROWSERS, told)


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()


def _is_key(value: object) -> bool:
    if not isinstance(value, str) or len(value) != 2 * _KEY_BYTES:
        return False
    return all(one in "0123456789abcdef" for one in value)


def _read(folder: Path, name: str) -> Mapping[str, object]:
    """What stands there; nothing where that is nothing to be understood."""
    try:
        with (folder / name).open("rb") as file:
            told = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, Mapping) else {}


def _write(folder: Path, name: str, told: Mapping[str, object]) -> None:
    """For this user alone, whole or not at all."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = folder / f"{name}.{secrets.token_hex(4)}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(told, file)
    fresh.replace(folder / name)
