"""A chat model behind any OpenAI-compatible address: llama-server, vLLM, Ollama, LM Studio, cloud.

    model = RemoteChatModel(endpoint, key=lambda: store.get("openai") or "")
    async for event in model.generate(request, cancel): ...
    await model.close()

The request goes out once: the openai package's own retries are off, because whoever asked (the
fallback chain, the person) must know that something was tried twice. Stopping closes the
connection, which is how these servers learn that nobody listens any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from moltbot_desktop.core.errors import ModelMissing, MoltbotError, RemoteAnswerBroken
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.models.remote.assembly import StreamedAnswer
from moltbot_desktop.models.remote.endpoint import Endpoint, KeyLookup, async_client, no_key
from moltbot_desktop.models.remote.refusals import (
    other_api,
    refusal,
    refusal_in_stream,
    silent,
    unreachable,
    words_of,
)
from moltbot_desktop.models.remote.wire import estimated_tokens, request_body
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    PromptEvaluated,
    ThinkingControl,
)
from moltbot_desktop.sdk.tools import CancelToken

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI
else:
    httpx2 = LateModule("httpx2")

_CANCEL_POLL_SECONDS = 0.02
# A server that is faster than the reader is made to wait, not remembered.
_MOST_WAITING = 256
# What a stream calls itself; a few gateways say text/plain.
_STREAM_KINDS = ("text/event-stream", "text/plain")
_MOST_READ_BYTES = 65_536

MakeClient: TypeAlias = "Callable[[Endpoint], httpx2.AsyncClient]"


class RemoteChatModel:
    """One `Endpoint` behind the `ChatModel` contract. Belongs to one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        key: KeyLookup = no_key,
        make_client: MakeClient = async_client,
    ) -> None:
        """Nothing connects here. `key` is looked up on a worker thread at the first use."""
        self._endpoint = endpoint
        self._key = key
        self._make_client = make_client
        self._client: AsyncOpenAI | None = None
        self._keyless = True
        self._opening = asyncio.Lock()

    @property
    def info(self) -> ModelInfo:
        thinks = ThinkingControl.EFFORT if self._endpoint.reasoning else ThinkingControl.NONE
        window = self._endpoint.context_tokens
        return ModelInfo(self._endpoint.name, window, size_bytes=0, thinking=thinks)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """See `ChatModel.generate`. Leaving the iterator early closes the connection.

        Progress is told once, when the first piece arrives, and counts estimated tokens.

        Raises:
            RemoteModelError: which kind says what went wrong (`core.errors`).
            ContextOverflow: the server says that the prompt is too long.
            ModelMissing: the optional package for remote models is not installed.
        """
        answer = StreamedAnswer(request)
        queue: asyncio.Queue[JsonValue] = asyncio.Queue(_MOST_WAITING)
        reading = asyncio.create_task(self._read(request, queue))
        begun = False
        try:
            while (chunk := await _next_chunk(queue, reading, cancel)) is not None:
                if not begun:
                    begun = True
                    tokens = sum(estimated_tokens(message.content) for message in request.messages)
                    yield PromptEvaluated(tokens, tokens, 0)
                for event in answer.feed(chunk[0]):
                    if not cancel.cancelled:  # it may be pulled between two events of a chunk
                        yield event
            if cancel.cancelled:
                yield GenerationDone(FinishReason.CANCELLED, answer.usage)
                return
            await reading  # raises what ended it
            for event in answer.finish():
                yield event
        finally:
            reading.cancel()
            await asyncio.wait([reading])

    async def count_tokens(self, text: str) -> int:
        """An estimate: the server's tokenizer is not at hand."""
        return estimated_tokens(text)

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """Nothing: what is typed leaves this computer when it is sent, not before."""

    async def close(self) -> None:
        """Close the connections. It can be asked again, which opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _read(self, request: GenerationRequest, queue: asyncio.Queue[JsonValue]) -> None:
        client = await self._opened()
        import openai  # noqa: PLC0415 - optional; `_opened` has imported it

        try:
            # The raw way in: chunks arrive as plain JSON, whatever a server makes of the format.
            stream = await client.post(
                "/chat/completions",
                cast_to=object,
                body=request_body(request, self._endpoint),
                options={"headers": {"Authorization": openai.Omit()} if self._keyless else {}},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            try:
                await self._check_streams(stream.response)
                async for chunk in stream:
                    await queue.put(_as_json(chunk))
            finally:
                await stream.close()
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                await self.close()  # the next try looks the key up anew
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            words = words_of(error.body) or error.message
            raise refusal(error.status_code, words, self._endpoint, headers=headers) from error
        except openai.APIConnectionError as error:
            raise self._lost(error.__cause__) from error
        except openai.APIError as error:
            raise refusal_in_stream(
                words_of(error.body) or error.message, self._endpoint
            ) from error
        except httpx2.RequestError as error:
            raise self._lost(error) from error
        except ValueError as error:  # JSON inside the stream that is none
            raise RemoteAnswerBroken(
                f"{self._endpoint.provider} sent something that is not JSON.",
                hint="Check that baseUrl leads to an OpenAI-compatible API.",
            ) from error

    async def _check_streams(self, response: httpx2.Response) -> None:
        """Raises RemoteAnswerBroken with the server's words when it is no stream that comes: what
        servers and web sites say, with status 200, at an address that is not the API's."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not kind or kind in _STREAM_KINDS:
            return
        raise other_api(
            "a web page" if kind == "text/html" else "something that is no stream",
            words_of(await _start_of(response)),
            self._endpoint,
        )

    def _lost(self, cause: BaseException | None) -> MoltbotError:
        """Refused by our own door, not reached at all, silent, or lost in the middle."""
        if isinstance(cause, MoltbotError):
            return cause
        if isinstance(cause, httpx2.TimeoutException) and not isinstance(
            cause, httpx2.ConnectTimeout
        ):
            return silent(self._endpoint)
        if isinstance(cause, httpx2.ReadError | httpx2.RemoteProtocolError):
            return RemoteAnswerBroken(
                f"The connection to {self._endpoint.provider} broke off.",
                hint="Ask again; if it happens often, look at the server's log.",
            )
        return unreachable(self._endpoint, cause)

    async def _opened(self) -> AsyncOpenAI:
        """The client, made at the first use."""
        async with self._opening:
            if self._client is None:
                # On a worker thread: the package takes most of a second to import, and a key
                # ring may wait for the person.
                self._client = await asyncio.to_thread(self._made)
            return self._client

    def _made(self) -> AsyncOpenAI:
        try:
            import openai  # noqa: PLC0415 - optional, and slow to import
        except ModuleNotFoundError as error:
            raise ModelMissing(
                "Models at another address need the package “openai”, which is not installed.",
                hint="Run: pip install 'moltbot-desktop[remote]'",
            ) from error
        key = self._key()
        self._keyless = not key and "authorization" not in map(str.lower, self._endpoint.headers)
        return openai.AsyncOpenAI(
            api_key=key or "none",  # "" would make it look into the environment
            base_url=self._endpoint.base_url,
            max_retries=0,
            timeout=self._endpoint.timeout,
            default_headers=self._endpoint.headers,
            http_client=self._make_client(self._endpoint),
        )


async def _next_chunk(
    queue: asyncio.Queue[JsonValue], reading: asyncio.Task[None], cancel: CancelToken
) -> tuple[JsonValue] | None:
    """The next chunk in a tuple; None when there is none any more or the run was stopped."""
    while not cancel.cancelled:
        with contextlib.suppress(asyncio.QueueEmpty):
            return (queue.get_nowait(),)
        if reading.done():
            return None
        with contextlib.suppress(TimeoutError):
            return (await asyncio.wait_for(queue.get(), _CANCEL_POLL_SECONDS),)
    return None


async def _start_of(response: httpx2.Response) -> JsonValue:
    """The body, if it is short JSON; null for anything else."""
    data = b""
    async for piece in response.aiter_bytes():
        data += piece
        if len(data) > _MOST_READ_BYTES:
            return None
    try:
        return json.loads(data)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return None


def _as_json(chunk: object) -> JsonValue:
    """Parsed JSON is what the stream gives; anything else becomes null, which is refused."""
    if chunk is None or isinstance(chunk, str | int | float | bool | list | Mapping):
        return chunk
    return None
