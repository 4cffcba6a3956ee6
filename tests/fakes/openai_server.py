"""A strict OpenAI-compatible server on loopback, which says what a test wrote down.

    with ApiServer([streams(text("Hello"), ends())], key="sk-test") as server:
        ... ask server.base_url + the path of the API ...
        server.requests[0].body

Each chat request plays the next reply. What the real APIs refuse it refuses too (unknown fields,
a wrong key, results without a call), with status 400 or 401, so that a test cannot pass with a
request nobody would answer. Embeddings and Gemini's batchEmbedContents are computed from the text.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

CHAT_FIELDS = frozenset(
    "model messages stream stream_options max_tokens max_completion_tokens temperature tools "
    "tool_choice".split()
)
MESSAGE_FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
EMBEDDING_FIELDS = frozenset({"model", "input", "encoding_format", "dimensions"})
DIMENSIONS = 8
CERTIFICATE = Path(__file__).parents[1] / "data" / "self_signed.pem"
"""For 127.0.0.1, with its key; signed by itself, in use nowhere else."""


@dataclass(frozen=True)
class Reply:
    """What one request gets.

    Attributes:
        chunks: of a stream, sent one by one; bytes go out as they are.
        headers: over the usual ones; "" for one that is left out.
        done: ends with ``[DONE]`` and a proper end; else the connection is cut.
        hangs: no chunk more until the client goes away, comment lines keep the connection open.
        mute: as `hangs`, without a single byte more; lasts until the server is closed.
    """

    status: int = 200
    chunks: tuple[object, ...] = ()
    done: bool = True
    hangs: bool = False
    mute: bool = False
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


def streams(*chunks: object) -> Reply:
    """A whole stream of these chunks."""
    return Reply(chunks=chunks)


def cut(*chunks: object) -> Reply:
    """A stream whose connection is lost after these chunks."""
    return Reply(chunks=chunks, done=False)


def hangs(*chunks: object) -> Reply:
    """A stream that goes silent after these chunks."""
    return Reply(chunks=chunks, hangs=True)


def refuses(status: int, message: str = "no", code: str = "", **headers: str) -> Reply:
    """An error as OpenAI words it; `headers` with _ for -."""
    error = {"message": message, "type": "error", "param": None, "code": code or None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, body={"error": error}, headers=named)


def chunk(delta: Mapping[str, object], finish: str | None = None) -> dict[str, object]:
    """One chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def text(words: str) -> dict[str, object]:
    return chunk({"content": words})


def thinks(words: str, name: str = "reasoning_content") -> dict[str, object]:
    return chunk({name: words})


def call(index: int | None, arguments: str, name: str = "", id: str = "") -> dict[str, object]:
    """A piece of a tool call; what is empty or None is left out."""
    function: dict[str, object] = {"arguments": arguments}
    if name:
        function["name"] = name
    piece: dict[str, object] = {"function": function, "type": "function"}
    if index is not None:
        piece["index"] = index
    if id:
        piece["id"] = id
    return chunk({"tool_calls": [piece]})


def ends(reason: str = "stop") -> dict[str, object]:
    return chunk({}, reason)


def counts(prompt: int, completion: int, cached: int = 0) -> dict[str, object]:
    """The last chunk when usage was asked for."""
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {**chunk({}), "choices": [], "usage": usage}


def vector_of(words: str) -> list[float]:
    """The embedding this server gives a text: not of unit length, like some servers'."""
    digest = hashlib.sha256(words.encode()).digest()[:DIMENSIONS]
    return [byte / 16 - 8 for byte in digest]


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]


class ApiServer:
    """The server; use it in a `with`.

    Attributes:
        requests: what was asked, refused or not, in order.
        left: set when a client went away in the middle of a stream.
    """

    def __init__(
        self,
        replies: Sequence[Reply] = (),
        *,
        key: str = "",
        tls: bool = False,
        answer: Callable[[Mapping[str, object]], Reply] | None = None,
    ) -> None:
        """`tls`: https with a certificate that nobody trusts. `answer` makes the reply to a chat
        request's body when the script is over."""
        self._answer = answer
        self.requests: list[Received] = []
        self.left = threading.Event()
        self._replies = list(replies)
        self._key = key
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        # Joined at the end, so that no handler outlives its test.
        self._server.daemon_threads = False
        self._scheme = "https" if tls else "http"
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            # The handshake belongs to the handler's thread, where a refusal is quiet.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def origin(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    @property
    def base_url(self) -> str:
        return self.origin + "/v1"

    def __enter__(self) -> ApiServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, received: Received) -> Reply:
        with self._lock:
            self.requests.append(received)
            problem = self._problem(received)
            if problem is not None:
                return problem
            planned = self._replies.pop(0) if self._replies else None
        if planned is not None:
            return planned
        if received.path == "/v1/chat/completions" and self._answer is not None:
            return self._answer(received.body)
        if received.path == "/v1/embeddings":
            return Reply(body=_embeddings(received.body["input"]))
        if received.path.endswith(":batchEmbedContents"):
            return Reply(body=_gemini(received.body["requests"]))
        return refuses(500, "the test's script is over")

    def _problem(self, received: Received) -> Reply | None:
        if self._key and not self._key_fits(received):
            return refuses(401, f"Incorrect API key provided: {self._key}", "invalid_api_key")
        if received.path == "/v1/chat/completions":
            wrong = chat_problem(received.body)
        elif received.path == "/v1/embeddings":
            wrong = ", ".join(sorted(set(received.body) - EMBEDDING_FIELDS))
        elif received.path.endswith(":batchEmbedContents"):
            wrong = gemini_problem(received.path, received.body)
        else:
            return refuses(404, f"no such path: {received.path}")
        return refuses(400, f"unknown or wrong: {wrong}") if wrong else None

    def _key_fits(self, received: Received) -> bool:
        if "x-goog-api-key" in received.headers:
            return received.headers["x-goog-api-key"] == self._key
        return received.headers.get("authorization") == f"Bearer {self._key}"

    def hang(self) -> bool:
        """Wait a moment; True when the server is being closed."""
        return self._stopped.wait(0.01)


