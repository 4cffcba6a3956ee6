"""Which call syntax is this? Told by reading past calls that a template printed with our own
parsers, not from the template's source: sources quote many markers, and a rendered call is what
the model will see. A syntax is known when exactly the calls come out that went in.

The probes hold quotes of both kinds, a line end and a non-ASCII letter: a template that prints
such a value in a way nobody could read again must not write calls for us.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.known import GRANITE, HERMES, KNOWN
from moltbot_desktop.models.formats.python_calls import PythonCallsFormat
from moltbot_desktop.models.scanner import CallClosed, StreamScanner
from moltbot_desktop.sdk.tools import Effect, ToolSpec

GENERIC_FORMAT: CallFormat = HERMES

_PARAMETERS: JsonObject = {
    "type": "object",
    "properties": {
        "probekey": {"type": "string", "description": "probe argument"},
        "probenumber": {"type": "integer", "description": "probe number"},
        "probelist": {
            "type": "array",
            "items": {"type": "string"},
            "description": "probe list",
        },
        "probeswitch": {"type": "boolean", "description": "probe switch"},
    },
    "required": ["probekey"],
}
PROBE_TOOL = ToolSpec("probe_tool", "probe description", _PARAMETERS, Effect.NONE)
PLAIN_CALL = ToolCall("probe1", PROBE_TOOL.name, {"probekey": "probevalue"})
PROBE_CALLS = (
    ToolCall(
        "probe1",
        PROBE_TOOL.name,
        {"probekey": "a \"b\" 'c'\nd é", "probenumber": 7, "probelist": ["x", "y"]},
    ),
    ToolCall("probe2", PROBE_TOOL.name, {"probekey": "probevalue", "probeswitch": True}),
)
# Markers that belong to one syntax only: a template or vocabulary that has one means it, also when
# the template forgets past calls.
_TELLING: tuple[CallFormat, ...] = (PythonCallsFormat(), GRANITE)


def format_of(rendered: str, calls: Sequence[ToolCall]) -> CallFormat | None:
    """The syntax in which exactly `calls` (of `PROBE_TOOL`) stand in `rendered`; None for one we
    do not read."""
    return next((known for known in KNOWN if _same(read_calls(known, rendered), calls)), None)


def told_format(rendered: str, control_tokens: Collection[str]) -> CallFormat | None:
    """The syntax a prompt with tools asks for, or the vocabulary has a control token for."""
    return next((f for f in _TELLING if f.open in rendered or f.open in control_tokens), None)


def read_calls(
    call_format: CallFormat, text: str, tools: Sequence[ToolSpec] = (PROBE_TOOL,)
) -> list[ToolCall]:
    """The calls in a piece of a rendered prompt; what cannot be read (an example) is left out."""
    markers = call_format.markers(tools)
    openings = tuple(replace(opening, first=False) for opening in markers.openings)
    scanner = StreamScanner(
        call_format, markers=replace(markers, openings=openings), thinking=(("", ""),)
    )
    bodies = [event.body for event in scanner.feed(text) if isinstance(event, CallClosed)]
    found = [
        call_format.parse(part, tools, str(number))
        for number, body in enumerate(bodies)
        for part in call_format.split(body)
    ]
    return [call for call in found if isinstance(call, ToolCall)]


def _same(found: Sequence[ToolCall], wanted: Sequence[ToolCall]) -> bool:
    return [(call.name, call.arguments) for call in found] == [
        (call.name, call.arguments) for call in wanted
    ]
