"""The memory over the local socket: how it stands, and finding something in it.

    memory.status  {}                     → {files, chunks, vectors, model, …}
    memory.search  {query, maxResults?}   → {results: [{path, startLine, endLine, …}], note}

Names of the fields are those of the reference's memory tools. Nothing is written over the socket:
what the assistant remembers goes through it, so that the owner sees it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.methods import FILLED, WHOLE, Given, Method
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer, SearchHit

_RESULTS, _MOST_RESULTS = 6, 50


@dataclass(frozen=True)
class MemoryMethods:
    """Attributes:
    search: the words and how many places at most.
    """

    status: Callable[[], MemoryStatus]
    search: Callable[[str, int], Awaitable[SearchAnswer]]

    def methods(self) -> tuple[Method, ...]:
        asked = {"query": FILLED, "maxResults": WHOLE}
        return (
            Method("memory.status", self._status),
            Method("memory.search", self._search, asked, ("query",)),
        )

    async def _status(self, _: Given) -> JsonValue:
        status = self.status()
        return {
            "files": status.files,
            "chunks": status.chunks,
            "vectors": status.vectors,
            "model": status.model,
            "indexPath": status.index_path,
            "note": status.note,
            "watching": status.watching,
            "watchNote": status.watch_note,
            "lastLook": status.last_look,
        }

    async def _search(self, given: Given) -> JsonValue:
        most = min(given.whole("maxResults", _RESULTS), _MOST_RESULTS)
        answer = await self.search(given.text("query"), most)
        return {"results": [_hit_json(hit) for hit in answer.hits], "note": answer.note}


def _hit_json(hit: SearchHit) -> JsonObject:
    told: dict[str, JsonValue] = {
        "path": hit.path,
        "startLine": hit.start_line,
        "endLine": hit.end_line,
        "score": hit.score,
        "snippet": hit.snippet,
        "source": hit.source,
        "why": list(hit.why),
    }
    if hit.mark:
        told["mark"] = hit.mark
    return told
