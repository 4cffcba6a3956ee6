"""Where a message goes: the reference's table, and what ours promises beyond it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.config.routes import Binding, BindingMatch, BroadcastConfig, PeerMatch
from moltbot_desktop.config.session import SessionConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.routing import (
    MatchedBy,
    RouteInput,
    RoutingRules,
    group_history_key,
    resolve_route,
    resolve_routes,
    route_input,
    routing_rules,
)
from moltbot_desktop.sdk.channels import Peer, PeerKind
from moltbot_desktop.sessions.keys import DmScope, agent_of
from tests.fakes.mail import envelope

AGENTS = ("main", "work", "Ops")


def dm(peer_id: str) -> Peer:
    return Peer(PeerKind.DM, peer_id)


def group(peer_id: str) -> Peer:
    return Peer(PeerKind.GROUP, peer_id)


def room(peer_id: str) -> Peer:
    return Peer(PeerKind.CHANNEL, peer_id)


def rules(*bindings: Binding, scope: DmScope = DmScope.MAIN, **more: object) -> RoutingRules:
    return RoutingRules(AGENTS, bindings=bindings, dm_scope=scope, **more)


def to(
    agent: str,
    channel: str,
    account: str = "",
    peer: Peer | None = None,
    guild_id: str | None = None,
    team_id: str | None = None,
) -> Binding:
    wanted = PeerMatch(peer.kind, peer.id) if peer else None
    return Binding(agent, BindingMatch(channel, account, wanted, guild_id, team_id))


@pytest.mark.parametrize(
    ("bindings", "asked", "agent", "matched_by", "key"),
    [
        (
            [],
            RouteInput("TeleGram ", peer=group("-100AB")),
            "main",
            MatchedBy.DEFAULT,
            "agent:main:telegram:group:-100ab",
        ),
        (
            [to("work", "slack", peer=room("C1"))],
            RouteInput("slack", peer=room("c1")),
            "main",
            MatchedBy.DEFAULT,
            "agent:main:slack:channel:c1",
        ),
        (
            [to("ops", "x", team_id="T"), to("work", "x", guild_id="G")],
            RouteInput("x", peer=room("c"), guild_id="G", team_id="T"),
            "work",
            MatchedBy.GUILD,
            "agent:work:x:channel:c",
        ),
        (
            [to("work", "telegram", "*")],
            RouteInput("telegram", "biz", dm("1")),
            "work",
            MatchedBy.CHANNEL,
            "agent:work:main",
        ),
        (
            [to("work", "telegram", "Biz")],
            RouteInput("telegram", "biz", dm("1")),
            "main",
            MatchedBy.DEFAULT,
            "agent:main:main",
        ),
        (
            [to("work", "telegram", peer=dm("1"))],
            RouteInput("telegram", "biz", dm("1")),
            "main",
            MatchedBy.DEFAULT,
            "agent:main:main",
        ),
        (
            [to("work", "telegram", "  ")],
            RouteInput("telegram", " ", dm("1")),
            "work",
            MatchedBy.ACCOUNT,
            "agent:work:main",
        ),
        (
            [to("", "telegram")],
            RouteInput("telegram", peer=dm("1")),
            "main",
            MatchedBy.ACCOUNT,
            "agent:main:main",
        ),
        (
            [to("work", " ")],
            RouteInput(" ", peer=group("1")),
            "main",
            MatchedBy.DEFAULT,
            "agent:main:unknown:group:1",
        ),
    ],
)
def test_the_most_exact_binding_that_fits_chooses(bindings, asked, agent, matched_by, key):
    route = resolve_route(rules(*bindings), asked)
    assert (route.agent, route.matched_by, route.session_key) == (agent, matched_by, key)
    assert route.main_session_key == f"agent:{agent}:main"


def test_an_account_is_a_part_of_the_key_when_the_scope_says_so():
    asked = RouteInput("telegram", "Biz Acc", dm("User1"))
    route = resolve_route(rules(scope=DmScope.PER_ACCOUNT_CHANNEL_PEER), asked)
    assert route.session_key == "agent:main:telegram:biz-acc:dm:user1"
    assert route.account == "Biz Acc"


@pytest.mark.parametrize(
    ("channel", "peer", "name"),
    [("telegram", "AB", "alice"), ("discord", "9", "alice"), ("discord", "8", "8")],
)
def test_one_person_on_two_channels_is_one_in_the_scope_per_peer(channel, peer, name):
    linked = rules(
        scope=DmScope.PER_PEER, identity_links={" ": ["8"], "Alice": ["ab", " Discord:9 ", ""]}
    )
    route = resolve_route(linked, RouteInput(channel, peer=dm(peer)))
    assert route.session_key == f"agent:main:dm:{name}"


def test_people_are_kept_apart_unless_the_settings_say_otherwise():
    asked = [RouteInput("telegram", peer=dm(peer)) for peer in ("1", "2")]
    keys = {resolve_route(RoutingRules(), one).session_key for one in asked}
    assert keys == {"agent:main:telegram:dm:1", "agent:main:telegram:dm:2"}


def test_the_owners_own_channel_has_the_main_conversation_in_every_scope():
    for scope in DmScope:
        route = resolve_route(rules(scope=scope), RouteInput("desktop"))
        assert route.session_key == "agent:main:main"


def test_a_thread_is_a_conversation_of_its_own_and_a_topic_is_one_already():
    in_thread = RouteInput("slack", peer=room("C1"), thread_id=" 17.5 ")
    assert (
        resolve_route(rules(), in_thread).session_key == "agent:main:slack:channel:c1:thread:17.5"
    )
    in_topic = RouteInput("telegram", peer=group("-100:topic:42"), thread_id="42")
    key = resolve_route(rules(), in_topic).session_key
    assert key == "agent:main:telegram:group:-100:topic:42"


def test_a_broadcast_is_answered_by_each_known_agent_once_with_its_own_conversation():
    everybody = rules(broadcast={"12@g.us": ["OPS", "work", "ghost", "work", " "]}, sequential=True)
    routes = resolve_routes(everybody, RouteInput("whatsapp", peer=group(" 12@g.us ")))
    assert [route.session_key for route in routes.routes] == [
        "agent:ops:whatsapp:group:12@g.us",
        "agent:work:whatsapp:group:12@g.us",
    ]
    assert [route.main_session_key for route in routes.routes] == [
        "agent:ops:main",
        "agent:work:main",
    ]
    assert routes.sequential


@pytest.mark.parametrize("named", [{}, {"1": []}, {"1": ["ghost"]}, {"2": ["work"]}])
def test_without_a_broadcast_the_one_route_answers(named):
    asked = RouteInput("telegram", peer=dm("1"))
    routes = resolve_routes(rules(broadcast=named), asked)
    assert routes.routes == (resolve_route(rules(), asked),)
    assert not routes.sequential


def test_what_a_room_says_is_gathered_in_one_place_for_all_agents():
    assert group_history_key(RouteInput("Discord", "A B", room("C9"))) == "discord:a-b:channel:c9"
    assert group_history_key(RouteInput("", peer=group(" "))) == "unknown:default:group:unknown"


def test_the_scope_global_is_one_conversation_for_everybody():
    everybody = routing_rules(Config(session=SessionConfig(scope="global")))
    for peer in (dm("1"), group("2"), None):
        asked = RouteInput("telegram", peer=peer, thread_id="3")
        assert resolve_route(everybody, asked).session_key == "agent:main:main"


def test_a_broadcast_is_read_from_the_settings():
    config = Config(broadcast=BroadcastConfig("sequential", {"1": ("a", "b")}))
    routes = resolve_routes(routing_rules(config), RouteInput("x", peer=group("1")))
    assert [route.agent for route in routes.routes] == ["a", "b"]
    assert routes.sequential


def test_an_envelope_is_routed_by_all_that_it_says():
    asked = route_input(
        envelope("1", peer=room("c"), guild_id="G", team_id="T", thread_id="h", account="biz")
    )
    assert asked == RouteInput("pipe", "biz", room("c"), "G", "T", "h")


IDS = st.text(max_size=12)


@given(
    channel=IDS,
    account=IDS,
    peer=st.none() | st.builds(Peer, st.sampled_from(PeerKind), IDS),
    thread=IDS,
    scope=st.sampled_from(DmScope),
    agent=IDS,
)
def test_whatever_a_channel_says_the_conversation_belongs_to_the_agent(
    channel, account, peer, thread, scope, agent
):
    bound = rules(to(agent, channel, "*"), scope=scope)
    route = resolve_route(bound, RouteInput(channel, account, peer, "", "", thread))
    assert agent_of(route.session_key) == route.agent
    assert route.agent in (AgentId("main"), AgentId("work"), AgentId("ops"))
