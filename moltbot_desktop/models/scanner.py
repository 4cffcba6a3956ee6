"""Finds thinking, calls and stops in a stream of text, however it is cut into pieces.

One scanner serves one generation:

    scanner = StreamScanner(
        format, markers=format.markers(tools), thinking=prompt.thinking,
        in_thinking=prompt.thinking_end, stops=prompt.stops,
    )
    for piece in pieces:                    # str, whole characters
        for event in scanner.feed(piece): ...
    for event in scanner.finish(): ...

On `CallOpened` the two-phase decode begins: return to the token border at or before the marker's
end (`event.rest` is what the model already wrote after it), re-evaluate the marker's tail when the
border lies before it, call `scanner.restart_call()` and go on sampling with
`grammar.call_grammar(format, tools)`. Feed the constrained pieces to the same scanner: it answers
`CallClosed(body)` when the section is whole, to be given to `format.split`, and then scans free
text again. Without a grammar simply keep feeding. A syntax whose body begins within its marker
(`event.kept`) has that part accepted by the grammar first. When a call is forced, the prompt ends
with `format.open` and `scanner.open_call()` begins inside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from moltbot_desktop.models.formats.contract import CallFormat, Markers

_NO_MARKERS = Markers(())
_BLANKS = " \t\r\n\f\v"
# Where there is no closing marker, a section ends with one of these.
_BRACKETS = "}]"
_THINK = (("<think>", "</think>"),)


@dataclass(frozen=True)
class Text:
    """A part of the answer, whole characters."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """A part of what the model thinks, without the marks around it."""

    text: str


@dataclass(frozen=True)
class CallOpened:
    """A call begins; `rest` is what stood behind the marker in the piece just fed, `kept` the part
    of the marker that is the body's beginning."""

    rest: str
    kept: str = ""


@dataclass(frozen=True)
class CallClosed:
    """A whole section: the text between the markers. More events may follow in the same piece."""

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
    """State of one generation's text. No text makes it raise.

    However a text is cut into pieces, the same events come out, apart from `CallOpened.rest` and
    from where texts are cut. Markers inside thinking are plain text: a model thinks about calls
    before it makes one. A thinking block begins only at the beginning: later its mark is something
    the answer talks about. White space between thinking and the answer is dropped.
    "The beginning" of a message is where nothing but blanks was said since it began.
    """

    def __init__(
        self,
        call_format: CallFormat | None,
        *,
        markers: Markers | None = None,
        thinking: Sequence[tuple[str, str]] = _THINK,
        in_thinking: str | bool = "",
        stops: Sequence[str] = (),
    ) -> None:
        """Begin.

        Args:
            call_format: None when no tools are offered: calls are plain text.
            markers: the format's for the tools at hand; its silent ones count without tools too.
            thinking: begin and end of thinking blocks.
            in_thinking: "" or the end of the block in which the answer begins; True for the first
                of `thinking`.
            stops: texts that end the answer.
        """
        self._format = call_format
        self._wanted = markers or (call_format.markers(()) if call_format else _NO_MARKERS)
        self._blocks = {begin: end for begin, end in thinking if begin and end}
        self._end = thinking[0][1] if in_thinking is True else in_thinking or ""
        self._stops = tuple(filter(None, stops))
        self._state = _State.THINKING if self._end else _State.TEXT
        ends = (*self._blocks.values(), self._end)
        self._beginnings = {
            _State.TEXT: _first_characters(self._text_markers()),
            _State.THINKING: _first_characters((*ends, *self._stops)),
        }
        self._buffer = ""
        self._kept = ""
        self._said_words = False
        self._skip = ""

    def feed(self, piece: str) -> Sequence[ScanEvent]:
        """What `piece` made certain; a possible beginning of a marker is held back."""
        if self._state is _State.OVER or not piece:
            return []
        self._buffer += piece
        if self._state is _State.CALL and self._format:
            last = self._format.close[-1:] or _BRACKETS
            if not any(character in piece for character in last):
                return []  # a call cannot end here: saves reading a long one at every token
        return self._scan()

    def open_call(self) -> Sequence[ScanEvent]:
        """Begin inside a call: the prompt ended with `format.open`."""
        return self._open("")

    def restart_call(self) -> None:
        """Forget what was fed since the last `CallOpened` (the text will be written anew)."""
        if self._state is _State.CALL:
            self._buffer = self._kept

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
        self._state, self._said_words = _State.TEXT, False
        self._skip = self._wanted.between
        return [CallClosed(body)], True

    def _scan_prose(self) -> tuple[list[ScanEvent], bool]:
        at, marker = self._first_marker()
        said = self._said(self._buffer[:at], self._state)
        self._buffer = self._buffer[at + len(marker) :]
        return said + self._enter(marker), bool(marker)

    def _first_marker(self) -> tuple[int, str]:
        """Where the first whole marker stands; or, with "", where one may be beginning."""
        begun = self._said_words or self._state is _State.THINKING
        if begun and self._beginnings[self._state].isdisjoint(self._buffer):
            return len(self._buffer), ""  # nearly every token: without a look at each marker
        anywhere, at_first = self._markers()
        markers = (*anywhere, *at_first)
        firsts = {marker[0] for marker in markers}
        blank = not self._said_words
        for at, character in enumerate(self._buffer):
            if character in firsts:
                tail = self._buffer[at:]
                whole = [marker for marker in markers if tail.startswith(marker)]
                if whole:
                    return at, min(whole, key=len)
                if any(marker.startswith(tail) for marker in markers):
                    return at, ""
            if blank and not character.isspace() and character not in self._skip:
                blank, markers = False, anywhere
                firsts = {marker[0] for marker in markers}
        return len(self._buffer), ""

    def _markers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Markers that count anywhere, and those that count only before the first word."""
        if self._state is _State.THINKING:
            return (self._end, *self._stops), ()
        if self._said_words:
            return self._text_markers(), ()
        openings = self._wanted.openings if self._format else ()
        at_first = (opening.text for opening in openings if opening.first)
        return self._text_markers(), (*self._blocks, *at_first)

    def _text_markers(self) -> tuple[str, ...]:
        openings = self._wanted.openings if self._format else ()
        anywhere = (opening.text for opening in openings if not opening.first)
        return (*anywhere, *self._wanted.silent, *self._stops)

    def _enter(self, marker: str) -> list[ScanEvent]:
        """The marker's own event, and the state it leads to."""
        if not marker:
            return []
        if marker in self._stops:
            self._state, self._buffer = _State.OVER, ""
            return [StopReached(marker)]
        if self._state is _State.THINKING:
            self._state, self._skip = _State.TEXT, _BLANKS
            return []
        if marker in self._blocks:
            self._state, self._end = _State.THINKING, self._blocks[marker]
            return []
        if marker in self._wanted.silent:
            self._said_words = False
            return []
        opening = next(o for o in self._wanted.openings if o.text == marker)
        return self._open(opening.kept)

    def _open(self, kept: str) -> list[ScanEvent]:
        rest = self._buffer
        self._state, self._kept, self._buffer = _State.CALL, kept, kept + rest
        return [CallOpened(rest, kept)]

    def _said(self, text: str, state: _State) -> list[ScanEvent]:
        if state is _State.THINKING:
            return [Thinking(text)] if text else []
        if self._skip:
            text = text.lstrip(self._skip)
            self._skip = "" if text else self._skip
        self._said_words = self._said_words or bool(text.strip())
        return [Text(text)] if text else []


def _first_characters(markers: Iterable[str]) -> frozenset[str]:
    return frozenset(marker[0] for marker in markers if marker)
