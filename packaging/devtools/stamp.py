"""What an environment was made from: kept in a file in it, compared at each start."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from pathlib import Path

from devtools.places import CONSTRAINTS, ROOT

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and older: `require_python` says so, politely
    tomllib = None  # type: ignore[assignment]

LAYOUT = 1  # raise it when an environment made by an older version must be made anew


def project_fingerprint(pyproject: str, constraints: str, python: tuple[int, ...]) -> str:
    """Hash of what decides the contents of the environment.

    Only the [project] and [build-system] tables count: a new lint rule must not reinstall.
    """
    tables = tomllib.loads(pyproject)
    parts = {
        "layout": LAYOUT,
        "project": tables.get("project"),
        "build": tables.get("build-system"),
        "constraints": constraints,
        "python": list(python[:2]),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def fingerprint() -> str:
    return project_fingerprint(
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
        CONSTRAINTS.read_text(encoding="utf-8"),
        sys.version_info[:3],
    )


@dataclasses.dataclass(frozen=True)
class Stamp:
    """What the environment was made from.

    `missing` remembers system packages that could not be installed, so that a start does not
    try the same thing each time.
    """

    fingerprint: str
    extras: frozenset[str]
    missing: frozenset[str] = frozenset()

    def serves(self, wanted: str, extras: frozenset[str]) -> bool:
        return self.fingerprint == wanted and extras <= self.extras


NO_STAMP = Stamp("", frozenset())


def read_stamp(path: Path) -> Stamp:
    """The stamp, or NO_STAMP when it is absent or unreadable (then the set-up runs)."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Stamp(raw["fingerprint"], frozenset(raw["extras"]), frozenset(raw["missing"]))
    except (OSError, ValueError, KeyError, TypeError):
        return NO_STAMP


def write_stamp(path: Path, stamp: Stamp) -> None:
    raw = {
        "fingerprint": stamp.fingerprint,
        "extras": sorted(stamp.extras),
        "missing": sorted(stamp.missing),
    }
    draft = path.with_suffix(".tmp")
    draft.write_text(json.dumps(raw, indent=1), encoding="utf-8")
    draft.replace(path)
