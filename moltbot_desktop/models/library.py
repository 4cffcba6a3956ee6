"""The models a person has: files in the models folder, files elsewhere, and which one is in use.

    library = ModelLibrary(folder, state_file, catalogue, resources)
    for model in library.installed(): ...
    library.choose("qwen3-4b")

The folder is the truth about what is installed; a file somebody copied into it by hand is as good
as a fetched one. What cannot be seen in the folder (the choice, files that lie elsewhere) stands
in `state_file`, which the program owns; losing it costs a choice, never a model.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import DiskFull, ModelError, ModelMissing, UserInputInvalid
from moltbot_desktop.models.catalogue import (
    CHAT,
    EMBEDDING,
    EMBEDDING_FILE,
    STARTER_FILE,
    CatalogueEntry,
)
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.partial import PARTIAL_FOLDER, PartialFile
from moltbot_desktop.storage.files import disk_errors, make_private_dir, sync_dir, write_atomic

BUNDLED = {"starter": (STARTER_FILE, CHAT), "minilm": (EMBEDDING_FILE, EMBEDDING)}
SUFFIX = ".gguf"
_COPY_BLOCK = 2**20
_MAX_STATE_BYTES = 2**20
_SPARE_DISK_BYTES = 256 * 2**20


@dataclass(frozen=True)
class InstalledModel:
    """A model file that is here.

    Attributes:
        name: what commands call it: the catalogue's name, else the file's without its ending.
        size: bytes; 0 for a file that is gone.
        bundled: it came with the program and cannot be removed.
        linked: it lies elsewhere and is only pointed at.
        entry: its catalogue entry, None for any other file.
        header: what the file says about itself, None when it cannot be used.
        problem: why it cannot be used, "" when it can.
    """

    name: str
    path: Path
    size: int
    bundled: bool = False
    linked: bool = False
    entry: CatalogueEntry | None = None
    header: GgufHeader | None = None
    problem: str = ""

    @property
    def kind(self) -> str:
        """`CHAT` or `EMBEDDING`; the catalogue's word where the file cannot be read."""
        if self.header is not None:
            return EMBEDDING if self.header.pooled else CHAT
        return self.entry.kind if self.entry is not None else CHAT


@dataclass(frozen=True)
class _State:
    """What the state file holds: kind -> name or path, name -> path elsewhere."""

    chosen: Mapping[str, str]
    links: Mapping[str, str]


