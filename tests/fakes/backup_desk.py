"""Backups in working memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.sdk.backup import (
    UNWATCHED,
    BundleFile,
    Does,
    Exported,
    Going,
    Imported,
    ImportPlan,
    LeftOut,
    Occasion,
    Part,
    Restored,
    Snapshot,
    Step,
    Why,
)

MADE = "2026-11-22T10:30:00+00:00"
STEPS = (
    Step(Part.MEMORY, "workspaces/main/MEMORY.md", Does.NEW, "workspace/MEMORY.md"),
    Step(
        Part.WORKSPACE,
        "workspaces/main/plan.md",
        Does.BESIDE,
        "workspace/plan (imported 1f3a).md",
    ),
    Step(Part.SETTINGS, "hooks.enabled", Does.WAITS, why=Why.LETS_MORE),
)


class FakeBackupDesk:
    """Promises what `sdk.backup.BackupDesk` does.

    Attributes:
        kept: the snapshots, the newest first.
        steps: what an import would do.
        written: backups that were written, with their parts.
        imported: plans that were carried out.
        ordered: snapshots to be put back at the next start.
        folders: of other programs.
        refusal: raised instead of anything, None for nothing.
        go: called with whoever waits, before something long is done; tells how far it came.
    """

    def __init__(self) -> None:
        self.kept: list[Snapshot] = []
        self.steps: tuple[Step, ...] = STEPS
        self.written: dict[Path, tuple[Part, ...]] = {}
        self.imported: list[ImportPlan] = []
        self.ordered: list[str] = []
        self.folders: tuple[Path, ...] = ()
        self.cut_off = ""
        self.refusal: MoltbotError | None = None
        self.go: Callable[[Going], None] = lambda going: None

    def export(self, path: Path, parts: Sequence[Part] = (), going: Going = UNWATCHED) -> Exported:
        self._may()
        self._free(path)
        self.go(going)
        self.written[path] = tuple(parts)
        left = (LeftOut("workspace/.env", Why.SECRET),)
        return Exported(path, ((Part.MEMORY, 2), (Part.SESSIONS, 1), (Part.TOLD, 1)), 9_000, left)

    def plan(
        self,
        path: Path,
        parts: Sequence[Part] = (),
        *,
        mine: bool = False,
        keys: bool = False,
        going: Going = UNWATCHED,
    ) -> ImportPlan:
        self._may()
        self.go(going)
        made, program = ("", "OpenClaw") if path in self.folders else (MADE, "Moltbot Desktop")
        waits = () if mine else self.steps[2:]
        steps = (*self.steps[:2], *waits)
        return ImportPlan(path, made, program, frozenset(Part), mine, steps, keys)

    def others(self) -> tuple[Path, ...]:
        self._may()
        return self.folders

    def import_(self, plan: ImportPlan, going: Going = UNWATCHED) -> Imported:
        self._may()
        self.go(going)
        self.imported.append(plan)
        return Imported(plan.steps, self._keep(Occasion.IMPORT).id)

    def snapshots(self) -> tuple[Snapshot, ...]:
        self._may()
        return tuple(self.kept)

    def snapshot(self) -> Snapshot:
        self._may()
        return self._keep(Occasion.ASKED)

    def restore(self, name: str) -> Restored:
        self._find(name)
        return Restored(name, self._keep(Occasion.RESTORE).id, 3, 1)

    def restore_at_start(self, name: str) -> Snapshot:
        self._may()
        found = self._find(name)
        self.ordered.append(name)
        return found

    def unfinished(self) -> str:
        return self.cut_off

    def bundle_contents(self) -> tuple[BundleFile, ...]:
        self._may()
        return (BundleFile("about.json", "{}\n"), BundleFile("log.txt", "…\n"))

    def bundle(self, path: Path) -> tuple[BundleFile, ...]:
        files = self.bundle_contents()
        self._free(path)
        self.written[path] = ()
        return files

    def _keep(self, occasion: Occasion) -> Snapshot:
        number = len(self.kept) + 1
        made = Snapshot(f"s{number}", MADE, occasion, "1.0", 12, 40_000)
        self.kept.insert(0, made)
        return made

    def _find(self, name: str) -> Snapshot:
        for one in self.kept:
            if one.id == name:
                return one
        raise UserInputInvalid("There is no such snapshot.")

    def _free(self, path: Path) -> None:
        if path in self.written:
            raise UserInputInvalid("Something of this name is there already.")

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal
