"""`moltbot-desktop skills list`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TextIO


@dataclass(frozen=True)
class SkillLine:
    """One skill as the list shows it; `problem` says why it cannot be used."""

    name: str
    description: str
    location: str
    problem: str = ""


def list_skills(lines: Sequence[SkillLine], as_json: bool, out: TextIO) -> int:
    """Print them, usable ones first."""
    if as_json:
        out.write(json.dumps([asdict(line) for line in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    for line in sorted(lines, key=lambda line: (bool(line.problem), line.name)):
        mark = "✗" if line.problem else "✓"
        out.write(f"{mark} {line.name}: {line.problem or line.description}\n  {line.location}\n")
    return 0
