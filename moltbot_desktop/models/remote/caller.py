"""One JSON request after the other, for embeddings: blocking, tried again when it may help.

Embedding a text twice harms nobody, so a rate limit or a server's own trouble is waited out: after
0.5, 1 and 2 seconds (with up to a fifth more, so that many callers do not come back at once), or
as long as the server asks, if that is not long.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Mapping

import httpx2

from moltbot_desktop.core.errors import (
    RemoteAnswerBroken,
    RemoteKeyRefused,
    RemoteModelError,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteUnreachable,
)
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.models.remote.endpoint import Endpoint, KeyLookup, sync_client
from moltbot_desktop.models.remote.refusals import (
    other_api,
    refusal,
    silent,
    unreachable,
    words_of,
)

RETRIES = 3
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
MOST_JITTER = 0.2

Authorize = Callable[[str], Mapping[str, str]]
"""From the key to the headers that carry it."""


class JsonCaller:
    """Asks one `Endpoint`. May be used by any threads that may wait, by several at once.

    A request goes out at most 1 + `RETRIES` times; no wait between two is much longer than
    `LONGEST_WAIT_SECONDS`, and none for a byte longer than `Endpoint.silence_seconds`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        key: KeyLookup,
        authorize: Authorize,
        make_client: Callable[[Endpoint], httpx2.Client] = sync_client,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        """`wait` waits so many seconds, or shorter when it is closed, which it then says."""
        self._endpoint = endpoint
        self._key = key
        self._authorize = authorize
        self._make_client = make_client
        self._lock = threading.Lock()
        self._client: httpx2.Client | None = None
        self._carried: Mapping[str, str] | None = None  # headers with the key, once it is found
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait

    def post(self, path: str, body: JsonObject) -> JsonValue:
        """The answer to `body` at `path` below the endpoint's address.

        Raises:
            RemoteModelError: which kind says what went wrong.
            SecretsUnavailable: the key cannot be read.
        """
        for attempt in range(RETRIES + 1):
            try:
                return self._post_once(path, body)
            except (RemoteRateLimited, RemoteOverloaded) as error:
                seconds = wait_seconds(attempt, error, random.random())
                if attempt == RETRIES or seconds is None or self._wait(seconds):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Break off waiting and close the connections. It cannot be asked afterwards."""
        self._closed.set()
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _post_once(self, path: str, body: JsonObject) -> JsonValue:
        client, carried = self._opened(), self._carried
        if carried is None:
            carried = self._carried = self._authorize(self._key())
        try:
            response = client.post(self._endpoint.base_url + path, json=body, headers=carried)
        except httpx2.ConnectTimeout as error:
            raise unreachable(self._endpoint, error) from error
        except httpx2.TimeoutException as error:
            raise silent(self._endpoint) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unreachable(self._endpoint, error) from error
        try:
            return self._understood(response)
        except RemoteKeyRefused:
            self._carried = None  # the next request looks the key up anew
            raise

    def _opened(self) -> httpx2.Client:
        """The client, made at the first use. It holds no key: that may change."""
        with self._lock:
            if self._closed.is_set():
                raise RemoteUnreachable(f"The connection to {self._endpoint.provider} is closed.")
            if self._client is None:
                self._client = self._make_client(self._endpoint)
                self._client.headers.update(self._endpoint.headers)
            return self._client

    def _understood(self, response: httpx2.Response) -> JsonValue:
        try:
            answer: JsonValue = json.loads(response.content)
        except (ValueError, RecursionError) as error:
            if response.is_success:
                raise RemoteAnswerBroken(
                    f"{self._endpoint.provider} sent something that is not JSON.",
                    hint="Check the address of the embedding provider.",
                ) from error
            answer = None
        words = words_of(answer)
        if response.is_success:
            if isinstance(answer, Mapping) and answer.get("error"):
                raise other_api("an error", words, self._endpoint)
            return answer
        headers = {name.lower(): value for name, value in response.headers.items()}
        raise refusal(response.status_code, words, self._endpoint, headers=headers)


def wait_seconds(attempt: int, error: RemoteModelError, chance: float) -> float | None:
    """How long to wait after attempt number `attempt` (from 0); None to give up, because the
    server asks for longer than anybody waits. `chance` is 0..1."""
    usual = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**attempt) * (
        1 + MOST_JITTER * chance
    )
    asked = error.retry_after if isinstance(error, RemoteRateLimited) else None
    if asked is None:
        return usual
    return max(usual, asked) if asked <= LONGEST_WAIT_SECONDS else None
