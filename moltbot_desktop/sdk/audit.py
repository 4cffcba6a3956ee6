"""What `doctor` found about safety, and what it may mend: values for every surface.

    Finding("fs.config.readable", Severity.WARNING, {"path": "/home/a/.moltbot/moltbot.json"},
            Modes(Path("/home/a/.moltbot/moltbot.json"), 0o600))

The id is stable: scripts may look for it. `sdk.audit_words` has its sentences. A repair only ever
makes things narrower, and none is made unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.json import JsonValue


class Severity(StrEnum):
    """`INFO` is worth knowing and asks for nothing."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Modes:
    """Give a file or folder the permission bits `mode`."""

    path: Path
    mode: int


@dataclass(frozen=True)
class TakeBack:
    """Take back the lasting permission of that id; it is asked for again."""

    grant: str


@dataclass(frozen=True)
class Setting:
    """Write `value` at `place` of moltbot.json."""

    place: str
    value: JsonValue


Repair = Modes | TakeBack | Setting


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        id: stable, with dots.
        facts: for the slots of its sentences. Never a key or a password.
        repair: what `--fix` would do; None where the person has to decide.
    """

    id: str
    severity: Severity
    facts: Mapping[str, str | int] = field(default_factory=lambda: MappingProxyType({}))
    repair: Repair | None = None


def by_severity(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The worst first, else as they were."""
    order = list(Severity)
    return tuple(sorted(findings, key=lambda one: order.index(one.severity)))


def is_well(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing is more than worth knowing."""
    return all(one.severity is Severity.INFO for one in findings)
