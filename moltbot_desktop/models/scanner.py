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


class StreamScanner:
    """State of one generation's text."""

    def __init__(
        self,
        call_format: CallFormat | None,
        *,
        thinking: tuple[str, str] = ("<think>", "</think>"),
        in_thinking: bool = False,
        stops: Sequence[str] = (),
    ) -> None:
        """`call_format` None: no tools are offered, markers are plain text."""
        raise NotImplementedError

    def feed(self, piece: str) -> Sequence[ScanEvent]:
        """What `piece` made certain; a possible beginning of a marker is held back."""
        raise NotImplementedError

    def restart_call(self) -> None:
        """Forget what was fed since the last `CallOpened` (the text will be written anew)."""
        raise NotImplementedError

    def finish(self) -> Sequence[ScanEvent]:
        """The stream is over: what was held back."""
        raise NotImplementedError
