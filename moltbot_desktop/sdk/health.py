"""What an examination found, one value for each thing that was looked at.

    Finding("index", Health.TROUBLE, "damaged", {"fault": "3 notes are missing in the full text"})

Whoever shows it has the sentence for `check` and `code`; the facts fill its slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Health(StrEnum):
    """`NOTE` is worth knowing and needs nothing; only `TROUBLE` asks for something to be done."""

    OK = "ok"
    NOTE = "note"
    TROUBLE = "trouble"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: what: notes, index, inbox, ...
        code: how it stands, one word that with `check` names a sentence.
        facts: for the sentence's slots: counts, paths, what an error said.
    """

    check: str
    health: Health
    code: str
    facts: Mapping[str, str | int] = field(default_factory=lambda: MappingProxyType({}))
