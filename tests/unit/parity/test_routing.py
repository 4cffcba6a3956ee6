"""Messages go to the agent and into the conversation that the reference chooses.

Two deliberate differences: without ``session.dmScope`` ours keeps direct messages apart, and with
``session.scope: global`` our route is already the one conversation of all (the reference's route
knows nothing of that setting; its sessions look it up afterwards).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.config.sections import check_part
from moltbot_desktop.config.settings import Config
from moltbot_desktop.gateway.routing import (
    MatchedBy,
    ResolvedRoute,
    RouteInput,
    resolve_route,
    routing_rules,
)
from moltbot_desktop.sdk.channels import Peer, PeerKind
from moltbot_desktop.sessions.keys import DmScope
from tests.unit.parity.differences import Case, Difference
from tests.unit.parity.test_reference_cases import CASES

Given = Mapping[str, Any]


def peer_of(row: Given) -> Peer | None:
    peer = row.get("peer")
    return Peer(PeerKind(peer["kind"]), peer["id"]) if peer else None


def config_of(raw: Given) -> Config:
    """What our program reads out of the file; nothing in it may be a mistake."""
    found = {name: check_part(name, raw, {}) for name in ("agents", "bindings", "session")}
    assert not [mistake for part in found.values() for mistake in part.mistakes]
    return Config(**{name: part.value for name, part in found.items()})


def routed(given: Given) -> ResolvedRoute:
    return resolve_route(
        routing_rules(config_of(given["config"])),
        RouteInput(
            given["channel"],
            given.get("accountId") or "",
            peer_of(given),
            given.get("guildId") or "",
            given.get("teamId") or "",
        ),
    )


def as_in_the_reference(case: Case) -> bool:
    route = routed(case.input)
    got = {
        "agentId": route.agent,
        "channel": route.channel,
        "accountId": route.account,
        "sessionKey": route.session_key,
        "mainSessionKey": route.main_session_key,
        "matchedBy": route.matched_by,
    }
    return all(got[name] == value for name, value in case.expected.items())


# ------------------------------------------------------------------ the difference


def is_for_all(given: Given) -> bool:
    return bool(given["config"].get("session", {}).get("scope") == "global")


def is_dm_without_scope(given: Given) -> bool:
    peer = given.get("peer")
    session = given["config"].get("session", {})
    apart = session.get("dmScope") is None and not is_for_all(given)
    return bool(peer) and peer["kind"] == "dm" and apart


def dms_are_kept_apart(case: Case, _: Path) -> bool:
    """All but the key is the same, and the key is what the scope gives when it is spelled out."""
    config = dict(case.input["config"])
    config["session"] = {**config.get("session", {}), "dmScope": "per-channel-peer"}
    spelled = routed({**case.input, "config": config})
    route = routed(case.input)
    linked = case.input["config"].get("session", {}).get("identityLinks", {})
    peer = case.input["peer"]["id"].strip().lower() or "unknown"
    names = {peer, *(name.strip().lower() for name in linked)}
    channel = case.input["channel"].strip().lower() or "unknown"
    keys = {f"agent:{case.expected['agentId']}:{channel}:dm:{name}" for name in names}
    others = {**case.expected, "sessionKey": route.session_key}
    return (
        route == spelled
        and route.session_key in keys
        and as_in_the_reference(Case(case.id, case.category, case.input, others))
    )


APART = Difference(
    "routing",
    "direct messages are kept apart",
    "In the reference all people who write to the assistant share the owner's conversation.",
    is_dm_without_scope,
    dms_are_kept_apart,
    (
        {"config": {}, "channel": "telegram", "peer": {"kind": "dm", "id": "7"}},
        {"agentId": "main", "sessionKey": "agent:main:main", "matchedBy": "default"},
    ),
)


def one_conversation_for_all(case: Case, _: Path) -> bool:
    route = routed(case.input)
    main = f"agent:{case.expected['agentId']}:main"
    others = {**case.expected, "sessionKey": main}
    return route.session_key == main and as_in_the_reference(
        Case(case.id, case.category, case.input, others)
    )


FOR_ALL = Difference(
    "routing",
    "one conversation for everybody is what the route says",
    "Two places that decide which conversation a message belongs to come to disagree.",
    is_for_all,
    one_conversation_for_all,
    (
        {
            "config": {"session": {"scope": "global"}},
            "channel": "telegram",
            "peer": {"kind": "group", "id": "7"},
        },
        {"agentId": "main", "sessionKey": "agent:main:telegram:group:7", "matchedBy": "default"},
    ),
)
DIFFERENCES = (APART, FOR_ALL)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category == "routing"], ids=lambda case: case.id
)
def test_a_message_is_routed_as_in_the_reference_or_kept_apart(case: Case, tmp_path: Path) -> None:
    if as_in_the_reference(case):
        return
    rules = [one for one in DIFFERENCES if one.applies(case.input)]
    assert rules, f"{routed(case.input)} should be {case.expected}"
    assert all(one.holds(case, tmp_path) for one in rules), routed(case.input)


@pytest.mark.parametrize("rule", DIFFERENCES, ids=lambda one: one.name)
def test_a_difference_is_real_and_excuses_no_other_mistake(
    rule: Difference, tmp_path: Path
) -> None:
    case = Case("example", "routing", *rule.example)
    assert [one for one in DIFFERENCES if one.applies(case.input)] == [rule]
    assert not as_in_the_reference(case)
    assert rule.holds(case, tmp_path)
    wrong = Case("wrong", "routing", case.input, {**case.expected, "matchedBy": MatchedBy.PEER})
    assert not rule.holds(wrong, tmp_path)


@pytest.mark.parametrize("scope", DmScope)
def test_a_scope_that_is_spelled_out_is_no_difference(scope: DmScope) -> None:
    given = {**APART.example[0], "config": {"session": {"dmScope": scope.value}}}
    assert not APART.applies(given)
