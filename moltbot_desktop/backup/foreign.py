"""The folder of Moltbot, Clawdbot or OpenClaw as something that can be imported.

    offer = read_foreign(Path("~/.openclaw").expanduser(), user_home)
    offer.items, offer.told, offer.secrets

Layout (the reference's source of 2026-01, config/paths.ts, config/sessions/*, cron/store.ts,
infra/exec-approvals.ts): `{openclaw,moltbot,clawdbot}.json` as JSON5 with `$include`, workspaces
where it says or at `~/clawd` and `<state>/workspace`, `skills/`, `agents/<id>/sessions/`,
`cron/jobs.json`. Nothing in it is changed, and no link in it is followed. What was allowed there is
told and not allowed here; plugins and hooks are TypeScript and have no counterpart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from moltbot_desktop.backup.books import as_bytes
from moltbot_desktop.backup.gathering import gathered
from moltbot_desktop.backup.keys import without_keys
from moltbot_desktop.backup.manifest import Item
from moltbot_desktop.backup.packing import Thing
from moltbot_desktop.backup.places import INDEX, JOBS, SESSIONS, SETTINGS, Places
from moltbot_desktop.config.includes import with_includes
from moltbot_desktop.config.json5_text import UnusableText
from moltbot_desktop.config.legacy import migrated
from moltbot_desktop.config.load import read_file
from moltbot_desktop.config.places import (
    Place,
    WrongPlace,
    parse_place,
    show_place,
    value_at,
    with_value,
    without,
)
from moltbot_desktop.config.providers import NAME
from moltbot_desktop.config.strangers import unknown_keys, unused_keys
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import Does, Part, Step, Why
from moltbot_desktop.sessions.index import is_session_id
from moltbot_desktop.sessions.keys import main_session_key, normalise_agent_id
from moltbot_desktop.storage.bounded import MOST_STATE, UnfitFile, read_plain
from moltbot_desktop.storage.files import as_storage_error

CONFIGS = ("openclaw.json", "moltbot.json", "clawdbot.json")
_FOLDERS = (".openclaw", ".moltbot", ".clawdbot")
_PROGRAMS = {"openclaw.json": "OpenClaw", "moltbot.json": "Moltbot", "clawdbot.json": "Clawdbot"}
_PARTS = frozenset({Part.MEMORY, Part.WORKSPACE, Part.SESSIONS, Part.SKILLS})
_MOST_AGENTS = 100
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")
_TOLD = (
    ("exec-approvals.json", Why.TRUST),
    ("credentials/*-allowFrom.json", Why.TRUST),
    ("credentials/oauth.json", Why.SECRET),
    ("agents/*/agent/auth-profiles.json", Why.SECRET),
    ("extensions/*", Why.NO_COUNTERPART),
    ("hooks/*", Why.NO_COUNTERPART),
    ("memory/*.sqlite", Why.CACHE),
    ("identity/*", Why.TRUST),
    ("devices/*", Why.TRUST),
)


@dataclass(frozen=True)
class Secret:
    """A key that stands in the other program's settings, and what it is called here."""

    name: str
    value: str = field(repr=False)


@dataclass(frozen=True)
class ForeignOffer:
    """Implements `importing.Offer`."""

    made: str
    program: str
    items: tuple[Item, ...]
    told: tuple[Step, ...]
    readers: Mapping[str, Callable[[], bytes]]
    secrets: tuple[Secret, ...] = ()

    def read(self, item: Item) -> bytes:
        data = _read(self.readers[item.name])
        if data is None or hashlib.sha256(data).hexdigest() != item.sha256:
            raise UserInputInvalid(
                f"“{item.name[:120]}” is being changed.", hint="Quit the other program first."
            )
        return data


def is_foreign(folder: Path) -> bool:
    """Whether `folder` may be a state folder of one of those programs."""
    return folder.is_dir() and (
        any((folder / name).is_file() for name in CONFIGS) or (folder / "agents").is_dir()
    )


def found_at(user_home: Path, own: Path) -> tuple[Path, ...]:
    """Their folders in the person's home, this assistant's `own` not among them."""
    found = []
    for name in _FOLDERS:
        folder = user_home / name
        try:
            theirs = any((folder / one).is_file() for one in CONFIGS)
            if theirs and folder.resolve() != own.resolve():
                found.append(folder)
        except OSError:
            continue  # not ours to read
    return tuple(found)


