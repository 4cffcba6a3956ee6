"""`moltbot-desktop export`, `import`, `snapshots` and `doctor --bundle`: what is shown.

`--json` has one shape each: export {"path", "size", "files": {part: count}, "leftOut": [{"name",
"why"}]}; import {"made", "program", "dryRun", "snapshot", "steps": [{"part", "name", "does", "to",
"why", "count"}]}; snapshots list [{"id", "made", "occasion", "version", "files", "size"}], make one
of these, restore {"id", "before", "changed", "removed"}, with --at-start {"id", "atStart"};
doctor --bundle {"path", "files": [{"name", "size"}]}. Only what is new is added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import BackupDesk, Part, Snapshot, Step
from moltbot_desktop.sdk.backup_words import (
    bundle_words,
    exported_words,
    imported_words,
    plan_words,
    restored_words,
    say,
    snapshots_words,
)

_YES = frozenset({"y", "yes", "是", "好", "可以"})


def run_backup(desk: BackupDesk, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Do what `arguments.command` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    match arguments.command:
        case "export":
            found, text = _export(desk, arguments, language)
        case "import":
            found, text = _import(desk, arguments, language)
        case _:
            found, text = _snapshots(desk, arguments, language)
    _tell(out, json.dumps(found, ensure_ascii=False) if arguments.json else text)
    return 0


def run_bundle(
    desk: BackupDesk,
    arguments: Arguments,
    ask: Callable[[str], str],
    language: Language,
    out: TextIO,
) -> int:
    """`doctor --bundle FILE`: show what is inside, write it after a yes; 1 without one.

    Raises:
        MoltbotError: it could not be done.
    """
    path = Path(arguments.bundle or "")
    files = desk.bundle_contents()
    if not arguments.json:
        _tell(out, bundle_words(files, language))
    if not arguments.yes:
        if arguments.json or ask(say("bundle_ask", language)).strip().lower() not in _YES:
            _tell(out, "{}" if arguments.json else say("bundle_not", language))
            return 1
    files = desk.bundle(path)
    rows: list[JsonValue] = [{"name": one.name, "size": len(one.text.encode())} for one in files]
    found: JsonObject = {"path": str(path), "files": rows}
    text = say("bundled", language, path=path)
    _tell(out, json.dumps(found, ensure_ascii=False) if arguments.json else text)
    return 0


def _export(desk: BackupDesk, arguments: Arguments, language: Language) -> tuple[JsonValue, str]:
    done = desk.export(_path(arguments), _parts(arguments))
    left: list[JsonValue] = [{"name": one.name, "why": one.why.value} for one in done.left_out]
    files: JsonObject = {part.value: count for part, count in done.files}
    found: JsonObject = {
        "path": str(done.path),
        "size": done.size,
        "files": files,
        "leftOut": left,
    }
    return found, exported_words(done, language)


def _import(desk: BackupDesk, arguments: Arguments, language: Language) -> tuple[JsonValue, str]:
    plan = desk.plan(_path(arguments), _parts(arguments), mine=arguments.mine, keys=arguments.keys)
    about: JsonObject = {"made": plan.made, "program": plan.program, "dryRun": arguments.dry_run}
    if arguments.dry_run:
        found: JsonObject = {**about, "snapshot": "", "steps": _rows(plan.steps)}
        return found, plan_words(plan, language)
    done = desk.import_(plan)
    found = {**about, "snapshot": done.snapshot, "steps": _rows(done.steps)}
    return found, imported_words(done, language)


def _snapshots(desk: BackupDesk, arguments: Arguments, language: Language) -> tuple[JsonValue, str]:
    if arguments.action == "list":
        known = desk.snapshots()
        text = snapshots_words(known, language)
        if name := desk.unfinished():
            text += "\n" + say("cut_off", language, id=name)
        rows: list[JsonValue] = [_snapshot(one) for one in known]
        return rows, text
    if arguments.action == "make":
        made = desk.snapshot()
        return _snapshot(made), snapshots_words((made,), language)
    if arguments.at_start:
        later = desk.restore_at_start(arguments.name)
        return {"id": later.id, "atStart": True}, say("at_start", language, id=later.id)
    done = desk.restore(arguments.name)
    row: JsonObject = {
        "id": done.id,
        "before": done.before,
        "changed": done.changed,
        "removed": done.removed,
    }
    return row, restored_words(done, language)


def _rows(steps: Iterable[Step]) -> list[JsonValue]:
    return [
        {
            "part": one.part.value,
            "name": one.name,
            "does": one.does.value,
            "to": one.to,
            "why": one.why.value if one.why else None,
            "count": one.count,
        }
        for one in steps
    ]


def _snapshot(one: Snapshot) -> JsonObject:
    return {
        "id": one.id,
        "made": one.made,
        "occasion": one.occasion.value,
        "version": one.version,
        "files": one.files,
        "size": one.size,
    }


def _path(arguments: Arguments) -> Path:
    return Path(arguments.name).expanduser()


def _parts(arguments: Arguments) -> tuple[Part, ...]:
    return tuple(map(Part, arguments.parts))


def _tell(out: TextIO, text: str) -> None:
    out.writelines(f"{shown(line)}\n" for line in text.split("\n"))
