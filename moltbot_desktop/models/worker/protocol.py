"""What the program and the process of its model say to each other. Pure: no pipe, no clock.

One message is one line of JSON, ASCII only: characters outside it, halves of surrogate pairs
included, are escaped, so a line is valid UTF-8 whatever a person typed.

    line = encode(Generate(7, request))         # b'{"$": "Generate", ...}\\n'
    decode_request(line)                        # Generate(7, request), or ProtocolBroken
    for line in splitter.feed(os.read(pipe, 65536)): ...

The program sends `Load` once and first, then any number of the others. The process answers `Load`
with `Loaded` or `Failed(0, ...)`, a `Generate` with `Told` events of which the last one is
`GenerationDone`, a `CountTokens` or `SaveStates` with `Counted`, the others with `Finished`; any
of them with `Failed` when it fails. `Cancel` and `Close` have no answer of their own; a `Cancel`
of something that is over is nothing special.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from moltbot_desktop.core.errors import ModelError, MoltbotError
from moltbot_desktop.models.worker.codec import ProtocolBroken, from_json, to_json
from moltbot_desktop.sdk.models import GenerationRequest, ModelEvent, ModelInfo

# Longer than any prompt that fits a window (a million tokens of Chinese, escaped, are 12 MB).
MAX_LINE_BYTES = 32 * 2**20
LOADING = 0
"""The number under which a `Load` fails; those of other requests begin at 1."""


@dataclass(frozen=True)
class Load:
    """See `load_chat_model` for the meaning of the fields."""

    path: Path
    context_tokens: int
    threads: int | None
    state_dir: Path
    kv_cache: str = "f16"
    saved_state_bytes: int = 0
    gpu_layers: int | None = None


@dataclass(frozen=True)
class Generate:
    """Write an answer; see `ChatModel.generate`."""

    number: int
    request: GenerationRequest


@dataclass(frozen=True)
class Prefill:
    """Read ahead; see `ChatModel.prefill`."""

    number: int
    request: GenerationRequest


@dataclass(frozen=True)
class Cancel:
    """End the request of this number."""

    number: int


@dataclass(frozen=True)
class CountTokens:
    """See `ChatModel.count_tokens`."""

    number: int
    text: str


@dataclass(frozen=True)
class SaveStates:
    """Save what a restart would lose."""

    number: int


@dataclass(frozen=True)
class Forget:
    """Drop all that is kept of a deleted conversation, in memory and on disk."""

    number: int
    conversation: str


@dataclass(frozen=True)
class Close:
    """Save what is to be saved, free the model and end."""


@dataclass(frozen=True)
class Loaded:
    """The model is in memory."""

    info: ModelInfo


@dataclass(frozen=True)
class Told:
    """An event of an answer that is being written."""

    number: int
    event: ModelEvent


@dataclass(frozen=True)
class Counted:
    """A number: of tokens, of conversations."""

    number: int
    count: int


@dataclass(frozen=True)
class Finished:
    """The end of a request that has no result."""

    number: int


@dataclass(frozen=True)
class Failed:
    """A known error; the process goes on, except after a `Load`.

    Attributes:
        code: the error's `code`, from which `error` makes the same class again.
    """

    number: int
    code: str
    message: str
    hint: str

    @classmethod
    def of(cls, number: int, error: MoltbotError) -> Failed:
        return cls(number, error.code, error.message, error.hint)

    @property
    def error(self) -> MoltbotError:
        """The error again; a code this build does not know is a plain `ModelError`."""
        kind = _CLASSES.get(self.code, ModelError)
        return kind(self.message, hint=self.hint)


Task = Generate | Prefill | CountTokens | SaveStates | Forget
"""What has a number and an end of its own."""
Request = Load | Task | Cancel | Close
Answer = Loaded | Told | Counted | Finished | Failed


def _with_heirs(kind: type[MoltbotError]) -> Iterator[type[MoltbotError]]:
    yield kind
    for heir in kind.__subclasses__():
        yield from _with_heirs(heir)


_CLASSES = {kind.code: kind for kind in _with_heirs(MoltbotError)}


class TooLong(ProtocolBroken):
    """A message is longer than `MAX_LINE_BYTES`."""


def encode(message: Request | Answer) -> bytes:
    """The message as one line with its line end.

    Raises:
        TooLong: as said there.
        ProtocolBroken: it holds what JSON cannot (something nested a thousand times).
    """
    try:
        line = json.dumps(to_json(message)).encode("ascii") + b"\n"
    except (RecursionError, ValueError) as error:
        raise ProtocolBroken(f"a {type(message).__name__} that cannot be sent: {error}") from error
    if len(line) > MAX_LINE_BYTES:
        raise TooLong(f"a {type(message).__name__} of {len(line)} bytes")
    return line


def decode_request(line: bytes) -> Request:
    """The request in `line`, with or without its line end.

    Raises:
        ProtocolBroken: any bytes that are not one.
    """
    return cast(Request, _decode(Request, line))


def decode_answer(line: bytes) -> Answer:
    """The answer in `line`, with or without its line end.

    Raises:
        ProtocolBroken: any bytes that are not one.
    """
    return cast(Answer, _decode(Answer, line))


def _decode(kind: object, line: bytes) -> object:
    if len(line) > MAX_LINE_BYTES:
        raise TooLong(f"a line of {len(line)} bytes")
    try:
        return from_json(kind, json.loads(line))
    except ProtocolBroken:
        raise
    # ValueError: no JSON, no UTF-8, a number of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise ProtocolBroken(f"{len(line)} bytes that are no JSON") from error


class LineSplitter:
    """Cuts what comes from a pipe into lines."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, without their line ends.

        Raises:
            TooLong: a line longer than the limit, as soon as that is known.
        """
        *whole, rest = data.split(b"\n")
        lines = []
        for piece in whole:
            self._add(piece)
            lines.append(b"".join(self._parts))
            self._parts, self._length = [], 0
        self._add(rest)
        return lines

    def _add(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > self._limit:
            raise TooLong(f"a line of more than {self._limit} bytes")
        # Parts, not one growing string: a long line comes in many pieces.
        self._parts.append(piece)
