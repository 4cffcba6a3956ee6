"""Finds thinking, calls and stops in a stream of text, however it is cut into pieces.

One scanner serves one generation:

    scanner = StreamScanner(format, in_thinking=prompt.opens_thinking, stops=prompt.stops)
    for piece in pieces:                    # str, whole characters
        for event in scanner.feed(piece): ...
    for event in scanner.finish(): ...

On `CallOpened` the two-phase decode begins: return to the token border at or before the marker's
end (`event.rest` is what the model already wrote after it), re-evaluate the marker's tail when the
border lies before it, call `scanner.restart_call()` and go on sampling with
`grammar.call_grammar(format, tools)`. Feed the constrained pieces to the same scanner: it answers
`CallClosed(body)` when the call is whole, to be given to `format.parse`, and then scans free text
again. Without a grammar simply keep feeding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from moltbot_desktop.models.formats.contract import CallFormat


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Thinking:
    text: str


@dataclass(frozen=True)
class CallOpened:
    """A call begins; `rest` is what stood behind the marker in the piece just fed."""

    rest: str


@dataclass(frozen=True)
class CallClosed:
    """A whole call: the text between the markers. More events may follow in the same piece."""

    body: str


@dataclass(frozen=True)
class CallCut:
    """The stream ended inside a call; never run it."""

    body: str


@dataclass(frozen=True)
class StopReached:
    """A stop text was met; everything after it is dropped."""

    stop: str


ScanEvent = Text | Thinking | CallOpened | CallClosed | CallCut | StopReached


class _State(Enum):
    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    OVER = "over"


class StreamScanner:
    """State of one generation's text.

    However a text is cut into pieces, the same events come out, apart from `CallOpened.rest` and
    from where texts are cut. Markers inside thinking are plain text: a model thinks about calls
    before it makes one. White space between thinking and the answer is dropped.
    """

    def __init__(
        self,
        call_format: CallFormat | None,
        *,
        thinking: tuple[str, str] = ("<think>", "</think>"),
        in_thinking: bool = False,
        stops: Sequence[str] = (),
    ) -> None:
        """`call_format` None: no tools are offered, markers are plain text."""
        self._format = call_format
        self._begin, self._end = thinking
        self._stops = tuple(filter(None, stops))
        self._state = _State.THINKING if in_thinking else _State.TEXT
        self._buffer = ""
        self._skip_space = False

    def feed(self, piece: str) -> Sequence[ScanEvent]:
        """What `piece` made certain; a possible beginning of a marker is held back."""
        if self._state is _State.OVER or not piece:
            return []
        self._buffer += piece
        if self._state is _State.CALL and self._format and self._format.close[-1] not in piece:
            return []  # a call cannot end here: saves reading a long one at every token
        return self._scan()

    def restart_call(self) -> None:
        """Forget what was fed since the last `CallOpened` (the text will be written anew)."""
        if self._state is _State.CALL:
            self._buffer = ""

    def finish(self) -> Sequence[ScanEvent]:
        """The stream is over: what was held back."""
        rest, self._buffer = self._buffer, ""
        state, self._state = self._state, _State.OVER
        if state is _State.CALL:
            return [CallCut(rest)]
        return [] if state is _State.OVER else self._said(rest, state)

    def _scan(self) -> list[ScanEvent]:
        events: list[ScanEvent] = []
        going_on = True
        while going_on:
            if self._state is _State.CALL:
                found, going_on = self._scan_call()
            elif self._state is _State.OVER:
                found, going_on = [], False
            else:
                found, going_on = self._scan_prose()
            events += found
        return events

    def _scan_call(self) -> tuple[list[ScanEvent], bool]:
        assert self._format is not None  # only a format opens calls
        end = self._format.body_end(self._buffer)
        if end is None:
            return [], False
        body = self._buffer[: end - len(self._format.close)]
        self._buffer = self._buffer[end:]
        self._state = _State.TEXT
        return [CallClosed(body)], True

    def _scan_prose(self) -> tuple[list[ScanEvent], bool]:
        at, marker = self._first_marker()
        said = self._said(self._buffer[:at], self._state)
        self._buffer = self._buffer[at + len(marker) :]
        return said + self._enter(marker), bool(marker)

    def _first_marker(self) -> tuple[int, str]:
        """Where the first whole marker stands; or, with "", where one may be beginning."""
        markers = self._markers()
        firsts = {marker[0] for marker in markers}
        for at, character in enumerate(self._buffer):
            if character not in firsts:
                continue
            tail = self._buffer[at:]
            whole = [marker for marker in markers if tail.startswith(marker)]
            if whole:
                return at, min(whole, key=len)
            if any(marker.startswith(tail) for marker in markers):
                return at, ""
        return len(self._buffer), ""

    def _markers(self) -> tuple[str, ...]:
        if self._state is _State.THINKING:
            return (self._end, *self._stops)
        call = (self._format.open,) if self._format else ()
        return (self._begin, *call, *self._stops)

    def _enter(self, marker: str) -> list[ScanEvent]:
        """The marker's own event, and the state it leads to."""
        if not marker:
            return []
        if marker in self._stops:
            self._state, self._buffer = _State.OVER, ""
            return [StopReached(marker)]
        if self._state is _State.THINKING:
            self._state, self._skip_space = _State.TEXT, True
            return []
        if marker == self._begin:
            self._state = _State.THINKING
            return []
        self._state = _State.CALL
        return [CallOpened(self._buffer)]

    def _said(self, text: str, state: _State) -> list[ScanEvent]:
        if state is _State.THINKING:
            return [Thinking(text)] if text else []
        if self._skip_space:
            text = text.lstrip()
            self._skip_space = not text
        return [Text(text)] if text else []
