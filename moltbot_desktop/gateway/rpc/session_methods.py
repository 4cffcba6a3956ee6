"""The conversations over the local socket, under the reference's names.

    sessions.list     {limit?, activeMinutes?, agentId?, label?}  → {count, sessions: [{key, …}]}
    sessions.preview  {keys, limit?, maxChars?}  → {previews: [{key, status, items}]}
    sessions.search   {query, limit?}            → {hits: [{key, sessionId, role, snippet}]}
    sessions.patch    {key, label?, model?, thinkingLevel?, …}    → {ok, key, entry}
    sessions.reset    {key}                      → {ok, key, entry}
    sessions.delete   {key}                      → {ok, key, deleted}
    sessions.compact  {key}                      → {ok, key, compacted, tokensBefore, tokensAfter}

A patch changes how a conversation sounds: null takes a setting back. What a conversation may *do*
(elevatedLevel, execSecurity, sendPolicy and their like) is no program's to change, so those names
are refused (rule R5). Nothing here loses words: a reset keeps the old transcript, and a deleted
conversation lies in the trash. `sessions.search` is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import reduce
from types import MappingProxyType
from typing import Protocol

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.commands.levels import choices, level
from moltbot_desktop.gateway.commands.ports import Compaction, Models
from moltbot_desktop.gateway.rpc.methods import FILLED, TEXT, WHOLE, Given, Method
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.sdk.sessions import SessionHit, SessionInfo, SessionLine
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.sessions.settings import SessionSettings, encode_settings

_MOST_LISTED, _MOST_LINES, _MOST_HITS, _MOST_KEYS = 1_000, 200, 100, 64
_LINES, _LINE_CHARACTERS, _LONGEST_LINE = 12, 240, 20_000
_LONGEST_LABEL = 64
_MOST_MINUTES = 5_256_000
"""Ten years."""
_USER, _ASSISTANT = "user", "assistant"
_ACTIVATION = ("mention", "always")

_Change = Callable[[SessionSettings], SessionSettings]


class Sessions(Protocol):
    """The conversations that are kept. Every call may raise StorageError."""

    async def current(self) -> Sequence[SessionInfo]:
        """Those that a session key leads to, the latest first."""
        ...

    async def lines(self, session: SessionId) -> Sequence[SessionLine]: ...

    async def search(self, words: str, limit: int) -> Sequence[SessionHit]: ...

    def settings(self, key: SessionKey) -> SessionSettings: ...

    def change_settings(self, key: SessionKey, change: _Change) -> SessionSettings: ...

    def start_new(self, key: SessionKey) -> None:
        """Stop what goes on there and begin a fresh transcript."""
        ...

    def delete(self, key: SessionKey) -> None:
        """Stop what goes on there and put it into the trash.

        Raises:
            UserInputInvalid: it is the one that is shown.
        """
        ...


_Put = Callable[[SessionSettings, str], SessionSettings]


@dataclass(frozen=True)
class _Level:
    """A setting that is one of some words; `read` understands more of them."""

    read: Callable[[str], str]
    among: tuple[str, ...]
    put: _Put


def _of_directive(name: str, put: _Put) -> _Level:
    return _Level(lambda word: level(name, word), choices(name), put)


_LEVELS: Mapping[str, _Level] = MappingProxyType(
    {
        "thinkingLevel": _of_directive("think", lambda old, it: replace(old, think=it)),
        "verboseLevel": _of_directive("verbose", lambda old, it: replace(old, verbose=it)),
        "reasoningLevel": _of_directive("reasoning", lambda old, it: replace(old, reasoning=it)),
        "responseUsage": _of_directive("usage", lambda old, it: replace(old, usage=it)),
        "groupActivation": _Level(
            lambda word: word if word in _ACTIVATION else "",
            _ACTIVATION,
            lambda old, it: replace(old, activation=it),
        ),
    }
)
_KEY: JsonObject = {"type": "string", "minLength": 1, "maxLength": 512}
_KINDS: Mapping[KeyKind, str] = MappingProxyType(
    {KeyKind.GROUP: "group", KeyKind.CHANNEL: "group", KeyKind.OTHER: "unknown"}
)


@dataclass(frozen=True)
class SessionMethods:
    """Attributes:
    compaction: None where no model can summarise; the method is not there then.
    """

    sessions: Sessions
    models: Models
    compaction: Compaction | None
    names: SessionNames
    now: Callable[[], datetime]

    def methods(self) -> tuple[Method, ...]:
        may_be_text: JsonObject = {"type": ["string", "null"]}
        patched = {"key": _KEY, "label": may_be_text, "model": may_be_text}
        listed = {"limit": WHOLE, "activeMinutes": WHOLE, "agentId": TEXT, "label": TEXT}
        keys: JsonObject = {
            "type": "array",
            "items": _KEY,
            "minItems": 1,
            "maxItems": _MOST_KEYS,
        }
        made = [
            Method("sessions.list", self._list, listed),
            Method(
                "sessions.preview",
                self._preview,
                {"keys": keys, "limit": WHOLE, "maxChars": WHOLE},
                ("keys",),
            ),
            Method("sessions.search", self._search, {"query": FILLED, "limit": WHOLE}, ("query",)),
            Method(
                "sessions.patch",
                self._patch,
                {**patched, **dict.fromkeys(_LEVELS, may_be_text)},
                ("key",),
            ),
            Method("sessions.reset", self._reset, {"key": _KEY}, ("key",), once=True),
            Method("sessions.delete", self._delete, {"key": _KEY}, ("key",), once=True),
        ]
        if self.compaction is not None:
            compact = self.compaction

            async def answer(given: Given) -> JsonValue:
                return await self._compact(compact, given)

            made.append(Method("sessions.compact", answer, {"key": _KEY}, ("key",)))
        return tuple(made)

    # ------------------------------------------------------------------- looking

    async def _list(self, given: Given) -> JsonValue:
        found = [one for one in await self.sessions.current() if self._wanted(one, given)]
        shown = found[: min(given.whole("limit", _MOST_LISTED), _MOST_LISTED)]
        rows: list[JsonValue] = [self._row(one) for one in shown]
        return {"ts": _milliseconds(self.now()), "count": len(rows), "sessions": rows}

    def _wanted(self, one: SessionInfo, given: Given) -> bool:
        agent, label = given.text("agentId"), given.text("label")
        minutes = min(given.whole("activeMinutes", 0), _MOST_MINUTES)
        if minutes and _time(one.updated) < self.now() - timedelta(minutes=minutes):
            return False
        if label and one.label != label:
            return False
        return not agent or _agent(one.key) == agent.lower()

    def _row(self, one: SessionInfo) -> JsonObject:
        settings = self.sessions.settings(one.key)
        told: dict[str, JsonValue] = {
            **_known(settings),
            "key": one.key,
            "kind": _kind(one.key),
            "sessionId": one.id,
            "updatedAt": _milliseconds(_time(one.updated)),
            "messages": one.asked,
        }
        if one.title:
            told["derivedTitle"] = one.title
        return told

    async def _preview(self, given: Given) -> JsonValue:
        known = {one.key: one for one in await self.sessions.current()}
        keys = given.params.get("keys")
        asked = [str(key) for key in keys] if isinstance(keys, Sequence) else []
        limit = min(given.whole("limit", _LINES), _MOST_LINES)
        longest = min(given.whole("maxChars", _LINE_CHARACTERS), _LONGEST_LINE)
        previews: list[JsonValue] = []
        for key in asked:
            one = known.get(self.names.any_key(key))
            lines = await self.sessions.lines(one.id) if one is not None else ()
            items: list[JsonValue] = [_line_json(line, longest) for line in lines[-limit:]]
            status = "missing" if one is None else "ok" if items else "empty"
            previews.append({"key": key, "status": status, "items": items})
        return {"ts": _milliseconds(self.now()), "previews": previews}

    async def _search(self, given: Given) -> JsonValue:
        limit = min(given.whole("limit", 20), _MOST_HITS)
        hits = await self.sessions.search(given.text("query"), limit)
        rows: list[JsonValue] = [
            {
                "key": hit.session.key,
                "sessionId": hit.session.id,
                "title": hit.session.title,
                "role": _role(hit.line),
                "timestamp": hit.line.time,
                "snippet": hit.snippet,
            }
            for hit in hits
        ]
        return {"hits": rows}

    # ------------------------------------------------------------------- changing

    async def _patch(self, given: Given) -> JsonValue:
        key = self._key(given)
        changes = [_level_change(name, given) for name in _LEVELS if name in given.params]
        if "label" in given.params:
            label = await self._label(key, given.text("label"))
            changes.append(lambda old: replace(old, label=label))
        if "model" in given.params:
            model = self._model(given.text("model"))
            changes.append(lambda old: replace(old, model=model, model_provider=""))
        settings = self.sessions.change_settings(
            key, lambda old: reduce(lambda now, change: change(now), changes, old)
        )
        return {"ok": True, "key": key, "entry": _known(settings)}

    async def _label(self, key: SessionKey, given: str) -> str:
        label = " ".join(given.split())
        if len(label) > _LONGEST_LABEL:
            raise UserInputInvalid(f"A label has at most {_LONGEST_LABEL} characters.")
        if label and any(
            one.label == label and one.key != key for one in await self.sessions.current()
        ):
            raise UserInputInvalid(f"Another conversation is called “{label}”.")
        return label

    def _model(self, name: str) -> str:
        if name and not self.models.known(name):
            raise UserInputInvalid(
                f"There is no model “{name[:80]}”.", hint="models.list shows what there is."
            )
        return name

    async def _reset(self, given: Given) -> JsonValue:
        key = self._key(given)
        self.sessions.start_new(key)
        return {"ok": True, "key": key, "entry": _known(self.sessions.settings(key))}

    async def _delete(self, given: Given) -> JsonValue:
        key = self.names.any_key(given.text("key"))
        there = any(one.key == key for one in await self.sessions.current())
        if there:
            self.sessions.delete(key)
        return {"ok": True, "key": key, "deleted": there}

    async def _compact(self, compaction: Compaction, given: Given) -> JsonValue:
        key = self._key(given)
        done = await compaction.compact(key, "")
        return {
            "ok": True,
            "key": key,
            "compacted": done.tokens_after < done.tokens_before,
            "tokensBefore": done.tokens_before,
            "tokensAfter": done.tokens_after,
        }

    def _key(self, given: Given) -> SessionKey:
        return self.names.key(given.text("key"))


def _level_change(name: str, given: Given) -> _Change:
    setting, word = _LEVELS[name], given.text(name)
    value = setting.read(word) if word else ""
    if word and not value:
        raise UserInputInvalid(f"`{name}` is one of {', '.join(setting.among)}, or null.")
    return lambda old: setting.put(old, value)


def _known(settings: SessionSettings) -> JsonObject:
    """What is set, without fields of an entry that are not ours to show."""
    names = {one.metadata["name"] for one in fields(settings) if "name" in one.metadata}
    told = encode_settings(replace(settings, other={}))
    return {name: value for name, value in told.items() if name in names}


def _kind(key: SessionKey) -> str:
    parsed = parse_session_key(key)
    return _KINDS.get(parsed.kind, "direct") if parsed is not None else "unknown"


def _agent(key: SessionKey) -> str:
    parsed = parse_session_key(key)
    return parsed.agent if parsed is not None else ""


def _role(line: SessionLine) -> str:
    return line.who if line.who in (_USER, _ASSISTANT) else "tool"


def _line_json(line: SessionLine, longest: int) -> JsonObject:
    text = line.text if len(line.text) <= longest else line.text[: longest - 1] + "…"
    told: dict[str, JsonValue] = {"role": _role(line), "text": text}
    if told["role"] == "tool":
        told["tool"] = line.who
    return told


def _time(text: str) -> datetime:
    """When a conversation was used; one whose time is not known was used long ago."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0).astimezone()


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)
