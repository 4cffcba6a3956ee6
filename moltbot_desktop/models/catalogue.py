"""Which models there are: the catalogue of what can be fetched, and which file is taken.

The catalogue is `resources/models/catalogue.json`. A figure nobody has seen is null there, never
a guess: a size or checksum of null is the hub's to say, a null layer count is the file's.

    entries = load_catalogue(resources)          # tuple[CatalogueEntry, ...]
    path = find_chat_model(configured, resources, library)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from moltbot_desktop.core.errors import CatalogueInvalid, ModelMissing
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import jsonschema
else:
    jsonschema = LateModule("jsonschema")

STARTER_FILE = "starter-q8_0.gguf"
EMBEDDING_FILE = "minilm-l6-v2-q8_0.gguf"
CATALOGUE_FILE = "catalogue.json"
CHAT, EMBEDDING = "chat", "embedding"
_BUNDLED_FOLDER = ("resources", "models")
_MAX_BYTES = 2**20


def _count(largest: int) -> Mapping[str, object]:
    return {"type": ["integer", "null"], "minimum": 1, "maximum": largest}


def _text(pattern: str, longest: int = 120) -> dict[str, object]:
    # \Z, not $: in Python that would let a line break through at the end.
    return {"type": "string", "pattern": rf"^(?:{pattern})\Z", "maxLength": longest}


# No path of several parts, no "..", nothing hidden: the name becomes a file in the models folder.
FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*\.gguf"
REPO_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*"
REVISION = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_ENTRY: Mapping[str, Mapping[str, object]] = {
    "name": _text(r"[a-z0-9][a-z0-9.-]*", 60),
    "kind": {"enum": [CHAT, EMBEDDING]},
    "about": {
        "type": "object",
        "required": ["en", "zh"],
        "additionalProperties": False,
        "properties": {code: {"type": "string", "maxLength": 200} for code in ("en", "zh")},
    },
    "repo": _text(REPO_NAME),
    "revision": _text(REVISION),
    "file": _text(FILE_NAME),
    "bytes": _count(2**45),
    "sha256": {"anyOf": [_text(r"[0-9a-f]{64}"), {"type": "null"}]},
    "licence": {"type": "string", "minLength": 1, "maxLength": 60},
    "languages": {"type": "array", "items": _text(r"[a-z]{2,3}"), "minItems": 1, "maxItems": 200},
    "context": _count(2**27),
    "layers": _count(1024),
    "kv_heads": _count(4096),
    "head_size": _count(2**16),
}
_SCHEMA = {
    "type": "object",
    "required": ["version", "models"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": 1},
        "models": {
            "type": "array",
            "maxItems": 1000,
            "items": {
                "type": "object",
                "required": list(_ENTRY),
                "additionalProperties": False,
                "properties": dict(_ENTRY),
            },
        },
    },
}


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that can be fetched. Made by `load_catalogue`, which holds every field to a limit.

    Attributes:
        name: what commands call it; lower case.
        kind: `CHAT` or `EMBEDDING`.
        about: what it is good for, English and Chinese.
        repo, revision, file: where it lies on the hub.
        bytes, sha256: of the file; None where the hub says it.
        licence: as its authors call it, e.g. ``Apache-2.0``.
        languages: ISO 639 codes; those it is good at, not all it has seen.
        context: the window it was trained for, tokens; None when nobody has seen it.
        layers, kv_heads, head_size: what a token of conversation takes of memory; None likewise.
    """

    name: str
    kind: str
    about: Mapping[Language, str]
    repo: str
    revision: str
    file: str
    bytes: int | None
    sha256: str | None
    licence: str
    languages: tuple[str, ...]
    context: int | None
    layers: int | None
    kv_heads: int | None
    head_size: int | None

    def url(self, hub: str) -> str:
        """Where the file lies on `hub` (an address without a slash at the end)."""
        return f"{hub}/{self.repo}/resolve/{self.revision}/{self.file}"


def load_catalogue(resources: Path) -> tuple[CatalogueEntry, ...]:
    """The catalogue that came with the program.

    Raises:
        CatalogueInvalid: it is missing or damaged.
    """
    path = resources / "models" / CATALOGUE_FILE
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise _invalid(error.strerror or str(error)) from error
    return parse_catalogue(text)


