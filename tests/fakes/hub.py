"""A model hub on loopback that behaves as badly as it is told to.

It answers like the real ones: HEAD and GET on `/{repo}/resolve/{revision}/{file}`, for a large
file a redirect that carries size and checksum, and the bytes from another path, with ranges.

    with FakeHub({"o/r/resolve/main/x.gguf": data}) as hub:
        hub.trouble.cuts = [1000]            # the first GET ends after 1,000 bytes
        fetch(f"{hub.url}/o/r/resolve/main/x.gguf")
        assert hub.asked == [("HEAD", None), ("GET", None), ...]
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

_RANGE = re.compile(r"bytes=(\d+)-")


@dataclass
class Trouble:
    """What goes wrong.

    Attributes:
        cuts: so many body bytes, then the connection ends; one GET each, in order.
        stall_at: so many body bytes of the first GET, then silence.
        statuses: answers to the next requests, in place of the file.
        wrong_bytes: a body of the right size with one bit changed.
        said_size: the size in the headers, in place of the true one.
        hops: how many redirects come first; a large number is a loop.
        ranges: whether Range is understood.
        linked: whether size and checksum are said, as for large files.
        block: bytes a write; `after_block` is called after each.
    """

    cuts: list[int] = field(default_factory=list)
    stall_at: int | None = None
    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    wrong_bytes: bool = False
    said_size: int | None = None
    said_etag: str | None = None
    hops: int = 1
    location: str | None = None
    ranges: bool = True
    wrong_range: bool = False
    linked: bool = True
    block: int = 2**16
    after_block: Callable[[int], object] = lambda sent: None


class FakeHub:
    """Serves `files` (path without the leading slash -> bytes) until it is closed."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.trouble = Trouble()
        self.asked: list[tuple[str, str | None]] = []
        self.sent = 0
        self.closing = threading.Event()
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), name="fake-hub"
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def ranges_asked(self) -> list[str | None]:
        """The Range header of each GET that reached the bytes."""
        return [asked for method, asked in self.asked if method == "GET"]

    def __enter__(self) -> FakeHub:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Quiet: a test's output is for its own findings."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.close_connection = True
        hub, trouble = self.hub, self.hub.trouble
        hop, _, path = self.path.lstrip("/").rpartition("hop/")
        hop_count = int(hop.strip("/") or 0)
        if trouble.statuses and hop_count == 0:
            status, headers = trouble.statuses.pop(0)
            self._head(status, {**headers, "Content-Length": "0"})
        elif path not in hub.files:
            self._head(404, {"Content-Length": "0"})
        elif hop_count < trouble.hops:
            target = trouble.location or f"/{hop_count + 1}/hop/{path}"
            headers = self._linked(path) if hop_count == 0 else {}
            self._head(302, {"Location": target, "Content-Length": "0", **headers})
        else:
            hub.asked.append((self.command, self.headers.get("Range")))
            self._file(path)

    def _linked(self, path: str) -> dict[str, str]:
        data, trouble = self.hub.files[path], self.hub.trouble
        if not trouble.linked:
            return {}
        etag = trouble.said_etag or hashlib.sha256(data).hexdigest()
        size = len(data) if trouble.said_size is None else trouble.said_size
        return {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(size)}

    def _file(self, path: str) -> None:
        trouble = self.hub.trouble
        data = self.hub.files[path]
        etag = f'"cdn-{hashlib.md5(data).hexdigest()}"'
        if trouble.wrong_bytes:
            data = bytes([data[0] ^ 1]) + data[1:]
        if trouble.hops == 0:
            extra = self._linked(path)
        else:
            extra = {}
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        start = int(asked[1]) if asked and trouble.ranges else 0
        headers = {"ETag": etag, **extra}
        if start >= len(data) > 0:
            self._head(416, {"Content-Length": "0"})
            return
        body = data[start:]
        if asked and trouble.ranges:
            first = start + 1 if trouble.wrong_range else start
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        size = len(body) if trouble.said_size is None else trouble.said_size - start
        self._head(206 if start else 200, {"Content-Length": str(size), **headers})
        if self.command == "GET":
            self._body(body)

    def _body(self, body: bytes) -> None:
        hub, trouble = self.hub, self.hub.trouble
        limit = min(trouble.cuts.pop(0), len(body)) if trouble.cuts else len(body)
        stall_at, trouble.stall_at = trouble.stall_at, None
        for start in range(0, limit, trouble.block):
            block = body[start : min(start + trouble.block, limit)]
            if stall_at is not None and start + len(block) > stall_at:
                self._write(block[: stall_at - start])
                hub.closing.wait(30)
                return
            if not self._write(block):
                return
            trouble.after_block(hub.sent)

    def _write(self, block: bytes) -> bool:
        try:
            self.wfile.write(block)
            self.wfile.flush()
        except OSError:
            return False  # the other side has hung up
        self.hub.sent += len(block)
        return True

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