def read_foreign(folder: Path, user_home: Path, *, keys: bool = False) -> ForeignOffer:
    """What `folder` has, in the form of a backup.

    Args:
        keys: settings name places in the password store where keys stood.

    Raises:
        UserInputInvalid: it is no such folder.
        StorageError: its settings cannot be read.
    """
    if not is_foreign(folder):
        raise UserInputInvalid(
            f"{folder} is no folder of Moltbot, Clawdbot or OpenClaw.",
            hint="Name the one in which openclaw.json, moltbot.json or clawdbot.json lies.",
        )
    name = next((one for one in CONFIGS if (folder / one).is_file()), CONFIGS[0])
    settings, told, secrets = _settings(folder / name, keys=keys)
    places = _places(folder, settings, user_home)
    rest = _without_paths(settings)
    lists = [
        Thing(SETTINGS, Part.SETTINGS, partial(as_bytes, rest)),
        Thing(JOBS, Part.SCHEDULE, partial(_jobs, folder, settings, user_home)),
    ]
    found = gathered(places, lists, _PARTS | {Part.SETTINGS, Part.SCHEDULE})
    things = [one for one in found.things if not one.name.endswith(f"/{INDEX}")]
    things += _older_sessions(folder)
    things += _indexes(places)
    items, readers = [], {}
    for thing in things:
        data = _read(thing.data)
        if data is None:
            if thing.name != JOBS:
                told.append(_waits(thing.shown or thing.name, Why.UNREADABLE))
            continue
        digest = hashlib.sha256(data).hexdigest()
        items.append(Item(thing.name, thing.part, len(data), digest, thing.runnable))
        readers[thing.name] = thing.data
    told += [_waits(one.name, one.why) for one in found.left_out]
    told += _told(folder)
    return ForeignOffer("", _PROGRAMS[name], tuple(items), tuple(told), readers, secrets)


def _waits(name: str, why: Why) -> Step:
    return Step(Part.TOLD, name, Does.WAITS, why=why)


def _read(read: Callable[[], bytes]) -> bytes | None:
    try:
        return read()
    except (OSError, UnfitFile, StorageError):
        return None


# ----------------------------------------------------------------------------- settings


def _settings(path: Path, *, keys: bool) -> tuple[JsonObject, list[Step], tuple[Secret, ...]]:
    """With the names of today, without what means nothing here and without keys."""
    try:
        raw = read_file(path)
    except FileNotFoundError:
        return {}, [], ()
    except OSError as error:
        raise as_storage_error(error, path) from error
    except UnusableText:
        return {}, [_waits(str(path), Why.UNREADABLE)], ()
    whole = with_includes(raw if isinstance(raw, Mapping) else {}, path, read_file)
    told = [_waits(str(one.file), Why.UNREADABLE) for one in whole.missing]
    settings: JsonValue = migrated(whole.raw).raw
    assert isinstance(settings, Mapping)
    strangers = [*(one.path for one in unknown_keys(settings)), *unused_keys(settings)]
    for text in strangers:
        try:
            settings = without(settings, parse_place(text))
        except (KeyError, WrongPlace):
            continue
        told.append(_waits(text, Why.NO_COUNTERPART))
    assert isinstance(settings, Mapping)
    rest, places = without_keys(settings)
    secrets: list[Secret] = []
    for place in places:
        value, name = value_at(settings, place), key_name(place)
        if keys and isinstance(value, str) and not any(isinstance(step, int) for step in place):
            changed = with_value(rest, place, f"keyring:{name}")
            assert isinstance(changed, Mapping)
            rest = changed
            secrets.append(Secret(name, value))
        else:
            told.append(_waits(show_place(place), Why.SECRET))
    return rest, told, tuple(secrets)


def key_name(place: Place) -> str:
    """What a key is called in the password store: like its setting."""
    name = _OTHER.sub("-", ".".join(map(str, place))).strip("-._")[-64:].lstrip("-._")
    return name if NAME.fullmatch(name) else "imported-key"


