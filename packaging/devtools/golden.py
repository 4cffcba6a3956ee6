"""Real chat templates and vocabularies, for the tests: llama.cpp's source carries some.

They have many licences and 75 MB, so they are not in this project. They are
unpacked out of the very archive that the wheel is built from, and kept beside that wheel:

    ensure_golden()                        # dev.py test and check do this
    golden_folder() / "templates"          # *.jinja
    golden_folder()                        # ggml-vocab-*.gguf: vocabularies without weights
"""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from devtools.places import VENV, SetupError, say
from devtools.source import cache_folder, fetch_source, requirement

TEMPLATES = "templates"
# In the archive, below its one top folder -> below ours.
_WANTED = {
    "vendor/llama.cpp/models/templates/*.jinja": TEMPLATES,
    "vendor/llama.cpp/models/ggml-vocab-*.gguf": ".",
}


def places() -> tuple[Path, Path]:
    """Where the folder may lie: beside the kept wheels, or where that cannot be, in `.venv`."""
    name = f"{requirement().replace('==', '-')}-models"
    return cache_folder(sys.platform, os.environ, Path.home()) / name, VENV / name


def golden_folder() -> Path | None:
    """The folder of the pinned version; None before it was made. It is whole when it is there."""
    return next((place for place in places() if (place / TEMPLATES).is_dir()), None)


def ensure_golden() -> None:
    """Without network the tests still run, and those that read these files say what is missing:
    a failure is told and not raised."""
    if golden_folder() is not None:
        return
    try:
        with tempfile.TemporaryDirectory(prefix="moltbot-source-") as folder:
            keep_golden(fetch_source(Path(folder)))
    except SetupError as error:
        say(f"{error}\nUntil the chat templates of real models are there, their tests fail.")


def keep_golden(archive: Path) -> Path:
    """Unpack what the tests need, whole or not at all; returns the folder.

    Raises SetupError when the archive has no such files, OSError when neither place takes them.
    """
    kept = golden_folder()
    if kept is not None:
        return kept
    cache, own = places()
    try:
        return _unpack(archive, cache)
    except OSError as error:
        say(f"The tests' models cannot be kept in {cache} ({error.strerror}); going on in .venv.")
        return _unpack(archive, own)


def _unpack(archive: Path, place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as draft:
        whole = Path(draft) / place.name
        (whole / TEMPLATES).mkdir(parents=True)
        _copy_wanted(archive, whole)
        if not (place / TEMPLATES).is_dir():  # another checkout's set-up may have been faster
            whole.replace(place)
    return place


def _copy_wanted(archive: Path, folder: Path) -> None:
    missing = dict(_WANTED)
    with tarfile.open(archive) as source:
        for member in source:
            below = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            for pattern, target in _WANTED.items():
                if below.match(pattern):
                    # The bare name is taken over: no member can be written anywhere else.
                    _copy(source, member, folder / target / below.name)
                    missing.pop(pattern, None)
    if missing:
        raise SetupError(
            f"{archive.name} has no {' and no '.join(missing)}. Say in "
            "packaging/devtools/golden.py where this version keeps them."
        )


def _copy(source: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    content = source.extractfile(member)
    if content is not None:  # None for a folder
        with content, target.open("wb") as file:
            shutil.copyfileobj(content, file)
