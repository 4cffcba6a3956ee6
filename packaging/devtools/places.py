"""Where things lie, and the one way to tell a person what to do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"
CONSTRAINTS = PACKAGING / "constraints.txt"
VENV = ROOT / ".venv"
STAMP = VENV / "moltbot-setup.json"
MARKER = VENV / "setup-under-way"
BUILD_LOG = VENV / "build.log"
MINILM_GGUF = ROOT / "resources" / "models" / "minilm-l6-v2-q8_0.gguf"


class SetupError(Exception):
    """Something a person has to do; the text says what."""


def say(text: str) -> None:
    """To stderr: the program's own output stays clean for pipes."""
    print(text, file=sys.stderr, flush=True)


def venv_program(name: str) -> Path:
    """Path of a program inside the environment."""
    if os.name == "nt":
        return VENV / "Scripts" / f"{name}.exe"
    return VENV / "bin" / name
