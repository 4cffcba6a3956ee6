"""Which call syntax is this? Told from a past call as a template printed it, not from the
template's source: sources quote many markers, and a rendered call is what the model will see.

A new syntax is one file beside this one and one line in `_KNOWN`.
"""

from __future__ import annotations

import re

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.sdk.tools import Effect, ToolSpec

GENERIC_FORMAT: CallFormat = HermesFormat()

_PARAMETERS: JsonObject = {
    "type": "object",
    "properties": {"probekey": {"type": "string", "description": "probe argument"}},
    "required": ["probekey"],
}
PROBE_TOOL = ToolSpec("probe_tool", "probe description", _PARAMETERS, Effect.NONE)
PROBE_CALL = ToolCall("probe1", PROBE_TOOL.name, {"probekey": "probevalue"})

_HERMES_NAME = r'"name":\s*"probe_tool"'
_HERMES_ARGUMENTS = r'"arguments":\s*\{"probekey":\s*"probevalue"\}'
_KNOWN: tuple[tuple[re.Pattern[str], CallFormat], ...] = (
    (
        re.compile(
            r"<tool_call>\s*\{\s*(?:"
            rf"{_HERMES_NAME},\s*{_HERMES_ARGUMENTS}|{_HERMES_ARGUMENTS},\s*{_HERMES_NAME}"
            r")\s*\}\s*</tool_call>"
        ),
        GENERIC_FORMAT,
    ),
    (
        re.compile(
            r"<tool_call>\s*<function=probe_tool>\s*<parameter=probekey>\s*probevalue\s*"
            r"</parameter>\s*</function>\s*</tool_call>"
        ),
        FunctionXmlFormat(),
    ),
)


def format_of(rendered: str) -> CallFormat | None:
    """The syntax in which `PROBE_CALL` stands in `rendered`; None for one we do not read."""
    return next((known for pattern, known in _KNOWN if pattern.search(rendered)), None)
