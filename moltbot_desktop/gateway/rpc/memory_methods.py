"""The memory over the local socket: how it stands, and finding something in it.

    memory.status  {agentId?, sessionKey?}   → {agentId, files, chunks, vectors, model, …}
    memory.search  {query, maxResults?, agentId?, sessionKey?}
                                   → {agentId, results: [{path, startLine, endLine, …}], note}

Each agent has a memory of its own; the default agent's is meant where nobody is named. Names of the
fields are those of the reference's memory tools. Nothing is written over the socket: what the
assistant remembers goes through it, so that the owner sees it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.methods import FILLED, TEXT, WHOLE, Given, Method
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer, SearchHit
from moltbot_desktop.sessions.keys import agent_of

_RESULTS, _MOST_RESULTS = 6, 50


@dataclass(frozen=True)
class MemoryMethods:
    """Both are asked for the memory of a conversation's agent, and may raise AgentUnusable.

    Attributes:
        search: the words and how many places at most.
    """

    names: SessionNames
    status: Callable[[SessionKey], MemoryStatus]
    search: Callable[[SessionKey, str, int], Awaitable[SearchAnswer]]

    def methods(self) -> tuple[Method, ...]:
        whose = {"agentId": TEXT, "sessionKey": TEXT}
        asked = {"query": FILLED, "maxResults": WHOLE, **whose}
        return (
            Method("memory.status", self._status, whose),
            Method("memory.search", self._search, asked, ("query",)),
        )

    async def _status(self, given: Given) -> JsonValue:
        key = self._key(given)
        status = self.status(key)
        return {
            "agentId": agent_of(key),
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
        key = self._key(given)
        answer = await self.search(key, given.text("query"), most)
        hits: list[JsonValue] = [_hit_json(hit) for hit in answer.hits]
        return {"agentId": agent_of(key), "results": hits, "note": answer.note}

    def _key(self, given: Given) -> SessionKey:
        return self.names.key(given.text("sessionKey"), given.text("agentId"))


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
