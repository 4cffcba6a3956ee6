"""How facts about runs and calls stand in a transcript's lines. Pure; reading never fails.

    {"type":"custom","customType":"run","runId":…,"data":{"model":…,"window":…,"prompt":[…]}}
    a tool result's details: {"display":…,"call":{"outcome":"ok","decision":"auto",…}}

What an older version wrote has none of it, and a newer one may have more: what is not understood
is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.run_facts import (
    NO_FACTS,
    CallFacts,
    PromptPiece,
    Ruling,
    RunFacts,
)

CALL = "call"
_MOST_PIECES = 64
_LONGEST_NAME = 400
_LONGEST_TEXT = 10_000


def encode_run(facts: RunFacts) -> JsonObject:
    pieces: list[JsonValue] = [_encode_piece(one) for one in facts.pieces[:_MOST_PIECES]]
    return _told(
        {
            "model": _bounded(facts.model, _LONGEST_NAME),
            "window": facts.window,
            "style": _bounded(facts.style, _LONGEST_NAME),
            "thinking": _bounded(facts.thinking, _LONGEST_NAME),
            "temperature": _finite(facts.temperature),
            "channel": _bounded(facts.channel, _LONGEST_NAME),
            "presence": _bounded(facts.presence, _LONGEST_NAME),
            "prompt": pieces,
        }
    )


def decode_run(data: JsonObject) -> RunFacts:
    found = data.get("prompt")
    listed = found if isinstance(found, Sequence) and not isinstance(found, str) else ()
    pieces = tuple(
        PromptPiece(_text(one, "name"), _count(one, "characters"), _text(one, "digest"))
        for one in listed[:_MOST_PIECES]
        if isinstance(one, Mapping) and _text(one, "name")
    )
    return RunFacts(
        _text(data, "model"),
        _count(data, "window"),
        _text(data, "style"),
        _text(data, "thinking"),
        _number(data, "temperature"),
        _text(data, "channel"),
        _text(data, "presence"),
        pieces,
    )


def encode_call(facts: CallFacts) -> JsonObject:
    """The field for a tool result's details; none where there is nothing to tell."""
    told = _told(
        {
            "outcome": _bounded(facts.outcome, _LONGEST_NAME),
            "decision": _bounded(facts.ruling.decision, _LONGEST_NAME),
            "rule": _bounded(facts.ruling.rule, _LONGEST_NAME),
            "by": _bounded(facts.ruling.by, _LONGEST_NAME),
            "seconds": round(_finite(facts.seconds), 4),
            "question": _bounded(facts.question, _LONGEST_TEXT),
            "skill": _bounded(facts.skill, _LONGEST_NAME),
            "version": _bounded(facts.version, _LONGEST_NAME),
        }
    )
    return {CALL: told} if told else {}


def decode_call(details: JsonObject) -> CallFacts:
    told = details.get(CALL)
    if not isinstance(told, Mapping):
        return NO_FACTS
    ruling = Ruling(_text(told, "decision"), _text(told, "rule"), _text(told, "by"))
    return CallFacts(
        _text(told, "outcome"),
        ruling,
        max(0.0, _number(told, "seconds")),
        _text(told, "question"),
        _text(told, "skill"),
        _text(told, "version"),
    )


def _encode_piece(piece: PromptPiece) -> JsonObject:
    name, digest = (_bounded(one, _LONGEST_NAME) for one in (piece.name, piece.digest))
    return _told({"name": name, "characters": piece.characters, "digest": digest})


def _told(fields: Mapping[str, JsonValue]) -> JsonObject:
    """Without what says nothing, so that a line stays short."""
    return {name: value for name, value in fields.items() if value}


def _bounded(text: str, most: int) -> str:
    return text[:most].encode("utf-8", "replace").decode()


def _finite(number: float) -> float:
    return number if isfinite(number) else 0.0


def _text(record: Mapping[str, JsonValue], name: str) -> str:
    value = record.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _number(record: Mapping[str, JsonValue], name: str) -> float:
    value = record.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    try:
        return _finite(float(value))
    except OverflowError:  # JSON has whole numbers of any size
        return 0.0


def _count(record: Mapping[str, JsonValue], name: str) -> int:
    return max(0, int(_number(record, name)))
