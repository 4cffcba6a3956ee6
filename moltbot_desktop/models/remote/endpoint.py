"""Where a remote model answers, and the HTTP client that asks it.

The key is not part of an `Endpoint`: it is looked up when it is needed (`KeyLookup`), so that no
value that may be printed or compared holds it, and a locked key ring asks only when used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from moltbot_desktop import __version__
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.core.traffic import NO_WAY, Way

if TYPE_CHECKING:
    import httpx2

    from moltbot_desktop.security import guarded_http
else:
    httpx2 = LateModule("httpx2")
    guarded_http = LateModule("moltbot_desktop.security.guarded_http")

KeyLookup = Callable[[], str]
"""The key, "" when the server needs none. May block (a key ring that asks the person to unlock).
Raises RemoteKeyRefused or SecretsUnavailable."""

CONNECT_SECONDS = 10.0
_PASSED_HEADERS = frozenset(
    "accept accept-encoding authorization connection content-length content-type host "
    "transfer-encoding user-agent x-goog-api-key".split()
)


def no_key() -> str:
    """The lookup of a server that wants no key."""
    return ""


@dataclass(frozen=True)
class Endpoint:
    """One model of one provider.

    Attributes:
        provider: its name in moltbot.json.
        model: as the server calls it.
        base_url: up to and without ``/chat/completions``, e.g. ``http://127.0.0.1:8080/v1``.
        context_tokens: the window the configuration claims.
        max_tokens: most tokens of one answer the configuration allows.
        reasoning: a thinking model; its sampling is left to the server (some refuse to be told).
        max_tokens_field: ``max_tokens``, or ``max_completion_tokens`` where only that is known.
        stream_usage: ask for token counts at the end of a stream; a few servers refuse that.
        headers: sent with every request; may hold secrets, so they are never shown.
        silence_seconds: longest wait for the next byte; the first comes after the whole prompt
            was read, which takes minutes on a slow machine.
        way: the way out; without one only a server on this computer can be asked.
    """

    provider: str
    model: str
    base_url: str
    context_tokens: int = 200_000
    max_tokens: int = 8_192
    reasoning: bool = False
    max_tokens_field: str = "max_tokens"
    stream_usage: bool = True
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    silence_seconds: float = 300.0
    way: Way = field(default=NO_WAY, repr=False, compare=False)

    @property
    def name(self) -> str:
        """For the person and for cool-downs: ``provider/model``."""
        return f"{self.provider}/{self.model}"

    @property
    def place(self) -> str:
        """Host and port, for messages: never a path or a query that may hold a secret."""
        parts = urlsplit(self.base_url)
        return parts.netloc.rpartition("@")[2] or self.base_url

    @property
    def timeout(self) -> httpx2.Timeout:
        return httpx2.Timeout(self.silence_seconds, connect=CONNECT_SECONDS)


def async_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """For chat. Asks the endpoint's host alone; no redirects: a key must not follow one."""

    async def only_ours(request: httpx2.Request) -> None:
        drop_strangers(request, endpoint)

    return httpx2.AsyncClient(
        transport=guarded_http.GuardedAsyncTransport(endpoint.base_url, endpoint.way),
        timeout=endpoint.timeout,
        trust_env=False,  # a proxy is the transport's affair; no passwords out of ~/.netrc
        follow_redirects=False,
        event_hooks={"request": [only_ours]},
    )


def sync_client(endpoint: Endpoint) -> httpx2.Client:
    """For embeddings, which are asked for on the memory thread; otherwise as `async_client`."""
    return httpx2.Client(
        transport=guarded_http.GuardedTransport(endpoint.base_url, endpoint.way),
        timeout=endpoint.timeout,
        trust_env=False,
        follow_redirects=False,
        event_hooks={"request": [lambda request: drop_strangers(request, endpoint)]},
    )


def drop_strangers(request: httpx2.Request, endpoint: Endpoint) -> None:
    """Keep only headers that the request needs and that the person configured.

    The openai package adds facts about the computer, and organisation, project and further
    headers from environment variables, which were meant for another server.
    """
    passed = _PASSED_HEADERS | {name.lower() for name in endpoint.headers}
    for name in set(request.headers) - passed:
        del request.headers[name]
    if "user-agent" not in {name.lower() for name in endpoint.headers}:
        request.headers["user-agent"] = f"moltbot-desktop/{__version__}"