class ModelLibrary:
    """Looks at the disk at each call, so that two processes see the same.

    A file that cannot be used says so in `InstalledModel.problem`; a damaged state file counts as
    empty.
    """

    def __init__(
        self,
        folder: Path,
        state_file: Path,
        catalogue: Sequence[CatalogueEntry],
        resources: Path,
    ) -> None:
        """`folder` and `state_file` need not exist yet; `resources` is the program's folder."""
        self.folder = folder
        self.catalogue = tuple(catalogue)
        self._state_file = state_file
        self._bundled_folder = resources / "models"

    # --- what is there

    def installed(self) -> tuple[InstalledModel, ...]:
        """All models that are here: the person's own by name, then the bundled ones."""
        own = [(name, path, False) for name, path in self._files()]
        links = [(name, path, True) for name, path in self._links()]
        found = [self._looked_at(*item) for item in sorted([*own, *links])]
        return (*found, *self._bundled())

    def path_of(self, name: str) -> Path | None:
        """The file of the model called `name` (or of that file name); None when there is none."""
        wanted = _plain(name)
        bundled = [(key, self._bundled_folder / file) for key, (file, _) in BUNDLED.items()]
        for known, path in (*self._files(), *self._links(), *bundled):
            if wanted in (_plain(known), _plain(path.name)) and path.is_file():
                return path
        return None

    def entry_of(self, name: str) -> CatalogueEntry | None:
        """The catalogue's entry of that name or file name."""
        wanted = _plain(name)
        matches = (e for e in self.catalogue if wanted in (_plain(e.name), _plain(e.file)))
        return next(matches, None)

    def advice(self, name: str) -> str:
        """What to do when there is no model `name`, one sentence."""
        entry = self.entry_of(name)
        if entry is not None:
            return f"Fetch it with: moltbot-desktop models pull {entry.name}"
        return "“moltbot-desktop models list” shows what there is."

    def _files(self) -> Iterator[tuple[str, Path]]:
        with disk_errors(self.folder):
            if not self.folder.is_dir():
                return
            paths = sorted(self.folder.iterdir())
        for path in paths:
            if path.suffix.lower() == SUFFIX and path.is_file():
                entry = self.entry_of(path.name)
                yield (entry.name if entry is not None else path.stem), path

    def _links(self) -> Iterator[tuple[str, Path]]:
        for name, path in self._state().links.items():
            yield name, Path(path)

    def _bundled(self) -> Iterator[InstalledModel]:
        for name, (file, _) in BUNDLED.items():
            path = self._bundled_folder / file
            if path.is_file():
                yield self._looked_at(name, path, bundled=True)

    def _looked_at(
        self, name: str, path: Path, linked: bool = False, bundled: bool = False
    ) -> InstalledModel:
        entry = None if bundled else self.entry_of(path.name)
        try:
            header = read_header(path)
        except ModelError as error:
            size = path.stat().st_size if path.is_file() else 0
            problem = error.message
            return InstalledModel(name, path, size, bundled, linked, entry, None, problem)
        return InstalledModel(name, path, header.size_bytes, bundled, linked, entry, header)

    # --- which one is in use

    def chosen(self, kind: str) -> str | None:
        """What `choose` was told for `CHAT` or `EMBEDDING`: a name or a whole path."""
        return self._state().chosen.get(kind)

    def choose(self, wanted: str) -> InstalledModel:
        """Use this model, a name or a file, from the next start of the assistant on.

        Raises:
            ModelMissing: there is no such model; says how to get it.
            ModelFileInvalid: the file cannot be used.
            StorageError: the choice could not be kept.
        """
        path = self.path_of(wanted) or Path(wanted).expanduser().absolute()
        if not path.exists():
            raise ModelMissing(f"There is no model “{wanted}”.", hint=self.advice(wanted))
        read_header(path)
        name = self._name_of(path)
        model = self._looked_at(name or path.stem, path, bundled=self._is_bundled(path))
        state = self._state()
        chosen = {**state.chosen, model.kind: name or str(path)}
        if model.bundled:
            chosen.pop(model.kind)  # back to what is used without a choice
        self._remember(_State(chosen, state.links))
        return model

    def _name_of(self, path: Path) -> str | None:
        """What `path` is called when it is one of ours."""
        bundled = ((key, self._bundled_folder / file) for key, (file, _) in BUNDLED.items())
        known = (*self._files(), *self._links(), *bundled)
        return next((name for name, other in known if other == path), None)

    def _is_bundled(self, path: Path) -> bool:
        return path.parent == self._bundled_folder

    # --- adding and removing

    def add_copy(self, source: Path, read: Callable[[int], None]) -> InstalledModel:
        """Copy a model file into the folder.

        Args:
            read: told how many bytes were copied, block by block; what it raises ends the copy.

        Raises:
            ModelFileInvalid: it is no usable model.
            ModelMissing: there is no such file.
            UserInputInvalid: a model of that name is here already.
            StorageError: no room, or the folder cannot be written.
        """
        header = read_header(source)
        target = self.folder / self._free_name(source)
        make_private_dir(self.folder / PARTIAL_FOLDER)
        free = shutil.disk_usage(self.folder).free
        if free < header.size_bytes + _SPARE_DISK_BYTES:
            raise DiskFull(
                f"The copy needs {header.size_bytes / 1e9:.2f} GB; {free / 1e9:.2f} GB are free.",
                hint="Free some space, or add --link to leave the file where it is.",
            )
        copy = self.folder / PARTIAL_FOLDER / f"{target.name}.copy"
        with disk_errors(target):
            try:
                _copy(source, copy, read)
                copy.replace(target)
            finally:
                copy.unlink(missing_ok=True)
            sync_dir(self.folder)
        return self._looked_at(self._known_name(target), target)

    def add_link(self, source: Path) -> InstalledModel:
        """Point at a model file that stays where it is. Errors as in `add_copy`."""
        read_header(source)
        path = source.expanduser().absolute()
        name = Path(self._free_name(path)).stem
        entry = self.entry_of(path.name)
        name = entry.name if entry is not None else name
        state = self._state()
        self._remember(_State(state.chosen, {**state.links, name: str(path)}))
        return self._looked_at(name, path, linked=True)

    def removable(self, name: str) -> Path:
        """What `remove` would remove: a file in the folder, a part, or the pointer to a file.

        Raises:
            ModelMissing: there is no such model.
            UserInputInvalid: it came with the program.
        """
        wanted = _plain(name)
        for known, path in (*self._files(), *self._links()):
            if wanted in (_plain(known), _plain(path.name)):
                return path
        if wanted in (_plain(known) for known in BUNDLED):
            raise UserInputInvalid(f"“{name}” came with the program and stays.")
        if (part := self._part_of(name)) is not None:
            return part.part
        raise ModelMissing(
            f"There is no model “{name}”.",
            hint="“moltbot-desktop models list” shows what there is.",
        )

    def remove(self, name: str) -> None:
        """Remove a model; a file outside the models folder is only forgotten, never removed.

        Raises:
            ModelMissing, UserInputInvalid: as in `removable`.
            StorageError: it could not be removed.
        """
        path = self.removable(name)
        state = self._state()
        known = {other: at for other, at in state.links.items() if Path(at) == path}
        names = {*known} or {self._known_name(path)}
        if path.parent == self.folder / PARTIAL_FOLDER:
            PartialFile(self.folder / path.name.removesuffix(".part")).discard()
        elif path.parent == self.folder and not known:
            with disk_errors(path):
                path.unlink()
        links = {other: at for other, at in state.links.items() if other not in known}
        chosen = {k: v for k, v in state.chosen.items() if v not in names and v != str(path)}
        self._remember(_State(chosen, links))

    def _known_name(self, path: Path) -> str:
        entry = self.entry_of(path.name)
        return entry.name if entry is not None else path.stem

    def _part_of(self, name: str) -> PartialFile | None:
        entry = self.entry_of(name)
        file = entry.file if entry is not None else name
        for candidate in (file, f"{file}{SUFFIX}"):
            # Only a bare file name: a separator would lead out of the folder.
            if Path(candidate).name == candidate:
                partial = PartialFile(self.folder / candidate)
                if partial.part.is_file():
                    return partial
        return None

    def _free_name(self, source: Path) -> str:
        name = source.name if source.suffix.lower() == SUFFIX else f"{source.name}{SUFFIX}"
        if self.path_of(name) is not None:
            raise UserInputInvalid(
                f"A model “{Path(name).stem}” is here already.",
                hint="Remove that one first, or give the file another name.",
            )
        return name

    # --- the state file

    def _state(self) -> _State:
        try:
            with self._state_file.open("rb") as file:
                values = json.loads(file.read(_MAX_STATE_BYTES))
        except (OSError, ValueError, RecursionError):
            values = None
        values = values if isinstance(values, dict) else {}
        return _State(_texts(values.get("chosen")), _texts(values.get("links")))

    def _remember(self, state: _State) -> None:
        values = {"version": 1, "chosen": dict(state.chosen), "links": dict(state.links)}
        text = json.dumps(values, ensure_ascii=False, indent=1)
        make_private_dir(self._state_file.parent)
        write_atomic(self._state_file, text.encode())


def _texts(value: object) -> dict[str, str]:
    items = value.items() if isinstance(value, dict) else ()
    return {key: text for key, text in items if isinstance(text, str) and "\0" not in text}


def _plain(name: str) -> str:
    return name.casefold().removesuffix(SUFFIX)


def _copy(source: Path, target: Path, read: Callable[[int], None]) -> None:
    with source.open("rb") as old, target.open("wb") as new:
        while block := old.read(_COPY_BLOCK):
            new.write(block)
            read(len(block))
        new.flush()
        os.fsync(new.fileno())
