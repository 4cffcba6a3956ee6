"""The build backend (PEP 517): flit's, and `resources/` and `skills/` inside the wheel.

They lie beside the package in the checkout, where people look for them; what is installed may lay
nothing beside the package, so a wheel has them in `moltbot_desktop/program/`. `app/paths.py` knows
both places, and is the only one that does. An editable install stays flit's own: it has the
checkout.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "moltbot_desktop/program"
_FOLDERS = ("resources", "skills")
_LEFT_OUT = frozenset({"resources/screenshots"})
"""For readers of the repository only."""

_Settings = dict[str, Any] | None


def program_files(root: Path) -> dict[str, Path]:
    """Name inside the wheel -> file, in order; without caches and hidden files."""
    return {f"{PROGRAM}/{path.relative_to(root).as_posix()}": path for path in _below(root)}


def _below(root: Path) -> Iterator[Path]:
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in inside.parts)
            left = any(parent.as_posix() in _LEFT_OUT for parent in inside.parents)
            if path.is_file() and not hidden and not left:
                yield path


def add_files(wheel: Path, files: Mapping[str, Path]) -> None:
    """Write `wheel` anew with `files` in it and in its RECORD (PEP 427); whole or not at all."""
    draft = wheel.with_suffix(".draft")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as new:
        record = next(one for one in old.infolist() if one.filename.endswith("dist-info/RECORD"))
        for entry in old.infolist():
            if entry is not record:
                new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED)
        rows = io.StringIO(old.read(record).decode("utf-8"))
        added = io.StringIO()
        lines = csv.writer(added, lineterminator="\n")
        for name, path in files.items():
            data = path.read_bytes()
            entry = zipfile.ZipInfo(name, record.date_time)  # flit's date: the build is the same
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            new.writestr(entry, data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.writerow((name, f"sha256={digest}", len(data)))
        kept = [row for row in rows.getvalue().splitlines() if row]  # RECORD names itself last
        text = "".join(f"{row}\n" for row in kept[:-1]) + added.getvalue() + f"{kept[-1]}\n"
        new.writestr(record, text.encode(), zipfile.ZIP_DEFLATED)
    draft.replace(wheel)


# --- the hooks


def _flit() -> Any:
    import flit_core.buildapi  # noqa: PLC0415 - only where a build fetched it

    return flit_core.buildapi


def build_wheel(folder: str, settings: _Settings = None, metadata: str | None = None) -> str:
    name = str(_flit().build_wheel(folder, settings, metadata))
    add_files(Path(folder) / name, program_files(ROOT))
    return name


def build_editable(folder: str, settings: _Settings = None, metadata: str | None = None) -> str:
    return str(_flit().build_editable(folder, settings, metadata))


def build_sdist(folder: str, settings: _Settings = None) -> str:
    return str(_flit().build_sdist(folder, settings))


def get_requires_for_build_wheel(settings: _Settings = None) -> list[str]:
    return list(_flit().get_requires_for_build_wheel(settings))


def get_requires_for_build_editable(settings: _Settings = None) -> list[str]:
    return list(_flit().get_requires_for_build_editable(settings))


def get_requires_for_build_sdist(settings: _Settings = None) -> list[str]:
    return list(_flit().get_requires_for_build_sdist(settings))


def prepare_metadata_for_build_wheel(folder: str, settings: _Settings = None) -> str:
    return str(_flit().prepare_metadata_for_build_wheel(folder, settings))


def prepare_metadata_for_build_editable(folder: str, settings: _Settings = None) -> str:
    return str(_flit().prepare_metadata_for_build_editable(folder, settings))
