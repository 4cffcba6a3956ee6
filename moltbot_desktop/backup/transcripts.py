"""A conversation from elsewhere, as it may stand here. Pure.

    lines = taken_in(data, session_id, key, mine=False)

What the owner vouches for comes in as it is. Everything else gets a key of its own, so that
nobody's next message lands in it, labels that say a stranger may have written it, and of its
settings only its name. The same bytes always give the same lines.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace

from moltbot_desktop.backup.moves import mark_of
from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.entries import (
    LabelsEntry,
    decode_header,
    encode_entry,
    encode_header,
)

_KEPT_SETTINGS = frozenset({"label", "archivedAt"})
_NAMES = uuid.UUID("6f0c6c6e-5d1b-4f0e-9a53-6a6f2f1a9a10")


def import_key(agent: AgentId, session_id: SessionId) -> SessionKey:
    """Of a conversation that came from elsewhere; nobody writes into it by themselves."""
    return SessionKey(f"agent:{agent}:import:{session_id.lower()}")


def other_id(data: bytes) -> SessionId:
    """For a conversation whose id means another one here."""
    return SessionId(str(uuid.uuid5(_NAMES, mark_of(data) + str(len(data)))))


def taken_in(
    data: bytes,
    agent: AgentId,
    session_id: SessionId,
    *,
    mine: bool,
    key: SessionKey | None = None,
) -> bytes | None:
    """The transcript as it may stand in `agent`'s folder under `session_id`; None when it is none.

    Args:
        key: for one that does not say whose it is.
    """
    first, _, rest = data.partition(b"\n")
    header = decode_header(_object(first) or {})
    if header is None:
        return None
    if mine and header.session_id == session_id and (header.key or key is None):
        return data
    own = header.key or key or SessionKey("")
    header = replace(
        header, session_id=session_id, key=own if mine else import_key(agent, session_id)
    )
    if mine:
        return _line(encode_header(header)) + rest
    labels = LabelsEntry(
        mark_of(first), "", header.started, Labels(untrusted=True, private=True).as_mapping()
    )
    lines = [_line(encode_header(header)), _line(encode_entry(labels))]
    ends = rest.endswith(b"\n") or not rest
    raw = rest.split(b"\n")
    lines += [_harmless(line, labels.id) for line in (raw[:-1] if ends else raw)]
    return b"".join(lines)


def _harmless(line: bytes, root: str) -> bytes:
    """A line below the labels, without settings that change how the conversation goes on."""
    record = _object(line)
    if record is None:
        return line + b"\n"
    changed = dict(record)
    if "parentId" in changed and not changed["parentId"]:
        changed["parentId"] = root
    settings = changed.get("data")
    if changed.get("customType") == "settings" and isinstance(settings, Mapping):
        changed["data"] = {k: value for k, value in settings.items() if k in _KEPT_SETTINGS}
    return line + b"\n" if changed == record else _line(changed)


def _object(line: bytes) -> JsonObject | None:
    try:
        value: JsonValue = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


def _line(record: JsonObject) -> bytes:
    return json.dumps(record, default=dict).encode() + b"\n"
