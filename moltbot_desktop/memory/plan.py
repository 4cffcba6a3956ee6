"""What memory looks through and how: the settings as memory needs them.

    plan = MemoryPlan(extra_paths=(Path("/home/anna/notes"),), chunk_tokens=200, chunk_overlap=40)

Made in app out of `config.memory.MemoryConfig`; paths are expanded there, nothing is read here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.memory.cache import MOST


@dataclass(frozen=True)
class MemoryPlan:
    """The defaults are the settings' defaults.

    Attributes:
        enabled: False switches memory off: nothing is read, found or kept.
        notes: whether a search looks through MEMORY.md, memory/ and the extra paths.
        conversations: whether it looks through past conversations.
        extra_paths: absolute; folders or `.md` files that are read and never written.
        chunk_tokens: size of a window of neighbouring notes, at four characters each.
        chunk_overlap: tokens a window repeats of the one before; less than `chunk_tokens`.
        cached_vectors: how many texts' vectors are kept for a new index; 0 keeps none.
        sync_on_search: whether changed notes are read before each search.
        patience_seconds: how long a search may read changed files before it answers with what it
            knows; for a process that goes on reading afterwards.
        conversation_bytes: a conversation is read anew after it grew by so much; 0 is any growth.
        conversation_messages: the same in messages; one of the two is enough.
    """

    enabled: bool = True
    notes: bool = True
    conversations: bool = False
    extra_paths: tuple[Path, ...] = ()
    chunk_tokens: int = 400
    chunk_overlap: int = 80
    cached_vectors: int = MOST
    sync_on_search: bool = True
    patience_seconds: float = math.inf
    conversation_bytes: int = 100_000
    conversation_messages: int = 50
