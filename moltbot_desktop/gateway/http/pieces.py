"""An answer while it is written, whoever writes it: a model alone, or an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import FinishReason


@dataclass(frozen=True)
class Said:
    """More of the answer, or of what is thought before it."""

    text: str
    thinking: bool = False


@dataclass(frozen=True)
class Called:
    """A call of one of the client's own tools; its id is unique everywhere."""

    call: ToolCall


@dataclass(frozen=True)
class Ended:
    """The last piece of every answer that succeeds."""

    reason: FinishReason
    usage: Usage


Piece = Said | Called | Ended
Pieces = AsyncIterator[Piece]
"""Leaving it early stops whoever writes. Raises MoltbotError or ApiRefusal."""
