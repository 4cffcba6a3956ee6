"""Web addresses in a text, and which of them somebody really said.

    canonical("HTTPS://Example.org:443/a#b")               # "example.org/a"
    addresses_in("see https://example.org/a.")             # {"example.org/a", ...}

An address that a model made up can carry what the conversation holds to whoever owns the host. So
one is only called named when it stands, whole, in the owner's message or on a page that was read
(rule R6); a beginning of one, or one with anything added, is not.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from urllib.parse import urlsplit

from moltbot_desktop.core.ids import SessionKey

_TOKEN = re.compile(
    r"https?://[^\s<>\"'`“”‘’「」『』《》【】]{1,2000}"
    r"|(?<![\w@./-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w.@-])(?::\d{1,5})?"
    r"(?:/[^\s<>\"'`“”‘’「」『』《》【】]{0,2000})?",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?)]}*_|\\，。；：！？、）"
_MOST_TRIMMED = 6
_CJK = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_PORTS = {"http": 80, "https": 443}
_MOST_TEXT = 400_000
_MOST_KEPT = 4_000
_MOST_SESSIONS = 64


def canonical(text: str) -> str:
    """Host, port, path and query of an address, whichever scheme it has; "" for what is none."""
    text = text.strip()
    if "://" not in text:
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not host or parts.username is not None:
        return ""
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{shown}{parts.path or '/'}{query}"


def addresses_in(text: str) -> frozenset[str]:
    """The canonical form of each address in `text`, and of what is left of it without the
    punctuation, or the Chinese sentence, that may follow it."""
    found = (
        canonical(form)
        for token in _TOKEN.finditer(text[:_MOST_TEXT])
        for form in _readings(token.group())
    )
    return frozenset(filter(None, found))


def _readings(token: str) -> Iterator[str]:
    yield token
    if chinese := _CJK.search(token):
        yield from _readings(token[: chinese.start()])
    for _ in range(_MOST_TRIMMED):
        if not token or token[-1] not in _TRAILING:
            return
        token = token[:-1]
        yield token


class ReadAddresses:
    """The addresses that stood on pages, by conversation. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_session: OrderedDict[SessionKey, OrderedDict[str, None]] = OrderedDict()

    def add(self, session: SessionKey, text: str) -> None:
        """Keep those in a page's text; the oldest go when there are too many."""
        found = sorted(addresses_in(text))
        with self._lock:
            kept = self._by_session.setdefault(session, OrderedDict())
            self._by_session.move_to_end(session)
            for address in found:
                kept[address] = None
                kept.move_to_end(address)
            while len(kept) > _MOST_KEPT:
                kept.popitem(last=False)
            while len(self._by_session) > _MOST_SESSIONS:
                self._by_session.popitem(last=False)

    def named(self, session: SessionKey, url: str, said: str) -> bool:
        """Whether `url` stands in `said`, the owner's words, or on a page read in `session`."""
        address = canonical(url)
        if not address:
            return False
        with self._lock:
            read = address in self._by_session.get(session, ())
        return read or address in addresses_in(said)

    def clear(self) -> None:
        """Words were forgotten: nobody is known to have said anything."""
        with self._lock:
            self._by_session.clear()