def _without_paths(settings: JsonObject) -> JsonObject:
    """Where the other program's workspaces lie says nothing about ours; see `settings_moves`."""
    return {name: value for name, value in settings.items() if name != "meta"}


# ----------------------------------------------------------------------------- places


def _places(folder: Path, settings: JsonObject, user_home: Path) -> Places:
    listed = _value(settings, ("agents", "list"))
    entries = [one for one in (listed if isinstance(listed, list) else []) if _is_agent(one)]
    first = next((one for one in entries if one.get("default") is True), None)
    first = first or (entries[0] if entries else {})
    default = normalise_agent_id(str(first.get("id", "")))
    usual = _folder(_value(settings, ("agents", "defaults", "workspace")), user_home)
    workspaces: dict[AgentId, Path] = {}
    for one in entries[:_MOST_AGENTS] or [{"id": DEFAULT_AGENT}]:
        agent = normalise_agent_id(str(one["id"]))
        named = _folder(one.get("workspace"), user_home)
        choices = [named] if named else [*_usual(agent, default, usual, folder, user_home)]
        there = next((path for path in choices if path.is_dir()), None)
        if there is not None and there not in workspaces.values():
            workspaces.setdefault(agent, there)
    return Places(folder, workspaces, {}, default, "")


def _usual(
    agent: AgentId, default: AgentId, usual: Path | None, folder: Path, user_home: Path
) -> Iterator[Path]:
    if agent != default:
        yield from (folder / f"workspace-{agent}", user_home / f"clawd-{agent}")
    elif usual is not None:
        yield usual
    else:
        yield from (folder / "workspace", user_home / "clawd")


def _is_agent(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("id"), str)


def _folder(value: JsonValue, user_home: Path) -> Path | None:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return None
    text = value.strip()
    path = user_home / text[2:] if text.startswith("~/") else Path(text)
    return path if path.is_absolute() else None


def _value(settings: JsonObject, place: Place) -> JsonValue:
    try:
        return value_at(settings, place)
    except KeyError:
        return None


# ----------------------------------------------------------------------------- conversations, jobs


def _older_sessions(folder: Path) -> Iterator[Thing]:
    """Before there were agents they lay in `<state>/sessions`."""
    for path in sorted((folder / "sessions").glob("*.jsonl")):
        if not path.is_symlink() and is_session_id(path.stem):
            name = f"{SESSIONS}/{DEFAULT_AGENT}/{path.name}"
            yield Thing(name, Part.SESSIONS, partial(read_plain, path, MOST_STATE), str(path))


def _indexes(places: Places) -> Iterator[Thing]:
    for path in sorted((places.home / "agents").glob(f"*/sessions/{INDEX}")):
        agent = path.parent.parent.name
        if agent == normalise_agent_id(agent):
            name = f"{SESSIONS}/{agent}/{INDEX}"
            yield Thing(name, Part.SESSIONS, partial(_index, path, AgentId(agent)), str(path))


def _index(path: Path, agent: AgentId) -> bytes:
    """With whole session keys, and each session named like the file it stands in."""
    try:
        whole: JsonValue = read_file(path)
    except UnusableText:
        whole = {}
    entries: dict[str, JsonValue] = {}
    for key, entry in whole.items() if isinstance(whole, Mapping) else ():
        if not isinstance(entry, Mapping):
            continue
        file = entry.get("sessionFile")
        named = Path(file).stem if isinstance(file, str) and file.endswith(".jsonl") else ""
        session = named if is_session_id(named) else entry.get("sessionId")
        full = key.lower()
        if full in ("", "main"):
            full = main_session_key(agent)
        elif not full.startswith("agent:"):
            full = f"agent:{agent}:{full}"
        entries[full] = {**entry, "sessionId": session}
    return json.dumps(entries, indent=1, default=dict).encode()


def _jobs(folder: Path, settings: JsonObject, user_home: Path) -> bytes:
    store = _folder(_value(settings, ("cron", "store")), user_home)
    return read_plain(store or folder / "cron" / "jobs.json", MOST_STATE)


def _told(folder: Path) -> Iterator[Step]:
    for pattern, why in _TOLD:
        for path in sorted(folder.glob(pattern))[:200]:
            yield _waits(str(path), why)
