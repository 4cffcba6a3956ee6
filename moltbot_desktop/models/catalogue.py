"""Which model files there are: what the configuration names, and what the program brings along."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.errors import ModelMissing

STARTER_FILE = "starter-q8_0.gguf"
EMBEDDING_FILE = "minilm-l6-v2-q8_0.gguf"
_BUNDLED_FOLDER = ("resources", "models")


def find_chat_model(configured: str | None, resources: Path) -> Path:
    """The configured file, or the bundled starter model.

    Args:
        configured: `models.chat` of the configuration, a path; `~` is the home folder.
        resources: the program's resource folder.

    Raises:
        ModelMissing: says which file is not there and what to do.
    """
    if configured:
        return _configured(configured, "models.chat")
    bundled = resources / "models" / STARTER_FILE
    if not bundled.is_file():
        raise ModelMissing(
            f"The starter model is missing ({bundled}).",
            hint="Install the program again, or set models.chat in moltbot.json to a GGUF file.",
        )
    return bundled


def find_embedding_model(configured: str | None, resources: Path) -> Path:
    """The configured file, or the bundled MiniLM; search falls back on keywords without one.

    Raises:
        ModelMissing: says which file is not there and what to do.
    """
    if configured:
        return _configured(configured, "models.embedding")
    bundled = resources / "models" / EMBEDDING_FILE
    if not bundled.is_file():
        raise ModelMissing(
            "The embedding model is not installed; memory search uses keywords alone.",
            hint="Run packaging/dev.py run once with a network connection.",
        )
    return bundled


def is_bundled(path: Path) -> bool:
    """Whether `path` came with the program and therefore needs no probe."""
    known = path.name in (STARTER_FILE, EMBEDDING_FILE)
    return known and path.resolve().parent.parts[-2:] == _BUNDLED_FOLDER


def _configured(text: str, setting: str) -> Path:
    path = Path(text).expanduser()
    if not path.exists():
        raise ModelMissing(
            f"There is no model file at {path} ({setting} in moltbot.json).",
            hint="Correct the path, or remove the setting to use the bundled model.",
        )
    return path
