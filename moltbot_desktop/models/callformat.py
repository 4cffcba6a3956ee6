"""Which call syntax a model uses.

    format = detect_format(template)      # a CallFormat, see formats/contract.py
    format.open                           # "<tool_call>": where free decoding stops
    format.parse(body, tools, call_id)    # ToolCall | MalformedCall(raw, problem)
    format.body_end(text)                 # index just after the close marker, or None
    format.write(call), format.tools_block(tools)

A new syntax is one file in `formats/` and one line in `formats/detection.py`.
"""

from __future__ import annotations

from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.template import ChatTemplate

__all__ = ["CallFormat", "detect_format"]


def detect_format(template: ChatTemplate) -> CallFormat:
    """The syntax in which `template` writes past calls; Hermes when it writes none we read."""
    return template.call_format