def parse_catalogue(text: bytes) -> tuple[CatalogueEntry, ...]:
    """A catalogue file's content. Raises CatalogueInvalid with the one place that is wrong."""
    if len(text) > _MAX_BYTES:
        raise _invalid("it is too large")
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid("it is not JSON") from error
    for wrong in jsonschema.Draft202012Validator(_SCHEMA).iter_errors(value):
        raise _invalid(f"{wrong.json_path}: {wrong.message[:200]}")
    entries = tuple(_entry(item) for item in value["models"])
    for what in ("name", "file"):
        names = [getattr(entry, what).casefold() for entry in entries]
        if twice := {name for name in names if names.count(name) > 1}:
            raise _invalid(f"the {what} {min(twice)} stands in it twice")
    return entries


def _entry(item: Mapping[str, Any]) -> CatalogueEntry:
    about = {language: item["about"][language.value] for language in Language}
    whole = {key: _whole(item[key]) for key, schema in _ENTRY.items() if "minimum" in schema}
    return CatalogueEntry(
        **{**item, **whole, "about": about, "languages": tuple(item["languages"])}
    )


def _whole(value: float | None) -> int | None:
    # JSON Schema counts 1.0 as an integer.
    return None if value is None else int(value)


def _invalid(reason: str) -> CatalogueInvalid:
    return CatalogueInvalid(
        f"The list of models that came with the program cannot be used: {reason}.",
        hint="Install the program again; models that are here can still be used.",
    )


# --- which file is taken


class Installed(Protocol):
    """What is known about the models a person has; see `library.ModelLibrary`."""

    def path_of(self, name: str) -> Path | None:
        """The file of the model called `name`; None when there is none."""
        ...

    def chosen(self, kind: str) -> str | None:
        """What `models use` was told for `CHAT` or `EMBEDDING`: a name or a whole path."""
        ...

    def advice(self, name: str) -> str:
        """What to do when `name` is not there, one sentence."""
        ...


def bundled_starter(resources: Path) -> Path:
    """Where the built-in model lies."""
    return resources / "models" / STARTER_FILE


def find_chat_model(
    configured: str | None, resources: Path, library: Installed | None = None
) -> Path:
    """The configured model, else the chosen one, else the bundled starter model.

    Args:
        configured: `models.chat` of the configuration, a path (`~` is the home folder) or the
            name of a model in `library`.
        resources: the program's resource folder.

    Raises:
        ModelMissing: says which model is not there and what to do.
    """
    found = _wanted(configured, CHAT, library)
    if found is not None:
        return found
    bundled = bundled_starter(resources)
    if not bundled.is_file():
        raise ModelMissing(
            f"The starter model is missing ({bundled}).",
            hint="Install the program again, or set models.chat in moltbot.json to a GGUF file.",
        )
    return bundled


def find_embedding_model(
    configured: str | None, resources: Path, library: Installed | None = None
) -> Path:
    """Like `find_chat_model`, with MiniLM at the end; search falls back on words without one.

    Raises:
        ModelMissing: says which model is not there and what to do.
    """
    found = _wanted(configured, EMBEDDING, library)
    if found is not None:
        return found
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


def _wanted(configured: str | None, kind: str, library: Installed | None) -> Path | None:
    if configured:
        return _located(configured, f"models.{kind} in moltbot.json", library)
    chosen = library.chosen(kind) if library is not None else None
    return _located(chosen, "chosen with “models use”", library) if chosen else None


def _located(text: str, origin: str, library: Installed | None) -> Path:
    installed = library.path_of(text) if library is not None else None
    if installed is not None:
        return installed
    path = Path(text).expanduser()
    if path.exists():
        return path
    if library is not None and not _looks_like_path(text):
        raise ModelMissing(f"There is no model “{text}” ({origin}).", hint=library.advice(text))
    raise ModelMissing(
        f"There is no model file at {path} ({origin}).",
        hint="Correct the path, or remove the setting to use the bundled model.",
    )


def _looks_like_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.startswith("~")
