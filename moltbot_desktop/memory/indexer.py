"""Brings the index to what the files say: looks at stamps first and reads only what changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.memory.cache import VectorCache, text_hash
from moltbot_desktop.memory.contents import content_of
from moltbot_desktop.memory.files import FileStamp
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.rows import KnownFile, Pending
from moltbot_desktop.memory.scan import Stamp
from moltbot_desktop.memory.sources import Sources, is_conversation
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vectors import is_usable, pack, unpack
from moltbot_desktop.sdk.models import Embedder

TEXT_VERSION = "5"
"""Raised when cutting, segmenting or the tables change; then the index is made anew
(`IndexHome.rebuild`)."""

FRESH_NS = 2_000_000_000
"""A file changed so shortly before it was read may have changed again within the same tick of a
coarse file system clock, so its stamp proves nothing and its content is compared."""

AT_REST_NS = 60_000_000_000
"""A conversation in which nothing was said for so long is read whatever it grew by."""

BATCH = 16


def fingerprint(plan: MemoryPlan) -> str:
    """What an index was cut by; one that was cut by anything else is made anew."""
    return f"{TEXT_VERSION}/{plan.chunk_tokens}/{plan.chunk_overlap}"


def sync(
    store: IndexStore,
    sources: Sources,
    clock: Clock,
    only: frozenset[str] | None = None,
    until: float = math.inf,
    *,
    thorough: bool = False,
) -> int:
    """Index every source that changed since it was read, forget those that are gone.

    Args:
        only: look at these paths (as `Sources` shows them) alone; None for all.
        until: monotonic time after which no further file is read, but one at least.
        thorough: read every conversation that changed, also one that goes on.

    Returns:
        How many files still wait for being read.

    Raises:
        StorageError: the index cannot be written; what was written before is consistent.
    """
    if only is None:
        stamps, known = sources.stamps(), store.stamps(FRESH_NS)
    else:
        stamps, known = sources.stamps_of(only), store.stamps(FRESH_NS, only)
    # One plain comparison for each: what a look at thousands of unchanged files costs.
    changed = [path for path, stamp in stamps.items() if known.pop(path, None) != stamp]
    for gone in store.files_named(known).values():
        store.remove_file(gone.id)
    changed = sorted(filter(_is_text, changed))
    before = store.files_named(changed)
    due = [
        path
        for path in changed
        if thorough or _is_due(sources, path, before.get(path), stamps[path], clock)
    ]
    # New ones first: looking again at files of this minute must not use up the time of each call.
    due.sort(key=before.__contains__)
    for read, path in enumerate(due):
        if read and clock.monotonic() >= until:
            return len(due) - read
        _index_file(store, sources, before.get(path), FileStamp(path, *stamps[path]), clock)
    return 0


def _is_text(path: str) -> bool:
    """A name that is none can be neither stored nor shown."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_due(
    sources: Sources, path: str, earlier: KnownFile | None, now: Stamp, clock: Clock
) -> bool:
    """Whether to read what changed: a conversation that goes on waits until it grew by enough, so
    that a question does not find itself."""
    if not is_conversation(path) or _wall_ns(clock) - now[1] >= AT_REST_NS:
        return True
    seen = earlier.stamp if earlier else FileStamp(path, 0, 0, now[2])
    return sources.has_grown(path, (seen.size, seen.mtime_ns, seen.inode), now)


def _wall_ns(clock: Clock) -> int:
    return int(clock.now().timestamp() * 1e9)


def _index_file(
    store: IndexStore, sources: Sources, before: KnownFile | None, stamp: FileStamp, clock: Clock
) -> None:
    now_ns = _wall_ns(clock)
    content = content_of(sources, stamp.path)
    if before is None or before.hash != content.hash:
        store.replace_file(before, stamp, now_ns, content)
    elif before.stamp != stamp:
        store.touch_file(before.id, stamp, now_ns)
    elif now_ns >= before.read_ns + FRESH_NS:
        # The same stamp and text long after: no write can hide behind this stamp any more.
        store.touch_file(before.id, stamp, stamp.mtime_ns + FRESH_NS + 1)


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


def ready_vectors(
    texts: Sequence[str], cache: VectorCache, embedder: Embedder, clock: Clock, until: float
) -> tuple[Sequence[float] | None, ...]:
    """The vector of each text: those in the cache, and as many more as can be made until then
    (monotonic), one batch at least; None for the others and for what has no usable one.

    Raises:
        ModelError: the embedder fails.
        StorageError: the cache cannot be written.
    """
    dimensions = embedder.dimensions
    keys = [text_hash(text) for text in texts]
    vectors = cache.find(embedder.model_id, set(keys))
    missing = [(key, text) for key, text in dict(zip(keys, texts, strict=True)).items()
               if key not in vectors]  # fmt: skip
    for start in range(0, len(missing), BATCH):
        if start and clock.monotonic() >= until:
            break
        batch = missing[start : start + BATCH]
        embedded = embedder.embed_passages([text for _, text in batch])
        new = {key: pack(vector) for (key, _), vector in zip(batch, embedded, strict=True)}
        cache.keep(embedder.model_id, new)
        vectors.update(new)
    return tuple(
        unpack(vectors[key]) if key in vectors and is_usable(vectors[key], dimensions) else None
        for key in keys
    )


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
