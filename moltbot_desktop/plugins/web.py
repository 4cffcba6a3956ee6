"""The door to other computers that a plugin is lent: `sdk.plugins.PluginWeb`.

    # https://api.example/v1 in it opens api.example
    web = ConfiguredWeb(hosts_in(config), seal.way(Errand(Purpose.PLUGIN, "weather")))
    answer = web.get("https://api.example/v1/now")
    web.close()

What a plugin may ask is what its configuration names, which its owner sees and may change; the
settings form shows the same addresses. Doors are kept between calls, because making one reads the
system's certificates, which takes longer than most answers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from moltbot_desktop.core.errors import EgressRefused, NetworkError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.traffic import NO_WAY, Way
from moltbot_desktop.sdk.plugins import WebAnswer
from moltbot_desktop.security.egress import Egress, EgressRule, Timeouts

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

    def get(self, url: str, *, max_bytes: int = 1_000_000) -> WebAnswer:
        """See `sdk.plugins.PluginWeb.get`."""
        with self._door() as door, door.get(url) as reply:
            body = bytearray()
            for block in reply.blocks():
                body += block
                if len(body) > max_bytes:
                    raise NetworkError(
                        f"{urlsplit(url).hostname} sent more than {max_bytes:,} bytes.",
                        hint="Nothing of it was used.",
                    )
            return WebAnswer(reply.status, reply.headers, bytes(body))

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
            if self._closed:
                raise EgressRefused("This plugin was switched off.", hint="Nothing was sent.")
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
