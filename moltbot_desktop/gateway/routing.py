"""Which agent answers a message, and in which conversation. Pure.

    rules = routing_rules(config)
    resolve_route(rules, RouteInput("telegram", peer=Peer(PeerKind.DM, "42")))
    # ResolvedRoute(agent="main", session_key="agent:main:telegram:dm:42", matched_by="default")

The first binding of the most exact tier wins: peer, guild, team, account, every account of the
channel, and at last the default agent. A binding without an account is for the account "default"
alone; one for a peer in a guild speaks for the whole guild as well. Both are the reference's, and
its users' files count on them.

Direct messages of different people never share a conversation unless ``session.dmScope`` says so:
what one of them tells would be known to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from moltbot_desktop.config.routes import Binding, BindingMatch, PeerMatch
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId, SessionKey
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, Envelope, Peer, PeerKind
from moltbot_desktop.sessions.keys import (
    UNKNOWN,
    DmScope,
    dm_key,
    main_session_key,
    normalise_account_id,
    normalise_agent_id,
    room_key,
    thread_key,
)

ANY_ACCOUNT = "*"
_TOPIC = ":topic:"


class MatchedBy(StrEnum):
    """Why an agent was chosen."""

    PEER = "binding.peer"
    GUILD = "binding.guild"
    TEAM = "binding.team"
    ACCOUNT = "binding.account"
    CHANNEL = "binding.channel"
    DEFAULT = "default"


@dataclass(frozen=True)
class RoutingRules:
    """What the settings say about routing; ids as they are written there.

    Attributes:
        agents: of ``agents.list``; when it is empty any agent that a binding names is taken.
        bindings: earlier ones win within a tier.
        one_for_all: everybody shares the owner's own conversation, rooms included.
        identity_links: name -> ids (``42`` or ``telegram:42``) of one and the same person.
        broadcast: peer id -> agents that all answer there.
        sequential: those of a broadcast answer one after the other.
    """

    agents: tuple[str, ...] = ()
    default_agent: AgentId = DEFAULT_AGENT
    bindings: tuple[Binding, ...] = ()
    dm_scope: DmScope = DmScope.PER_CHANNEL_PEER
    one_for_all: bool = False
    identity_links: Mapping[str, Sequence[str]] = field(default_factory=dict)
    broadcast: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sequential: bool = False


@dataclass(frozen=True)
class RouteInput:
    """Where a message came from. Ids are compared exactly, the channel's name in any case."""

    channel: str
    account: str = DEFAULT_ACCOUNT
    peer: Peer | None = None
    guild_id: str = ""
    team_id: str = ""
    thread_id: str = ""


@dataclass(frozen=True)
class ResolvedRoute:
    """Who answers, and where it is kept.

    Attributes:
        session_key: of the conversation the message belongs to.
        main_session_key: of the agent's own conversation with the owner.
    """

    agent: AgentId
    channel: str
    account: str
    session_key: SessionKey
    main_session_key: SessionKey
    matched_by: MatchedBy


@dataclass(frozen=True)
class Routes:
    """All that answer one message, at least one; `sequential`: one after the other."""

    routes: tuple[ResolvedRoute, ...]
    sequential: bool = False


def routing_rules(config: Config) -> RoutingRules:
    """What `config` says about routing."""
    session = config.session
    return RoutingRules(
        agents=tuple(agent.id for agent in config.agents),
        default_agent=normalise_agent_id(config.default_agent),
        bindings=config.bindings,
        dm_scope=DmScope(session.dm_scope),
        one_for_all=session.scope == "global",
        identity_links=session.identity_links,
        broadcast=config.broadcast.peers,
        sequential=config.broadcast.strategy == "sequential",
    )


def route_input(envelope: Envelope) -> RouteInput:
    return RouteInput(
        envelope.channel,
        envelope.account,
        envelope.peer,
        envelope.guild_id,
        envelope.team_id,
        envelope.thread_id,
    )


def resolve_routes(rules: RoutingRules, given: RouteInput) -> Routes:
    """Like `resolve_route`, for a message that several agents may answer."""
    route = resolve_route(rules, given)
    named = rules.broadcast.get(given.peer.id.strip(), ()) if given.peer is not None else ()
    agents = tuple(dict.fromkeys(filter(None, (_listed(rules, name) for name in named))))
    if not agents:
        return Routes((route,))
    return Routes(tuple(_as_agent(rules, given, route, one) for one in agents), rules.sequential)


def resolve_route(rules: RoutingRules, given: RouteInput) -> ResolvedRoute:
    """The agent and the conversation of a message."""
    given = _tidied(given)
    chosen, matched_by = _matching(rules, given)
    agent = _listed(rules, chosen) or rules.default_agent
    return ResolvedRoute(
        agent,
        given.channel,
        given.account,
        _session_key(rules, given, agent),
        main_session_key(agent),
        matched_by,
    )


