"""What a plugin is lent to talk to other computers: `sdk.plugins.PluginRuntime.web`.

    answer = web.post(url, json.dumps(question).encode(), headers={"Content-Type": ...})

    with web.stream(url, body, headers=headers) as coming:        # a model that answers in pieces
        for line in coming.lines():
            ...

Everything here blocks: for a tool's call or a worker thread (``asyncio.to_thread``), never for the
program's event loop. A plugin has no other way out, so that the owner sees in one place what left
this computer and can close it there (``moltbot-desktop network``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

LONGEST_SILENCE = 300.0
"""The most seconds that a plugin may have one wait take."""


@dataclass(frozen=True)
class WebAnswer:
    """What a server said.

    Attributes:
        status: of HTTP, 200 to 599.
        headers: names in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes


class WebStream(Protocol):
    """An answer that is still coming; read once, either as blocks or as lines."""

    @property
    def status(self) -> int:
        """Of HTTP, 200 to 599."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case."""
        ...

    def blocks(self) -> Iterator[bytes]:
        """The body as it comes.

        Raises:
            NetworkError: the connection broke, nothing came in time, or it is longer than
                allowed.
            EgressRefused: the plugin was switched off meanwhile.
        """
        ...

    def lines(self) -> Iterator[str]:
        """The body as lines of UTF-8 without their ends; empty ones too. Errors as in `blocks`."""
        ...


class PluginWeb(Protocol):
    """The one door to other computers. It opens for the hosts that stand in the plugin's own
    configuration and for no others, encrypted but on this computer."""

    def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, max_bytes: int = 1_000_000
    ) -> WebAnswer:
        """Ask for an address. Redirects are followed, each judged like a first address; another
        host gets none of the headers that may hold a key.

        Raises:
            EgressRefused: the host is not in the configuration, or the way is not encrypted.
            EgressSealed: the owner lets nothing leave now.
            NetworkError: this computer is offline, nobody answered in time, or the answer is
                longer than `max_bytes`.
        """
        ...

    def post(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 1_000_000,
        silence_seconds: float = 30.0,
    ) -> WebAnswer:
        """Send something and take the whole answer. A redirect is not followed: it is the answer.

        Args:
            silence_seconds: of nothing coming until it is given up, `LONGEST_SILENCE` at most.

        Raises: as `get`.
        """
        ...

    def stream(
        self,
        url: str,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        silence_seconds: float = 60.0,
    ) -> AbstractContextManager[WebStream]:
        """As `post`, with the answer read while it comes. Leaving the context breaks it off."""
        ...