def _shows_pictures(message: Mapping[str, object]) -> bool:
    """Whether the content is a text and pictures of this very request, as only a person's is."""
    content = message.get("content")
    if message["role"] != "user" or not isinstance(content, list) or len(content) < 2:
        return False
    text, *pictures = content
    begin = "data:image/"
    return set(text) == {"type", "text"} and all(
        set(one) == {"type", "image_url"} and one["image_url"]["url"].startswith(begin)
        for one in pictures
    )


def chat_problem(body: Mapping[str, object]) -> str:
    """What is wrong with a chat request; "" when nothing is."""
    unknown = set(body) - CHAT_FIELDS
    if unknown:
        return f"fields {sorted(unknown)}"
    open_calls: set[str] = set()
    seen: set[str] = set()
    for message in body["messages"]:
        role = message.get("role")
        if role not in MESSAGE_FIELDS or set(message) - MESSAGE_FIELDS[role]:
            return f"message {sorted(message)} of {role}"
        if not isinstance(message.get("content"), str) and not _shows_pictures(message):
            return "content that is no text"
        if role == "tool":
            if message["tool_call_id"] not in open_calls:
                return f"a result without a call: {message['tool_call_id']}"
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return f"calls without a result: {sorted(open_calls)}"
        for one in message.get("tool_calls", ()):
            if set(one) != {"id", "type", "function"} or one["id"] in seen:
                return f"call {one}"
            if not isinstance(json.loads(one["function"]["arguments"]), dict):
                return "arguments that are no object"
            seen.add(one["id"])
            open_calls.add(one["id"])
    for tool in body.get("tools", ()):
        if set(tool) != {"type", "function"} or tool["type"] != "function":
            return f"tool {sorted(tool)}"
        if set(tool["function"]) != {"name", "description", "parameters"}:
            return f"function {sorted(tool['function'])}"
    return "" if body.get("stream") is True else "stream"


def gemini_problem(path: str, body: Mapping[str, object]) -> str:
    model = path.removeprefix("/v1beta/").removesuffix(":batchEmbedContents")
    if set(body) != {"requests"} or not body["requests"]:
        return f"fields {sorted(body)}"
    for one in body["requests"]:
        if set(one) - {"model", "content", "taskType", "outputDimensionality"}:
            return f"fields {sorted(one)}"
        if one["model"] != model:
            return f"model {one['model']}"
        if one["taskType"] not in ("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"):
            return f"taskType {one['taskType']}"
    return ""


def _embeddings(texts: Sequence[str]) -> dict[str, object]:
    # Out of order on purpose: `index` says where each belongs.
    data = [
        {"object": "embedding", "index": number, "embedding": vector_of(words)}
        for number, words in enumerate(texts)
    ]
    return {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 1}}


def _gemini(requests: Sequence[Mapping[str, object]]) -> dict[str, object]:
    texts = [one["content"]["parts"][0]["text"] for one in requests]
    return {"embeddings": [{"values": vector_of(words)} for words in texts]}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ApiServer

    def handle(self) -> None:
        with contextlib.suppress(ssl.SSLError):  # the client does not trust us
            super().handle()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.close_connection = True
        try:
            self._answer(self.api.reply_to(Received(self.path, headers, json.loads(data))))
        except (BrokenPipeError, ConnectionResetError):
            self.api.left.set()

    def _answer(self, reply: Reply) -> None:
        streaming = reply.body is None
        self.send_response_only(reply.status)
        kind = "text/event-stream" if streaming else "application/json"
        usual = {"Content-Type": kind, "Date": self.date_time_string()}
        for name, value in {**usual, **reply.headers}.items():
            if value:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        if streaming:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._stream(reply)
            return
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, reply: Reply) -> None:
        for one in reply.chunks:
            raw = one if isinstance(one, bytes) else f"data: {json.dumps(one)}\n\n".encode()
            self._piece(raw)
        while reply.mute and not self.api.hang():
            pass
        # A comment line is what servers send to keep a connection open.
        while reply.hangs and not self.api.hang():
            self._piece(b": still here\n\n")
        if reply.done and not reply.hangs:
            self._piece(b"data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")

    def _piece(self, raw: bytes) -> None:
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