def group_history_key(given: RouteInput) -> str:
    """The room whose unread messages are gathered; the same for all agents, so not a session
    key."""
    given = _tidied(given)
    kind = given.peer.kind if given.peer is not None else PeerKind.DM
    peer = given.peer.id.lower() if given.peer is not None else ""
    account = normalise_account_id(given.account)
    return f"{given.channel or UNKNOWN}:{account}:{kind}:{peer or UNKNOWN}"


def _tidied(given: RouteInput) -> RouteInput:
    peer = given.peer
    return RouteInput(
        given.channel.strip().lower(),
        given.account.strip() or DEFAULT_ACCOUNT,
        Peer(peer.kind, peer.id.strip()) if peer is not None else None,
        given.guild_id.strip(),
        given.team_id.strip(),
        given.thread_id,
    )


# ------------------------------------------------------------------ which binding


def _matching(rules: RoutingRules, given: RouteInput) -> tuple[str, MatchedBy]:
    """The agent as it is written, "" for the default one, and by which tier."""
    fitting = [one for one in rules.bindings if _fits(one.match, given)]
    for tier, in_tier in _tiers(given):
        for binding in fitting:
            if in_tier(binding.match):
                return binding.agent_id, tier
    return "", MatchedBy.DEFAULT


def _fits(match: BindingMatch, given: RouteInput) -> bool:
    account = match.account_id.strip() or DEFAULT_ACCOUNT
    channel = match.channel.strip().lower()
    return bool(channel) and channel == given.channel and account in (ANY_ACCOUNT, given.account)


def _tiers(given: RouteInput) -> Iterator[tuple[MatchedBy, Callable[[BindingMatch], bool]]]:
    """From the most exact one down; each looks at its own field alone."""
    peer = given.peer
    if peer is not None and peer.id:
        yield MatchedBy.PEER, lambda match: _same_peer(match.peer, peer)
    if given.guild_id:
        yield MatchedBy.GUILD, lambda match: _same(match.guild_id, given.guild_id)
    if given.team_id:
        yield MatchedBy.TEAM, lambda match: _same(match.team_id, given.team_id)
    yield MatchedBy.ACCOUNT, lambda match: _is_broad(match) and not _for_any_account(match)
    yield MatchedBy.CHANNEL, lambda match: _is_broad(match) and _for_any_account(match)


def _same_peer(wanted: PeerMatch | None, peer: Peer) -> bool:
    return wanted is not None and wanted.kind == peer.kind and wanted.id.strip() == peer.id


def _same(wanted: str | None, found: str) -> bool:
    return wanted is not None and wanted.strip() == found


def _is_broad(match: BindingMatch) -> bool:
    """Whether it asks for nothing finer than the account."""
    return match.peer is None and not match.guild_id and not match.team_id


def _for_any_account(match: BindingMatch) -> bool:
    return match.account_id.strip() == ANY_ACCOUNT


def _listed(rules: RoutingRules, name: str) -> AgentId | None:
    """The agent of that name; None for no name, and for one that is not on a list that is there."""
    agent = normalise_agent_id(name)
    if not name.strip():
        return None
    if not rules.agents or agent in map(normalise_agent_id, rules.agents):
        return agent
    return None


# ------------------------------------------------------------------ which conversation


def _as_agent(
    rules: RoutingRules, given: RouteInput, route: ResolvedRoute, agent: AgentId
) -> ResolvedRoute:
    key = _session_key(rules, _tidied(given), agent)
    return replace(route, agent=agent, session_key=key, main_session_key=main_session_key(agent))


def _session_key(rules: RoutingRules, given: RouteInput, agent: AgentId) -> SessionKey:
    if rules.one_for_all:
        return main_session_key(agent)
    return thread_key(_peer_key(rules, given, agent), _thread_of(given))


def _peer_key(rules: RoutingRules, given: RouteInput, agent: AgentId) -> SessionKey:
    peer = given.peer
    if peer is None:
        return main_session_key(agent)
    peer_id = peer.id or UNKNOWN
    if peer.kind is not PeerKind.DM:
        return room_key(agent, given.channel, peer.kind, peer_id)
    if rules.dm_scope is not DmScope.MAIN:
        peer_id = _linked(rules, given.channel, peer_id)
    return dm_key(agent, rules.dm_scope, given.channel, given.account, peer_id)


def _linked(rules: RoutingRules, channel: str, peer_id: str) -> str:
    """The name that the owner gave to this person, or `peer_id`."""
    known_as = {peer_id.lower(), f"{channel}:{peer_id}".lower()}
    for name, ids in rules.identity_links.items():
        if name.strip() and not known_as.isdisjoint(one.strip().lower() for one in ids):
            return name.strip()
    return peer_id


def _thread_of(given: RouteInput) -> str:
    """The thread as part of the key. A Telegram topic is already a part of the peer's id."""
    if given.peer is not None and _TOPIC in given.peer.id:
        return ""
    return given.thread_id
