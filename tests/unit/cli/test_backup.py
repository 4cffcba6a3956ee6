"""`export`, `import`, `snapshots` and `doctor --bundle` as they are typed and shown."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.cli.backup import run_backup, run_bundle
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import (
    BackupDesk,
    BundleFile,
    Does,
    Exported,
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
from moltbot_desktop.sdk.backup_words import (
    does_words,
    occasion_words,
    part_words,
    size_words,
    why_words,
)

STEPS = (
    Step(Part.MEMORY, "workspaces/main/a.md", Does.NEW, "/h/a.md", None, 12),
    Step(Part.SETTINGS, "channels.x.enabled", Does.WAITS, why=Why.LETS_MORE),
)
MADE = Snapshot("20260504-120000", "2026-05-04T12:00:00", Occasion.IMPORT, "1", 3, 4_000)


@dataclass
class FakeDesk(BackupDesk):
    did: list[str] = field(default_factory=list)

    def export(self, path: Path, parts: Sequence[Part] = ()) -> Exported:
        self.did.append(f"export {path} {','.join(parts)}")
        return Exported(path, ((Part.MEMORY, 2),), 1_234, (LeftOut("/h/.env", Why.SECRET),))

    def plan(
        self, path: Path, parts: Sequence[Part] = (), *, mine: bool = False, keys: bool = False
    ) -> ImportPlan:
        self.did.append(f"plan {path} {mine} {keys}")
        return ImportPlan(path, "2026", "Moltbot", frozenset(parts), mine, STEPS, keys)

    def import_(self, plan: ImportPlan) -> Imported:
        self.did.append("import")
        return Imported(plan.steps, MADE.id)

    def snapshots(self) -> tuple[Snapshot, ...]:
        return (MADE,)

    def snapshot(self) -> Snapshot:
        return MADE

    def restore(self, name: str) -> Restored:
        self.did.append(f"restore {name}")
        return Restored(name, "before", 2, 1)

    def restore_at_start(self, name: str) -> Snapshot:
        self.did.append(f"later {name}")
        return MADE

    def unfinished(self) -> str:
        return MADE.id

    def bundle_contents(self) -> tuple[BundleFile, ...]:
        return (BundleFile("log.txt", "line\n"),)

    def bundle(self, path: Path) -> tuple[BundleFile, ...]:
        self.did.append(f"bundle {path}")
        return self.bundle_contents()


def typed(line: str, desk: FakeDesk, language: Language = Language.ENGLISH) -> str:
    out = io.StringIO()
    assert run_backup(desk, parse(line.split()), language, out) == 0
    return out.getvalue()


def test_a_dry_run_imports_nothing() -> None:
    desk = FakeDesk()
    shown = typed("import b.zip --dry-run --mine", desk)
    assert desk.did == ["plan b.zip True False"]
    assert "channels.x.enabled" in shown
    found = json.loads(typed("import b.zip --dry-run --json", desk))
    assert found["dryRun"] is True
    assert [one["does"] for one in found["steps"]] == ["new", "waits"]
    assert "import" not in desk.did


def test_an_import_says_how_to_undo_it() -> None:
    desk = FakeDesk()
    assert f"snapshots restore {MADE.id}" in typed("import b.zip", desk)
    assert desk.did[-1] == "import"
    assert json.loads(typed("import b.zip --json", desk))["snapshot"] == MADE.id


def test_an_export_says_what_stayed() -> None:
    desk = FakeDesk()
    shown = typed("export b.zip --only memory --only skills", desk)
    assert desk.did == ["export b.zip memory,skills"]
    assert "/h/.env" in shown
    found = json.loads(typed("export b.zip --json", desk))
    assert found["files"] == {"memory": 2}
    assert found["leftOut"] == [{"name": "/h/.env", "why": "secret"}]


def test_snapshots_are_listed_and_restored() -> None:
    desk = FakeDesk()
    shown = typed("snapshots list", desk)
    assert MADE.id in shown
    assert "cut off" in shown
    assert json.loads(typed("snapshots list --json", desk))[0]["occasion"] == "import"
    assert json.loads(typed("snapshots make --json", desk))["files"] == 3
    typed("snapshots restore 2026", desk)
    typed("snapshots restore 2026 --at-start", desk)
    assert desk.did == ["restore 2026", "later 2026"]


@pytest.mark.parametrize(
    ("line", "answer", "code"),
    [("", "", 1), ("", "n", 1), ("", "y", 0), ("--yes", "", 0), ("--json", "y", 1)],
)
def test_a_bundle_is_written_after_a_yes(line: str, answer: str, code: int) -> None:
    desk, out = FakeDesk(), io.StringIO()
    arguments = parse(["doctor", "--bundle", "help.zip", *line.split()])
    asked = lambda _: answer  # noqa: E731
    assert run_bundle(desk, arguments, asked, Language.ENGLISH, out) == code
    assert desk.did == (["bundle help.zip"] if code == 0 else [])
    assert "log.txt" in out.getvalue() or line == "--json"


@pytest.mark.parametrize("language", list(Language))
def test_every_value_has_words(language: Language) -> None:
    said = [
        *(part_words(one, language) for one in Part),
        *(does_words(one, language) for one in Does),
        *(why_words(one, language) for one in Why),
        *(occasion_words(one, language) for one in Occasion),
    ]
    assert all(said)
    assert len(set(said)) == len(said)


def test_sizes_are_rounded_up() -> None:
    assert [size_words(one) for one in (0, 999, 1_000, 1_001, 2_500_000)] == [
        "0 B", "999 B", "1 KB", "2 KB", "3 MB",
    ]  # fmt: skip


def test_no_part_of_a_list_to_read_can_be_asked_for() -> None:
    with pytest.raises(SystemExit):
        parse(["export", "b.zip", "--only", "told"])
