"""The door to other computers that a plugin is lent: `sdk.plugins.PluginWeb`.

    # https://api.example/v1 in it opens api.example
    web = ConfiguredWeb(hosts_in(config), seal.way(Errand(Purpose.PLUGIN, "weather")))
    answer = web.get("https://api.example/v1/now")
    with web.stream("https://api.example/v1/chat", body) as coming:
        for line in coming.lines(): ...
    web.close()

What a plugin may ask is what its configuration names, which its owner sees and may change; the
settings form shows the same addresses. Doors are kept between calls, because making one reads the
system's certificates, which takes longer than most answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from moltbot_desktop.core.errors import EgressRefused, NetworkError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.traffic import NO_WAY, Way
from moltbot_desktop.sdk.plugin_web import LONGEST_SILENCE
from moltbot_desktop.sdk.plugins import WebAnswer
from moltbot_desktop.security.egress import Egress, EgressRule, Reply, Timeouts

_TIMEOUTS = Timeouts(connect=4.0, read=8.0)
_MOST_KEPT = 4
_MOST_DEPTH = 32


def hosts_in(config: JsonValue) -> frozenset[str]:
    """The hosts of all web addresses that stand anywhere in a configuration, lower case."""
    return frozenset(_hosts(config, _MOST_DEPTH))


def _hosts(value: JsonValue, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip().lower().startswith(("http://", "https://")):
            try:
                host = urlsplit(value.strip()).hostname
            except ValueError:  # "http://[": what is no address opens nothing
                return
            if host:
                yield host
    elif not isinstance(value, int | float | None) and depth:
        inside = value.values() if isinstance(value, Mapping) else value
        for one in inside:
            yield from _hosts(one, depth - 1)


class ConfiguredWeb:
    """For any thread; calls of several threads go side by side."""

    def __init__(self, hosts: frozenset[str], way: Way = NO_WAY) -> None:
        self._rule = EgressRule(hosts)
        self._way = way
        self._lock = threading.Lock()
        self._idle: list[Egress] = []
        self._closed = False

    def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, max_bytes: int = 1_000_000
    ) -> WebAnswer:
        """See `sdk.plugin_web.PluginWeb.get`."""
        with self._door() as door, door.get(url, headers) as reply:
            return self._whole(url, reply, max_bytes)

    def post(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 1_000_000,
        silence_seconds: float = 30.0,
    ) -> WebAnswer:
        """See `sdk.plugin_web.PluginWeb.post`."""
        read = min(silence_seconds, LONGEST_SILENCE)
        with self._door() as door, door.post(url, body, headers, read=read) as reply:
            return self._whole(url, reply, max_bytes)

    @contextmanager
    def stream(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        silence_seconds: float = 60.0,
    ) -> Iterator[Coming]:
        """See `sdk.plugin_web.PluginWeb.stream`."""
        read = min(silence_seconds, LONGEST_SILENCE)
        with self._door() as door, door.post(url, body, headers, read=read) as reply:
            yield self._coming(url, reply, max_bytes)

    def _whole(self, url: str, reply: Reply, max_bytes: int) -> WebAnswer:
        body = b"".join(self._coming(url, reply, max_bytes).blocks())
        return WebAnswer(reply.status, reply.headers, body)

    def _coming(self, url: str, reply: Reply, max_bytes: int) -> Coming:
        return Coming(reply, urlsplit(url).hostname or "", max_bytes, self._check_open)

    def _check_open(self) -> None:
        if self._closed:
            raise EgressRefused("This plugin was switched off.", hint="It asks nobody any more.")

    def close(self) -> None:
        """Close the doors; nothing can be asked any more."""
        with self._lock:
            self._closed = True
            doors, self._idle = self._idle, []
        for door in doors:
            door.close()

    def _new(self) -> Egress:
        return Egress(self._rule, _TIMEOUTS, way=self._way)

    @contextmanager
    def _door(self) -> Iterator[Egress]:
        """One that no other thread has; kept afterwards."""
        with self._lock:
            self._check_open()
            door = self._idle.pop() if self._idle else self._new()
        try:
            yield door
        finally:
            with self._lock:
                keep = not self._closed and len(self._idle) < _MOST_KEPT
                if keep:
                    self._idle.append(door)
            if not keep:
                door.close()


class Coming:
    """Implements `sdk.plugin_web.WebStream`."""

    def __init__(
        self, reply: Reply, host: str, max_bytes: int, check_open: Callable[[], None]
    ) -> None:
        """`check_open` raises once the plugin may read no more."""
        self._reply = reply
        self._host = host
        self._max_bytes = max_bytes
        self._check_open = check_open

    @property
    def status(self) -> int:
        return self._reply.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._reply.headers

    def blocks(self) -> Iterator[bytes]:
        """See `WebStream.blocks`."""
        received = 0
        for block in self._reply.blocks():
            self._check_open()
            received += len(block)
            if received > self._max_bytes:
                raise NetworkError(
                    f"{self._host} sent more than {self._max_bytes:,} bytes.",
                    hint="Nothing more of it is read.",
                )
            yield block

    def lines(self) -> Iterator[str]:
        """See `WebStream.lines`; what is no UTF-8 becomes U+FFFD."""
        waiting = bytearray()
        for block in self.blocks():
            first, *others = block.split(b"\n")
            waiting += first
            for following in others:
                yield _line(waiting)
                waiting = bytearray(following)
        if waiting:
            yield _line(waiting)


def _line(data: bytearray) -> str:
    return data.removesuffix(b"\r").decode("utf-8", "replace")
