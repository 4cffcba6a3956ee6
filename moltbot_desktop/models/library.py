"""The models a person has: files in the models folder, files elsewhere, and which one is in use.

    library = ModelLibrary(folder, state_file, lambda: load_catalogue(resources), resources)
    for model in library.installed(): ...
    library.choose("qwen3-4b")

The folder is the truth about what is installed; a file somebody copied into it by hand is as good
as a fetched one. What cannot be seen in the folder (the choice, files that lie elsewhere) stands
in `state_file`, which the program owns; losing it costs a choice, never a model.

A name is for people. A file of one's own may be called like a model of the catalogue, so a file's
own name goes before what it is called, and a choice is kept as a file: it means the same one
whatever is fetched or added later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from moltbot_desktop.core.errors import ModelError, ModelMissing, StoreBusy, UserInputInvalid
from moltbot_desktop.models.catalogue import (
    CHAT,
    EMBEDDING,
    EMBEDDING_FILE,
    STARTER_FILE,
    CatalogueEntry,
)
from moltbot_desktop.models.copying import copy_into
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.partial import PARTIAL_FOLDER, PartialFile
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

BUNDLED = {"starter": (STARTER_FILE, CHAT), "minilm": (EMBEDDING_FILE, EMBEDDING)}
SUFFIX = ".gguf"
_MAX_STATE_BYTES = 2**20


@dataclass(frozen=True)
class InstalledModel:
    """A model file that is here.

    Attributes:
        name: what commands call it: the catalogue's name, else the file's without its ending;
            with it when that would be the name of another model.
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
        catalogue: Callable[[], Sequence[CatalogueEntry]],
        resources: Path,
    ) -> None:
        """`folder` and `state_file` need not exist yet; `resources` is the program's folder.

        `catalogue` is asked once, when a name is looked for: whoever only wants the model that is
        in use does without, and without what checks it.
        """
        self.folder = folder
        self._catalogue = catalogue
        self._state_file = state_file
        self._bundled_folder = resources / "models"

    @cached_property
    def catalogue(self) -> Sequence[CatalogueEntry]:
        """What can be fetched."""
        return tuple(self._catalogue())

    # --- what is there

    def installed(self) -> tuple[InstalledModel, ...]:
        """All models that are here: the person's own by name, then the bundled ones."""
        own = [(name, path, False) for name, path in self._files()]
        links = [(name, path, True) for name, path in self._links()]
        found = [self._looked_at(*item) for item in sorted([*own, *links])]
        return (*found, *self._bundled())

    def path_of(self, name: str) -> Path | None:
        """The file of the model called `name` (or of that file name); None when there is none."""
        bundled = [(key, self._bundled_folder / file) for key, (file, _) in BUNDLED.items()]
        known = (*self._files(), *self._links(), *bundled)
        return self._match(name, [(called, path) for called, path in known if path.is_file()])

    def _match(self, name: str, models: Sequence[tuple[str, Path]]) -> Path | None:
        """The one of `models` (what it is called, file) that is meant by `name`."""
        wanted = name.casefold()
        # From the most exact down, over all models each time.
        rules: tuple[Callable[[str, Path], bool], ...] = (
            lambda called, path: path.name == name,
            lambda called, path: called == name,
            lambda called, path: path.name.casefold() == wanted,
            lambda called, path: called.casefold() == wanted,
            # The file's name without its ending, unless that is the name of another model.
            lambda called, path: path.stem.casefold() == wanted and not self._is_taken(name),
        )
        matches = (path for rule in rules for called, path in models if rule(called, path))
        return next(matches, None)

    def entry_of(self, name: str) -> CatalogueEntry | None:
        """What the catalogue has under that name or file name, as a person types it."""
        wanted = _plain(name)
        matches = (e for e in self.catalogue if wanted in (_plain(e.name), _plain(e.file)))
        return next(matches, None)

    def _entry_of_file(self, file: str) -> CatalogueEntry | None:
        """The entry whose file it is: by the file's name alone, for anybody may call a file of
        their own like a model of the catalogue."""
        wanted = file.casefold()
        return next((e for e in self.catalogue if e.file.casefold() == wanted), None)

    def _called(self, file: str) -> str:
        """What a file is called that does not come with the program."""
        entry = self._entry_of_file(file)
        if entry is not None:
            return entry.name
        stem = Path(file).stem if Path(file).suffix.lower() == SUFFIX else file
        return file if self._is_taken(stem) else stem

    def _is_taken(self, name: str) -> bool:
        """Whether the catalogue or the program calls a model so."""
        return name.casefold() in {*BUNDLED, *(entry.name for entry in self.catalogue)}

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
                yield self._called(path.name), path

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
        entry = None if bundled else self._entry_of_file(path.name)
        try:
            header = read_header(path)
        except ModelError as error:
            size = path.stat().st_size if path.is_file() else 0
            problem = error.message
            return InstalledModel(name, path, size, bundled, linked, entry, None, problem)
        return InstalledModel(name, path, header.size_bytes, bundled, linked, entry, header)

    # --- which one is in use

    def chosen(self, kind: str) -> str | None:
        """What `choose` keeps for `CHAT` or `EMBEDDING`: a file's name or its whole path."""
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
        name = self.name_of(path) or path.name
        model = self._looked_at(name, path, bundled=self._is_bundled(path))
        state = self._state()
        # Never what it is called: only the name of a file in the folder is its alone.
        kept = path.name if path.parent == self.folder else str(path)
        chosen = {**state.chosen, model.kind: kept}
        if model.bundled:
            chosen.pop(model.kind)  # back to what is used without a choice
        self._remember(_State(chosen, state.links))
        return model

    def name_of(self, path: Path) -> str | None:
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
            StorageError: no room, the folder cannot be written, or (StoreBusy) another model is
                being added just now.
        """
        header = read_header(source)
        target = self.folder / self._free_name(source)
        copy_into(target, source, header.size_bytes, read)
        return self._looked_at(self._called(target.name), target)

    def add_link(self, source: Path) -> InstalledModel:
        """Point at a model file that stays where it is. Errors as in `add_copy`."""
        read_header(source)
        path = source.expanduser().absolute()
        name = self._called(self._free_name(path))
        state = self._state()
        self._remember(_State(state.chosen, {**state.links, name: str(path)}))
        return self._looked_at(name, path, linked=True)

    def removable(self, name: str) -> Path:
        """What `remove` would remove: a file in the folder, a part, or the pointer to a file.

        Raises:
            ModelMissing: there is no such model.
            UserInputInvalid: it came with the program.
        """
        path = self._match(name, [*self._files(), *self._links()])
        if path is not None:
            return path
        if _plain(name) in BUNDLED:
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
            StorageError: it could not be removed; StoreBusy while it is being fetched.
        """
        path = self.removable(name)
        state = self._state()
        known = {other: at for other, at in state.links.items() if Path(at) == path}
        names = {*known} or {path.name, self._called(path.name)}
        if path.parent == self.folder / PARTIAL_FOLDER:
            _discard(PartialFile(self.folder / path.name.removesuffix(".part")), name)
        elif path.parent == self.folder and not known:
            with disk_errors(path):
                path.unlink()
        links = {other: at for other, at in state.links.items() if other not in known}
        chosen = {k: v for k, v in state.chosen.items() if v not in names and v != str(path)}
        self._remember(_State(chosen, links))

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
        called = self._called(name)
        if self.path_of(name) is not None or self.path_of(called) is not None:
            raise UserInputInvalid(
                f"A model “{called}” is here already.",
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
        # ASCII: a file's name need not be UTF-8, and could not be encoded otherwise.
        text = json.dumps(values, indent=1)
        make_private_dir(self._state_file.parent)
        write_atomic(self._state_file, text.encode("ascii"))


def _texts(value: object) -> dict[str, str]:
    items = value.items() if isinstance(value, dict) else ()
    return {key: text for key, text in items if isinstance(text, str) and "\0" not in text}


def _plain(name: str) -> str:
    return name.casefold().removesuffix(SUFFIX)


def _discard(partial: PartialFile, name: str) -> None:
    try:
        with partial.lock:
            partial.discard()
    except StoreBusy:
        raise StoreBusy(
            f"“{name}” is being fetched just now.", hint="Stop that first, and try again."
        ) from None
