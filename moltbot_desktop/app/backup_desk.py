"""Backups of this home: `sdk.backup.BackupDesk`, put together from the settings and the clock.

    desk = FileBackupDesk(paths, load, clock, language)
    desk.export(path)

Also while the assistant runs: an export reads what stands there at each moment, and an import adds
what is missing under the same locks as everybody. Only a restore needs the assistant to be closed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moltbot_desktop import __version__
from moltbot_desktop.app.agent_plan import agent_ids, agent_plan, default_agent
from moltbot_desktop.app.paths import MEMORY_INBOX, Paths
from moltbot_desktop.backup.books import (
    as_bytes,
    jobs_json,
    models_json,
    pairings_json,
    reminders_json,
)
from moltbot_desktop.backup.bundle import (
    schema_words,
    scrubbed_log,
    settings_shape,
    vocabulary_of,
)
from moltbot_desktop.backup.foreign import ForeignOffer, Secret, found_at, read_foreign
from moltbot_desktop.backup.gathering import gathered
from moltbot_desktop.backup.going import Stretch
from moltbot_desktop.backup.importing import Import, Offer, SettingsHere
from moltbot_desktop.backup.keys import without_keys
from moltbot_desktop.backup.manifest import Item
from moltbot_desktop.backup.packing import Thing, pack, refuse_taken
from moltbot_desktop.backup.places import (
    JOBS,
    KEYS,
    MODELS,
    PAIRINGS,
    REMINDERS,
    SETTINGS,
    Places,
)
from moltbot_desktop.backup.restoring import Restorer
from moltbot_desktop.backup.snapshots import Snapshots
from moltbot_desktop.backup.unpacking import Archive, open_archive
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.includes import with_includes
from moltbot_desktop.config.legacy import migrated
from moltbot_desktop.config.load import LoadedConfig, read_file
from moltbot_desktop.config.places import Place, show_place
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import sentences
from moltbot_desktop.core.errors import AgentUnusable, StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.backup import (
    UNWATCHED,
    BundleFile,
    Exported,
    Going,
    Imported,
    ImportPlan,
    Occasion,
    Part,
    Restored,
    Snapshot,
    Step,
)
from moltbot_desktop.security.secrets import SecretStore
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, sync_dir, write_atomic
from moltbot_desktop.storage.locks import FileLock

_READ, _PLANNED, _KEPT = 0.25, 0.5, 0.8
"""How much of an import is behind when its backup is read, compared, and a snapshot is made."""
ALL = frozenset(Part) - {Part.TOLD}
_UNFINISHED = "import.json"
_LOG_BYTES = 1_000_000
_SUFFIXES = (".gguf",)


@dataclass(frozen=True)
class _ArchiveOffer:
    """A backup as something that can be imported."""

    archive: Archive

    @property
    def made(self) -> str:
        return self.archive.manifest.made

    @property
    def program(self) -> str:
        return self.archive.manifest.program

    @property
    def items(self) -> Sequence[Item]:
        return self.archive.manifest.items

    @property
    def told(self) -> Sequence[Step]:
        return ()

    def read(self, item: Item) -> bytes:
        return self.archive.read(item)


@dataclass(frozen=True)
class FileBackupDesk:
    """For worker threads.

    Attributes:
        load: the settings as they are now.
        secrets: for keys of another program's settings, at the owner's word.
    """

    paths: Paths
    load: Callable[[], LoadedConfig]
    clock: Clock
    language: Language
    secrets: SecretStore

    # ------------------------------------------------------------------ export

    def export(self, path: Path, parts: Sequence[Part] = (), going: Going = UNWATCHED) -> Exported:
        wanted = frozenset(parts) or ALL
        places = self.places()
        found = gathered(places, [*self._lists(places)], wanted)
        manifest = pack(
            path,
            found.things,
            self._now(),
            f"Moltbot Desktop {__version__}",
            found.left_out,
            going,
        )
        counts: dict[Part, int] = {}
        for item in manifest.items:
            counts[item.part] = counts.get(item.part, 0) + 1
        with disk_errors(path):
            size = path.stat().st_size
        files = tuple((part, counts[part]) for part in Part if part in counts)
        return Exported(path, files, size, manifest.left_out)

    def places(self) -> Places:
        """Where everything lies, by the settings as they are now."""
        config = self.load().config
        workspaces: dict[AgentId, Path] = {}
        inboxes: dict[AgentId, Path] = {}
        for agent in agent_ids(config):
            try:
                plan = agent_plan(self.paths, config, agent, self.language)
            except AgentUnusable:
                continue
            workspaces[agent] = plan.workspace
            inboxes[agent] = plan.folder / MEMORY_INBOX
        folder = config.models.folder or self.paths.model_files
        models = {one.name: one.stat().st_size for one in _models(folder)}
        return Places(
            self.paths.home, workspaces, inboxes, default_agent(config), __version__, models
        )

    def _lists(self, places: Places) -> Iterator[Thing]:
        raw = self._written()
        rest, keys = without_keys(raw)
        if raw:
            yield Thing(SETTINGS, Part.SETTINGS, partial(as_bytes, rest))
        if keys:
            lines = "".join(f"{show_place(one)}\n" for one in keys)
            yield Thing(KEYS, Part.TOLD, lines.encode)
        if places.reminders.exists():
            yield Thing(REMINDERS, Part.REMINDERS, self._reminders)
        if places.jobs.exists():
            yield Thing(JOBS, Part.SCHEDULE, partial(self._jobs, places))
        if places.pairings.exists():
            yield Thing(PAIRINGS, Part.TOLD, self._pairings)
        if places.models:
            yield Thing(MODELS, Part.TOLD, partial(models_json, places.models))

    def _reminders(self) -> bytes:
        with contextlib.closing(ReminderStore(self.paths.state_database, self.clock)) as store:
            return reminders_json(store.pending())

    def _jobs(self, places: Places) -> bytes:
        with contextlib.closing(ScheduleDatabase(places.jobs, self.clock)) as database:
            key = main_session_key(places.default_agent)
            book = JobStore(database, _new_id, key, lambda: True, lambda: False)
            return jobs_json(book.jobs())

    def _pairings(self) -> bytes:
        with contextlib.closing(PairingBook(self.paths.pairings_database, self.clock)) as book:
            return pairings_json(book.contacts())

    def _written(self) -> JsonObject:
        """The settings with all files, under the names of today."""
        file = SettingsFile(self.paths.home, os.environ, self.language)
        whole = with_includes(file.own(), file.path, read_file)
        return migrated(whole.raw).raw

    # ------------------------------------------------------------------ import

    def plan(
        self,
        path: Path,
        parts: Sequence[Part] = (),
        *,
        mine: bool = False,
        keys: bool = False,
        going: Going = UNWATCHED,
    ) -> ImportPlan:
        wanted = frozenset(parts) or ALL
        with self._offer(path, Stretch(going, 0.0, 0.5), keys=keys) as offer:
            work = self._import(offer, wanted, mine=mine)
            steps = work.planned(Stretch(going, 0.5, 1.0))
            return ImportPlan(path, offer.made, offer.program, wanted, mine, steps, keys)

    def others(self) -> tuple[Path, ...]:
        return found_at(self.paths.user_home, self.paths.home)

    def import_(self, plan: ImportPlan, going: Going = UNWATCHED) -> Imported:
        reading = Stretch(going, 0.0, _READ)
        with self._alone(), self._offer(plan.source, reading, keys=plan.keys) as offer:
            if (offer.made, offer.program) != (plan.made, plan.program):
                raise UserInputInvalid(
                    "This is another backup than a moment ago.", hint="Look at its plan again."
                )
            work = self._import(offer, plan.parts, mine=plan.mine)
            steps = work.planned(Stretch(going, _READ, _PLANNED))
            now = ImportPlan(plan.source, plan.made, plan.program, plan.parts, plan.mine, steps)
            if not now.changes:
                self._finished()
                return Imported(steps, "")
            before = self._before(Stretch(going, _PLANNED, _KEPT))
            self._begun(before, plan)
            for one in _secrets(offer):
                self.secrets.set(one.name, one.value)
            done = work.carry_out(Stretch(going, _KEPT, 1.0))
            self._finished()
            return Imported(done, before)

    def _before(self, going: Going) -> str:
        """The snapshot of how it was: of an import that goes on, the one that it began with.
        Nothing was changed before this returns; from then on all of it is carried out."""
        if begun := self.unfinished():
            going.last()
            return begun
        return self._snapshots().make(Occasion.IMPORT, going=going).id

    def _import(self, offer: Offer, parts: frozenset[Part], *, mine: bool) -> Import:
        file = SettingsFile(self.paths.home, os.environ, self.language)

        def put(place: Place, value: JsonValue) -> None:
            file.put(show_place(place), value)

        here = SettingsHere(self._written, put)
        return Import(self.places(), self.clock, here, offer, parts, mine, _new_id)

    @contextlib.contextmanager
    def _offer(self, path: Path, going: Going, *, keys: bool) -> Iterator[Offer]:
        if path.is_dir():
            if path.resolve() == self.paths.home.resolve():
                raise UserInputInvalid(
                    "That is this assistant's own folder.", hint="Name another one."
                )
            yield read_foreign(path, self.paths.user_home, keys=keys)
            return
        with open_archive(path) as archive:
            archive.check(going)
            yield _ArchiveOffer(archive)

    def unfinished(self) -> str:
        try:
            found: JsonValue = json.loads(read_plain(self._note, MOST_STATE))
        except (OSError, ValueError, RecursionError):
            return ""
        name = found.get("snapshot") if isinstance(found, Mapping) else None
        known = {one.id for one in self.snapshots()}
        return name if isinstance(name, str) and name in known else ""

    @property
    def _note(self) -> Path:
        return self.paths.home / "snapshots" / _UNFINISHED

    def _begun(self, snapshot: str, plan: ImportPlan) -> None:
        told = {"snapshot": snapshot, "source": str(plan.source), "at": self._now()}
        write_atomic(self._note, json.dumps(told).encode() + b"\n")

    def _finished(self) -> None:
        with disk_errors(self._note):
            if self._note.exists():
                self._note.unlink()
                sync_dir(self._note.parent)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Inside, nobody else imports, restores or makes a snapshot here."""
        make_private_dir(self.paths.home / "snapshots")
        lock = FileLock(self.paths.home / "snapshots" / "backup.lock")
        try:
            lock.acquire()
        except StoreBusy as error:
            raise StoreBusy(
                "Something is being imported or restored already.",
                hint="Wait until it is done.",
            ) from error
        try:
            yield
        finally:
            lock.release()

    # ------------------------------------------------------------------ snapshots

    def _snapshots(self) -> Snapshots:
        return Snapshots(self.places(), self.clock)

    def snapshots(self) -> tuple[Snapshot, ...]:
        return self._snapshots().all()

    def snapshot(self, occasion: Occasion = Occasion.ASKED) -> Snapshot:
        with self._alone():
            return self._snapshots().make(occasion, keep=self.unfinished())

    def restore(self, name: str) -> Restored:
        with self._alone():
            done = Restorer(self.places(), self.clock).restore(name)
            self._finished()  # what was cut off is undone with it, or can be done again
            return done

    def restore_at_start(self, name: str) -> Snapshot:
        with self._alone():
            return Restorer(self.places(), self.clock).want(name).about

    # ------------------------------------------------------------------ support bundle

    def bundle_contents(self) -> tuple[BundleFile, ...]:
        words = vocabulary_of(sentences())
        names, choices = schema_words(json_schema())
        logs = self.paths.logs
        return (
            BundleFile("about.json", _as_text(self._about())),
            BundleFile("findings.json", _as_text(self._findings())),
            BundleFile("settings.json", _as_text(settings_shape(self._written(), names, choices))),
            BundleFile("log.txt", scrubbed_log(_end_of(logs / "moltbot.log"), words)),
            BundleFile("crash.txt", scrubbed_log(_end_of(logs / "crash.txt"), words)),
            BundleFile("fault.txt", scrubbed_log(_end_of(logs / "fault.txt"), words)),
        )

    def bundle(self, path: Path) -> tuple[BundleFile, ...]:
        refuse_taken(path)
        files = self.bundle_contents()
        things = [Thing(one.name, Part.TOLD, one.text.encode) for one in files]
        pack(path, things, self._now(), f"Moltbot Desktop {__version__}")
        return files

    def _about(self) -> JsonObject:
        places = self.places()
        disk = shutil.disk_usage(self.paths.home if self.paths.home.exists() else Path.cwd())
        return {
            "program": __version__,
            "python": platform.python_version(),
            "system": platform.system(),
            "release": platform.release(),
            "machine": platform.machine(),
            "language": self.language.value,
            "processors": os.cpu_count(),
            "diskFreeGB": disk.free // 1_000_000_000,
            "agents": len(places.workspaces),
            "conversations": sum(1 for _ in self.paths.home.glob("agents/*/sessions/*.jsonl")),
            "models": len(places.models),
            "snapshots": len(self.snapshots()),
            "frozen": bool(getattr(sys, "frozen", False)),
        }

    def _findings(self) -> JsonValue:
        # Late: it looks at models and plugins, which nobody else here needs.
        from moltbot_desktop.app.doctor import SecurityDoctor  # noqa: PLC0415

        doctor = SecurityDoctor(self.paths, self.load, self.clock, self.language)
        found: list[JsonValue] = []
        for one in doctor.examine():
            counts = {k: v for k, v in one.facts.items() if isinstance(v, int)}
            found.append({"id": one.id, "severity": one.severity.value, "counts": counts})
        return found

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="seconds")


def _new_id() -> str:
    return uuid.uuid4().hex


def _models(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if one.suffix in _SUFFIXES and one.is_file())
    except OSError:
        return []


def _secrets(offer: Offer) -> Sequence[Secret]:
    return offer.secrets if isinstance(offer, ForeignOffer) else ()


def _as_text(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=dict) + "\n"


def _end_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _LOG_BYTES))
            return file.read(_LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
