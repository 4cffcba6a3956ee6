"""`memory doctor`: looks at everything memory stands on, from outside and without changing it.

    findings = examine(Patient(sources, workspace, folder, embedder, reason, proposals))
    done = treat(engine, workspace, folder)      # what can be made anew is made anew

The Markdown files are read and never touched. The index and the cache of vectors can be made from
them again, so whatever is wrong with those two can be mended here; the rest is the person's to do,
and the finding says what.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError, StorageError, StoreBusy
from moltbot_desktop.memory.cache import FILE_NAME, cache_fault, delete_cache
from moltbot_desktop.memory.consistency import IndexFacts, index_facts, index_faults
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.files import FOLDER
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.indexer import fingerprint
from moltbot_desktop.memory.sources import Sources, is_conversation
from moltbot_desktop.sdk.health import Finding, Health
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.storage.files import disk_errors, left_behind
from moltbot_desktop.storage.locks import FileLock

LOW_DISK = 200_000_000
"""Bytes; below it a rebuild of a large index may not find room."""
_MB = 1_000_000
_GB = 1_000_000_000
_LONG_HASH = re.compile(r"([0-9a-f]{8})[0-9a-f]{56}$")


@dataclass(frozen=True)
class Patient:
    """What is examined.

    Attributes:
        folder: of the index.
        no_embedder: why there is no embedder, half a sentence.
        problems: what is wrong with the sources as the settings name them.
        proposals: counts what waits in the inbox; raises MoltbotError when it cannot be read.
    """

    sources: Sources
    workspace: Path
    folder: Path
    embedder: Embedder | None
    no_embedder: str
    proposals: Callable[[], int]
    problems: tuple[str, ...] = ()


def examine(patient: Patient) -> tuple[Finding, ...]:
    """Every finding, in an order in which a person would ask. Loads the embedding model."""
    if not patient.sources.plan.enabled:
        return (Finding("memory", Health.NOTE, "switched_off"),)
    return (
        *_notes(patient.sources, patient.problems),
        *_folders(patient),
        *_remains(patient.workspace),
        *_index(patient),
        _cache(patient.folder),
        _holder(patient.folder),
        _disk(patient.folder),
        _inbox(patient.proposals),
        Finding("watch", Health.OK, "unseen"),
    )


def _notes(sources: Sources, problems: tuple[str, ...]) -> Iterator[Finding]:
    for reason in problems:
        yield Finding("notes", Health.TROUBLE, "source", {"reason": reason})
    read = 0
    for name in sorted(sources.stamps()):
        if is_conversation(name):
            continue
        try:
            sources.text(name)
            read += 1
        except MoltbotError as error:
            facts = {"path": name, "reason": error.message}
            yield Finding("notes", Health.TROUBLE, "unreadable", facts)
    yield Finding("notes", Health.OK, "readable", {"count": read})


def _folders(patient: Patient) -> Iterator[Finding]:
    troubles = 0
    within = [Path(parent) for parent, _, _ in os.walk(patient.workspace / FOLDER)]
    for folder in (patient.workspace, patient.workspace / FOLDER, *within[1:], patient.folder):
        if folder.exists() and not _is_usable(folder):
            troubles += 1
            yield Finding("folders", Health.TROUBLE, "closed", {"path": str(folder)})
    if _others_may_read(patient.folder):
        troubles += 1
        yield Finding("folders", Health.NOTE, "open", {"path": str(patient.folder)})
    if not troubles:
        yield Finding("folders", Health.OK, "private", {"path": str(patient.folder)})


def _remains(workspace: Path) -> Iterator[Finding]:
    if remains := _left_behind(workspace):
        yield Finding("notes", Health.NOTE, "remains", {"count": len(remains)})


def _left_behind(workspace: Path) -> list[Path]:
    """Half-written files of processes that died; a note forgotten since may stand in them."""
    found: list[Path] = []
    for folder in (workspace, *(Path(parent) for parent, _, _ in os.walk(workspace / FOLDER))):
        with contextlib.suppress(StorageError):
            found += left_behind(folder)
    return found


def _is_usable(folder: Path) -> bool:
    # As whoever we act as: access() asks for the real user otherwise.
    effective = os.access in os.supports_effective_ids
    return os.access(folder, os.R_OK | os.W_OK | os.X_OK, effective_ids=effective)


def _others_may_read(folder: Path) -> bool:
    return sys.platform != "win32" and folder.is_dir() and bool(folder.stat().st_mode & 0o077)


def _index(patient: Patient) -> Iterator[Finding]:
    path = current_index(patient.folder)
    facts = {"path": str(path)}
    if not _is_there(path):
        yield Finding("index", Health.NOTE, "absent", facts)
        yield from _model(patient, None)
        return
    try:
        faults = index_faults(path)
        known = None if faults else index_facts(path)
    except StorageError as error:
        yield Finding("index", Health.TROUBLE, "unreadable", {**facts, "reason": error.message})
        yield from _model(patient, None)
        return
    if known is None:
        yield Finding("index", Health.TROUBLE, "damaged", {**facts, "fault": faults[0]})
    else:
        counts = {"files": len(known.files), "notes": known.notes}
        yield Finding("index", Health.OK, "whole", {**facts, **counts})
        yield _freshness(patient.sources, known)
    yield from _model(patient, known)


def _freshness(sources: Sources, known: IndexFacts) -> Finding:
    if known.form != fingerprint(sources.plan):
        return Finding("freshness", Health.NOTE, "older_rules")
    now = {name: stamp for name, stamp in sources.stamps().items() if not is_conversation(name)}
    then = {name: stamp for name, stamp in known.files.items() if not is_conversation(name)}
    changed = sum(now.get(name) != then.get(name) for name in now.keys() | then.keys())
    if changed:
        return Finding("freshness", Health.NOTE, "behind", {"count": changed})
    return Finding("freshness", Health.OK, "current")


def _model(patient: Patient, known: IndexFacts | None) -> Iterator[Finding]:
    if patient.embedder is None:
        facts = {"reason": patient.no_embedder}
        yield Finding("model", Health.NOTE, "none" if patient.no_embedder else "missing", facts)
        return
    try:
        patient.embedder.embed_query("memory")
        model = _in_short(patient.embedder.model_id)
    except MoltbotError as error:
        yield Finding("model", Health.TROUBLE, "failing", {"reason": error.message})
        return
    before = _in_short(known.model) if known is not None else ""
    if before and before != model:
        yield Finding("model", Health.NOTE, "other", {"model": model, "before": before})
    elif known is not None and known.unread:
        yield Finding("model", Health.NOTE, "unread", {"model": model, "count": known.unread})
    else:
        yield Finding("model", Health.OK, "works", {"model": model})


def _in_short(model: str) -> str:
    """A model's id with eight digits of its file's hash, which tell two files apart."""
    return _LONG_HASH.sub(r"\1", model)


def _cache(folder: Path) -> Finding:
    path = folder / FILE_NAME
    if not _is_there(path):
        return Finding("cache", Health.OK, "absent")
    try:
        fault = cache_fault(folder)
    except StorageError as error:
        return Finding("cache", Health.TROUBLE, "unreadable", {"reason": error.message})
    if fault:
        return Finding("cache", Health.TROUBLE, "damaged", {"fault": fault})
    return Finding("cache", Health.OK, "sound", {"size": path.stat().st_size // _MB})


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()


def _holder(folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding("holder", Health.OK, "nobody")
    try:
        with FileLock(folder / "lock"):
            return Finding("holder", Health.OK, "nobody")
    except StoreBusy:
        return Finding("holder", Health.NOTE, "another")
    except StorageError as error:
        return Finding("holder", Health.TROUBLE, "unknown", {"reason": error.message})


def _disk(folder: Path) -> Finding:
    there = next(path for path in (folder, *folder.parents) if path.is_dir())
    free = shutil.disk_usage(there).free
    low = free < LOW_DISK
    facts = {"free": f"{free / _GB:.1f}"}
    return Finding("disk", Health.TROUBLE if low else Health.OK, "low" if low else "free", facts)


def _inbox(proposals: Callable[[], int]) -> Finding:
    try:
        waiting = proposals()
    except MoltbotError as error:
        return Finding("inbox", Health.TROUBLE, "unreadable", {"reason": error.message})
    if waiting:
        return Finding("inbox", Health.NOTE, "waiting", {"count": waiting})
    return Finding("inbox", Health.OK, "empty")


def treat(engine: MarkdownMemory, workspace: Path, folder: Path) -> tuple[Finding, ...]:
    """Make anew what can be made anew, and close `engine`; what was done.

    Raises:
        StorageError: something could not be removed.
        MoltbotError: the index could not be made, not even in memory.
    """
    done = []
    if _holder(folder).code == "another":
        return (Finding("fix", Health.NOTE, "busy"),)
    if _others_may_read(folder):
        folder.chmod(0o700)
        done.append(Finding("fix", Health.OK, "made_private", {"path": str(folder)}))
    if remains := _left_behind(workspace):
        for path in remains:
            with disk_errors(path):
                path.unlink(missing_ok=True)
        done.append(Finding("fix", Health.OK, "remains_removed", {"count": len(remains)}))
    if _cache(folder).code == "damaged":
        delete_cache(folder)
        done.append(Finding("fix", Health.OK, "cache_made_anew"))
    before = current_index(folder)
    existed = _is_there(before)
    try:
        engine.check()
        status = engine.refresh()
    finally:
        engine.close()
    if existed and current_index(folder) != before:
        done.append(Finding("fix", Health.OK, "set_aside", {"path": before.name}))
    facts = {"files": status.files, "notes": status.chunks}
    return (*done, Finding("fix", Health.OK, "up_to_date", facts))
