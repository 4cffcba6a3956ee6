"""What the launcher is told, as JSON: which programs, where, and behind which walls.

Secrets never stand in it: it is a command line, which is there for all
to read, as the environment is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.security.sandbox.family import USUAL, Allowance
from moltbot_desktop.security.sandbox.walls import Backend, Walls

NO_WALLS = 125
"""The launcher's status when walls could not be built; then nothing was started."""


@dataclass(frozen=True)
class Stage:
    """Programs joined by pipes, each a real path and its words; `joint` as in the command line."""

    joint: str
    pipeline: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Order:
    """What is to be done.

    Attributes:
        folder: where the programs start.
        builder: the program that builds the walls, where it is one (bubblewrap's path).
        line: descriptor whose closing ends everything.
        terminal: the programs have a terminal of their own.
        allowance: what all they start may have together.
    """

    stages: tuple[Stage, ...]
    folder: Path
    walls: Walls
    line: int
    builder: str = ""
    terminal: bool = False
    allowance: Allowance = USUAL

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @staticmethod
    def from_json(text: str) -> Order:
        """Only for what `to_json` wrote."""
        data = json.loads(text)
        stages = tuple(
            Stage(one["joint"], tuple(tuple(words) for words in one["pipeline"]))
            for one in data["stages"]
        )
        return Order(
            stages,
            Path(data["folder"]),
            _walls(data["walls"]),
            data["line"],
            data["builder"],
            data["terminal"],
            Allowance(**data["allowance"]),
        )


def _walls(data: Mapping[str, JsonValue]) -> Walls:
    def paths(name: str) -> tuple[Path, ...]:
        found = data[name]
        return tuple(Path(str(one)) for one in found) if isinstance(found, list) else ()

    return Walls(
        Backend(str(data["backend"])),
        Path(str(data["folder"])),
        Path(str(data["scratch"])),
        writable=bool(data["writable"]),
        readable=paths("readable"),
        kept=paths("kept"),
        hidden=paths("hidden"),
        network=bool(data["network"]),
        strict=bool(data["strict"]),
    )
