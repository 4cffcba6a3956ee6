"""Names of things. Identifiers become parts of paths and keys, so their shape is checked here."""

from __future__ import annotations

import re
from typing import NewType

from moltbot_desktop.core.errors import UserInputInvalid

RunId = NewType("RunId", str)
SessionId = NewType("SessionId", str)
SessionKey = NewType("SessionKey", str)
AgentId = NewType("AgentId", str)
ApprovalId = NewType("ApprovalId", str)

DEFAULT_AGENT = AgentId("main")
_IDENTIFIER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def checked_agent_id(text: str) -> AgentId:
    """`text` as an agent id, lower-cased.

    Raises:
        UserInputInvalid: it has other characters than a-z, 0-9, `_`, `-`, or is over 64 long.
    """
    lowered = text.strip().lower()
    if not _IDENTIFIER.fullmatch(lowered):
        raise UserInputInvalid(
            f"“{text[:80]}” is not an agent name.",
            hint="Use letters, digits, - and _, at most 64 of them.",
        )
    return AgentId(lowered)
