"""Why a document gave no text; said in the child, told to the person by ours."""

from __future__ import annotations

from enum import StrEnum


class Trouble(StrEnum):
    """The value is the phrase of `tools.file_access` that tells it."""

    LOCKED = "locked"
    DAMAGED = "damaged"
    PICTURES = "pictures"
    TOO_SLOW = "too_slow"
    STOPPED = "stopped"


class NoText(Exception):
    """A document cannot be read; `trouble` says why."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble
