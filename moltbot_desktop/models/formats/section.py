"""What a call syntax does unless it says otherwise; `contract.CallFormat` is the promise.

@dataclass(frozen=True)
class MyFormat(Section):
    name: str = "mine"
    open: str = "<call>"
    ...
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.contract import Markers, Opening, described
from moltbot_desktop.sdk.tools import ToolSpec

# What `write_result` and `tools_block` put around texts that others wrote.
TEXT_MARKS = frozenset({"<tool_response>", "</tool_response>", "<tools>", "</tools>"})


class Section(ABC):
    """One opening marker, one call in a section, tools taught by an example of that call.

    The methods are those of `CallFormat`.
    """

    open: str
    close: str

    @abstractmethod
    def write(self, call: ToolCall) -> str: ...

    def markers(self, tools: Sequence[ToolSpec]) -> Markers:
        return Markers((Opening(self.open),))

    def split(self, body: str) -> Sequence[str]:
        return (body,)

    def section(self, call: str, most: int) -> str:
        return call

    def write_result(self, content: str) -> str:
        return f"<tool_response>\n{content}\n</tool_response>"

    def tools_block(self, tools: Sequence[ToolSpec]) -> str:
        listed = "\n".join(json.dumps(described(tool), ensure_ascii=False) for tool in tools)
        example = self.write(ToolCall("", "NAME", {"KEY": "VALUE"}))
        return (
            "# Tools\n\nYou have access to the following functions:\n\n"
            f"<tools>\n{listed}\n</tools>\n\n"
            f"To call a function, answer in exactly this form:\n{example}"
        )
