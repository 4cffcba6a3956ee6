"""Brings the index to what the files say: looks at stamps first and reads only what changed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.memory.cache import VectorCache
from moltbot_desktop.memory.dates import day_of, day_words
from moltbot_desktop.memory.files import FileStamp, list_files, list_some, read_text
from moltbot_desktop.memory.rows import FileContent, KnownFile, Pending
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.units import cut_units, cut_windows
from moltbot_desktop.memory.vectors import is_usable, pack
from moltbot_desktop.sdk.models import Embedder

TEXT_VERSION = "2"
"""Raised when cutting or segmenting changes; then the index is made anew (`IndexHome.rebuild`)."""

_FRESH_NS = 2_000_000_000
"""A file changed so shortly before it was read may have changed again within the same tick of a
coarse file system clock, so its stamp proves nothing and its content is compared."""

BATCH = 16


def sync(
    store: IndexStore,
    workspace: Path,
    clock: Clock,
    only: frozenset[str] | None = None,
    until: float = math.inf,
) -> int:
    """Index every file that changed since it was read, forget those that are gone.

    Args:
        only: look at these paths (relative to the workspace) alone; None for all.
        until: monotonic time after which no further file is read, but one at least.

    Returns:
        How many files still wait for being read.

    Raises:
        StorageError: the index cannot be written; what was written before is consistent.
    """
    if only is None:
        stamps, known = list_files(workspace), store.files()
    else:
        stamps = list_some(workspace, only)
        known = store.files_named({*only, *(stamp.path for stamp in stamps)})
    changed: list[tuple[KnownFile | None, FileStamp]] = []
    for stamp in stamps:
        before = known.pop(stamp.path, None)
        if before is None or _may_have_changed(before, stamp):
            changed.append((before, stamp))
    for gone in known.values():
        store.remove_file(gone.id)
    for read, (before, stamp) in enumerate(changed):
        if read and clock.monotonic() >= until:
            return len(changed) - read
        _index_file(store, workspace, before, stamp, int(clock.now().timestamp() * 1e9))
    return 0


def _may_have_changed(before: KnownFile, stamp: FileStamp) -> bool:
    return before.stamp != stamp or stamp.mtime_ns >= before.read_ns - _FRESH_NS


def _index_file(
    store: IndexStore, workspace: Path, before: KnownFile | None, stamp: FileStamp, now_ns: int
) -> None:
    content = file_content(workspace / stamp.path, stamp.path)
    if before is None or before.hash != content.hash:
        store.replace_file(before, stamp, now_ns, content)
    elif before.stamp != stamp:
        store.touch_file(before.id, stamp, now_ns)


def file_content(path: Path, name: str) -> FileContent:
    """What the index keeps of the file; one that cannot be read is kept as a problem."""
    try:
        text = read_text(path).text
    except StorageError as error:
        digest = hashlib.sha256(str(error).encode()).digest()
        return FileContent(digest, problem=error.message)
    units = cut_units(text)
    days = tuple(day_of(name, unit.headings) for unit in units)
    headers = tuple(
        " ".join((*unit.headings, day_words(day) if day else ""))
        for unit, day in zip(units, days, strict=True)
    )
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    return FileContent(digest, units, headers, days, cut_windows(units))


def embed_pending(store: IndexStore, cache: VectorCache, embedder: Embedder) -> int:
    """Give up to `BATCH` units their vector; returns how many, 0 when all have one.

    Raises:
        ModelError: the embedder fails.
        StorageError: the index or the cache cannot be written.
    """
    dimensions = embedder.dimensions  # before `model_id`, which is whole only after it
    store.prepare_vectors(embedder.model_id, dimensions)
    pending = store.pending(BATCH)
    if not pending:
        return 0
    vectors = _vectors_of(pending, cache, embedder)
    store.add_vectors(
        (unit.id, vectors[unit.hash] if is_usable(vectors[unit.hash], dimensions) else b"")
        for unit in pending
    )
    return len(pending)


def _vectors_of(
    pending: list[Pending], cache: VectorCache, embedder: Embedder
) -> dict[bytes, bytes]:
    vectors = cache.find(embedder.model_id, {unit.hash for unit in pending})
    missing = {unit.hash: unit.body for unit in pending if unit.hash not in vectors}
    if missing:
        embedded = embedder.embed_passages(tuple(missing.values()))
        new = dict(zip(missing, map(pack, embedded), strict=True))
        cache.keep(embedder.model_id, new)
        vectors.update(new)
    return vectors


_ALIKE = (("我的牙医电话", "看牙医生的联系方式"), ("母亲的生日", "妈妈哪天出生"))
_UNLIKE = (("我的牙医电话", "汽车的轮胎坏了"), ("母亲的生日", "下载新的软件"))


def understands_chinese(embedder: Embedder) -> bool:
    """Whether Chinese texts of like meaning are nearer to each other than others.

    A model for English maps them all to nearly one place, and would bury the right words under
    chance. What the file says about itself cannot be trusted for this; four pairs can.
    """
    return _nearness(embedder, _ALIKE) > _nearness(embedder, _UNLIKE) + 0.1


def _nearness(embedder: Embedder, pairs: Iterable[tuple[str, str]]) -> float:
    passages = embedder.embed_passages([passage for _, passage in pairs])
    dots = [
        sum(a * b for a, b in zip(embedder.embed_query(query), vector, strict=True))
        for (query, _), vector in zip(pairs, passages, strict=True)
    ]
    return sum(dots) / len(dots)
