"""The end of the log over the local socket: `logs.tail`, as the reference has it.

    logs.tail  {cursor?, limit?, maxBytes?}  → {file, cursor, size, lines, truncated, reset}

`cursor` of the last answer goes on where that one ended; `reset` says that the file is another one
since (it was full), `truncated` that lines in between are left out. Keys and passwords are hidden
(`security.redaction`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.rpc.methods import WHOLE, Given, Method
from moltbot_desktop.security.redaction import redacted
from moltbot_desktop.storage.files import disk_errors

_LINES, _MOST_LINES = 500, 5_000
_BYTES, _MOST_BYTES = 200_000, 250_000
"""The answer must fit a frame, where a line may grow by escapes."""
_POSITION: JsonObject = {"type": "integer", "minimum": 0}


@dataclass(frozen=True)
class Tail:
    """A piece of the log.

    Attributes:
        end: where it ends in the file, in bytes.
        truncated: lines before it were asked for too.
        reset: the file was begun anew since the position that was asked for.
    """

    lines: tuple[str, ...]
    end: int
    size: int
    truncated: bool
    reset: bool


@dataclass(frozen=True)
class LogsMethods:
    """Attributes:
    log: the file that is written now; nothing when there is none.
    """

    log: Path
    in_thread: InThread

    def methods(self) -> tuple[Method, ...]:
        asked = {"cursor": _POSITION, "limit": WHOLE, "maxBytes": WHOLE}
        return (Method("logs.tail", self._tail, asked),)

    async def _tail(self, given: Given) -> JsonValue:
        start = given.whole("cursor", -1)
        limit = min(given.whole("limit", _LINES), _MOST_LINES)
        most = min(given.whole("maxBytes", _BYTES), _MOST_BYTES)
        tail = await self.in_thread(lambda: read_tail(self.log, start, limit, most))
        return {
            "file": str(self.log),
            "cursor": tail.end,
            "size": tail.size,
            "lines": [redacted(line) for line in tail.lines],
            "truncated": tail.truncated,
            "reset": tail.reset,
        }


def read_tail(path: Path, start: int, limit: int, most_bytes: int) -> Tail:
    """The last whole lines of a file.

    Args:
        start: from this byte on, -1 for the file's end whatever was read before.

    Raises:
        StorageError: it cannot be read.
    """
    with disk_errors(path):
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                reset = start > size
                wanted = 0 if reset or start < 0 else start
                begin = max(wanted, size - most_bytes)
                file.seek(begin)
                data = file.read(size - begin)
        except FileNotFoundError:
            return Tail((), 0, 0, truncated=False, reset=start > 0)
    if begin > wanted:  # in the middle of a line
        data = data[data.find(b"\n") + 1 :]
    whole = data[: data.rfind(b"\n") + 1]  # the line that is being written now comes next time
    lines = whole.decode("utf-8", "replace").split("\n")[:-1]
    end = size - (len(data) - len(whole))
    truncated = start >= 0 and (begin > wanted or len(lines) > limit)
    return Tail(tuple(lines[-limit:]), end, size, truncated, reset)
