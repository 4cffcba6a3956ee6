"""Who may write to the assistant on a channel, and whether as somebody who may command it.

    rules = access_rules(config.raw["channels"]["telegram"], account="default")
    admitted(envelope, rules)          # Admission.YES, .STRANGER, .CLOSED
    may_command(envelope, rules, use_access_groups=True)

Only ids count. A name or a username can be taken by anybody, so neither lets anybody in. What is
not set is as strict as can be: no direct message without a pairing, no group without a list. An id
may be written with its channel before it, as the reference has it: ``telegram:42``, ``tg:42``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, Envelope, PeerKind

ANYBODY = "*"
_DM_POLICIES = ("pairing", "allowlist", "open", "disabled")
_GROUP_POLICIES = ("allowlist", "open", "disabled")
_IN_DM = MappingProxyType({"dmPolicy": "policy"})
"""What is called otherwise in the older group ``dm``."""
GROUPS = ("groups", "channels", "rooms")
"""Where groups may stand."""
_ALSO_BEFORE_IDS = MappingProxyType(
    {
        "telegram": ("tg",),
        "discord": ("user",),
        "slack": ("user",),
        "mattermost": ("user",),
        "signal": ("uuid",),
    }
)
"""What the reference has before ids, besides the channel's own name."""


class Admission(StrEnum):
    """What a sender is here."""

    YES = "yes"
    STRANGER = "stranger"
    """Not known; a direct message from one may begin a pairing."""
    CLOSED = "closed"
    """This place is not answered at all, whoever writes."""


@dataclass(frozen=True)
class GroupRules:
    """Of one group, or of all (``*``); None where nothing is set for it."""

    enabled: bool = True
    require_mention: bool | None = None
    allow_from: tuple[str, ...] | None = None


@dataclass(frozen=True)
class AccessRules:
    """Of one account of a channel.

    Attributes:
        allow_from: ids that may write directly; ``*`` for anybody, which only the policy ``open``
            heeds.
        group_allow_from: ids that may be answered in groups; None for those of `allow_from`.
        groups: by id, with ``*`` for all others; None when any group will do.
        guilds: the rooms of servers, by the server's id and the room's, with ``*`` for all others
            of either; None where the settings name none. They speak for messages of a server,
            unless `groups` names the very room.
        paired: ids that the owner has let in.
    """

    dm_policy: str = "pairing"
    allow_from: tuple[str, ...] = ()
    group_policy: str = "allowlist"
    group_allow_from: tuple[str, ...] | None = None
    groups: Mapping[str, GroupRules] | None = None
    paired: frozenset[str] = field(default_factory=frozenset)
    guilds: Mapping[str, Mapping[str, GroupRules]] | None = None

    def group(self, envelope: Envelope) -> GroupRules | None:
        """The rules of the group it was written in; None when that is not among those that are
        answered."""
        peer, guild = envelope.peer.id if envelope.peer else "", envelope.guild_id
        if guild and self.guilds is not None and peer not in (self.groups or ()):
            rooms = self.guilds.get(guild, self.guilds.get(ANYBODY))
            return None if rooms is None else _of(rooms, peer)
        return GroupRules() if self.groups is None else _of(self.groups, peer)


def _over(own: GroupRules, everywhere: GroupRules) -> GroupRules:
    """What is set for one group, and for the rest what is set for all."""
    mention = own.require_mention
    return GroupRules(
        own.enabled,
        everywhere.require_mention if mention is None else mention,
        everywhere.allow_from if own.allow_from is None else own.allow_from,
    )


def _of(groups: Mapping[str, GroupRules], peer: str) -> GroupRules | None:
    everywhere, own = groups.get(ANYBODY), groups.get(peer)
    if own is None or everywhere is None:
        return own or everywhere
    return _over(own, everywhere)


def access_rules(
    channel: JsonObject,
    account: str = DEFAULT_ACCOUNT,
    paired: frozenset[str] = frozenset(),
    *,
    name: str = "",
) -> AccessRules:
    """The rules in a channel's settings; those of its account come before those of all.

    A policy that is none counts as ``disabled``, anything else that cannot be right as not set:
    both are strict. `name` is the channel's id, for ids that are written with it.
    """
    ids = _Ids(name)
    accounts = channel.get("accounts")
    own = accounts.get(account) if isinstance(accounts, Mapping) else None
    layers = [layer for layer in (own, channel) if isinstance(layer, Mapping)]
    groups, guilds = _rooms(layers), _found(layers, "guilds")
    dm_policy = _choice(layers, "dmPolicy", _DM_POLICIES)
    group_policy = _choice(layers, "groupPolicy", _GROUP_POLICIES)
    if _found(layers, "allowlistOnly") is True:  # Matrix: nobody but those on the lists
        dm_policy = dm_policy if dm_policy == "disabled" else "allowlist"
        group_policy = group_policy if group_policy == "disabled" else "allowlist"
    if _found(layers, "", "enabled") is False:
        dm_policy = "disabled"
    return AccessRules(
        dm_policy=dm_policy,
        allow_from=ids(_found(layers, "allowFrom", "allowFrom")) or (),
        group_policy=group_policy,
        group_allow_from=ids(_found(layers, "groupAllowFrom")),
        groups=_groups(groups, ids) if isinstance(groups, Mapping) else None,
        paired=paired,
        guilds=_guilds(guilds, ids) if isinstance(guilds, Mapping) else None,
    )


def _rooms(layers: Sequence[Mapping[str, JsonValue]]) -> JsonValue:
    """The groups, or what the reference calls them on Slack (``channels``) and once called them on
    Matrix (``rooms``); both are lists of names on other channels."""
    named = (_found(layers, name) for name in GROUPS)
    return next((one for one in named if isinstance(one, Mapping)), None)


def wrong_policies(settings: JsonObject) -> Mapping[str, tuple[str, ...]]:
    """Policies in one account's settings that are none, and so let nobody in; each with what may
    be written instead."""
    layers = [settings]
    among = {"dmPolicy": _DM_POLICIES, "groupPolicy": _GROUP_POLICIES}
    found = {name: _found(layers, name, _IN_DM.get(name, "")) for name in among}
    return {
        name: among[name]
        for name, value in found.items()
        if value is not None and value not in among[name]
    }


def admitted(envelope: Envelope, rules: AccessRules) -> Admission:
    """Whether the sender is heard at all where the message was written."""
    if not envelope.sender.id.strip():
        return Admission.CLOSED  # nobody can be let in under no id
    if _is_direct(envelope):
        return _direct(envelope.sender.id, rules)
    group = rules.group(envelope)
    if rules.group_policy == "disabled" or group is None or not group.enabled:
        return Admission.CLOSED
    if rules.group_policy == "open" and group.allow_from is None:
        return Admission.YES
    listed = _listed(envelope.sender.id, _group_list(rules, group))
    return Admission.YES if listed else Admission.CLOSED


def may_command(envelope: Envelope, rules: AccessRules, *, use_access_groups: bool) -> bool:
    """Whether the sender, once admitted, may use commands: a list must name them, when lists are
    asked for at all."""
    if not use_access_groups:
        return True
    sender = envelope.sender.id.strip()
    if not sender:
        return False
    if _is_direct(envelope):
        return sender in rules.paired or _listed(sender, rules.allow_from)
    group = rules.group(envelope)
    return group is not None and _listed(sender, _group_list(rules, group))


def is_named(envelope: Envelope, rules: AccessRules) -> bool:
    """Whether the owner has let the sender in by their id, and not as one of everybody."""
    sender = envelope.sender.id.strip()
    if not sender:
        return False
    group = None if _is_direct(envelope) else rules.group(envelope)
    listed = rules.allow_from if group is None else _group_list(rules, group)
    return sender in rules.paired or sender in listed


def _direct(sender: str, rules: AccessRules) -> Admission:
    match rules.dm_policy:
        case "disabled":
            return Admission.CLOSED
        case "open":
            known = _listed(sender, rules.allow_from)
        case _:
            named = tuple(one for one in rules.allow_from if one != ANYBODY)
            known = sender in rules.paired or _listed(sender, named)
    return Admission.YES if known else Admission.STRANGER


def _is_direct(envelope: Envelope) -> bool:
    return envelope.peer is None or envelope.peer.kind is PeerKind.DM


def _group_list(rules: AccessRules, group: GroupRules) -> tuple[str, ...]:
    if group.allow_from is not None:
        return group.allow_from
    return rules.allow_from if rules.group_allow_from is None else rules.group_allow_from


def _listed(sender: str, ids: Sequence[str]) -> bool:
    return ANYBODY in ids or sender.strip() in ids


def _found(layers: Sequence[Mapping[str, JsonValue]], name: str, in_dm: str = "") -> JsonValue:
    """The first layer's value of `name`, or of `in_dm` in its older group ``dm``."""
    for layer in layers:
        if name in layer:
            return layer[name]
        direct = layer.get("dm")
        if in_dm and isinstance(direct, Mapping) and in_dm in direct:
            return direct[in_dm]
    return None


def _choice(layers: Sequence[Mapping[str, JsonValue]], name: str, among: tuple[str, ...]) -> str:
    """The policy of that name; the usual one where none is set, and none at all where what is set
    is no policy: nobody is let in by a slip of the pen."""
    found = _found(layers, name, _IN_DM.get(name, ""))
    if found is None:
        return among[0]
    return found if isinstance(found, str) and found in among else "disabled"


@dataclass(frozen=True)
class _Ids:
    """Reads lists of ids on one channel."""

    channel: str

    def __call__(self, value: JsonValue) -> tuple[str, ...] | None:
        """Ids as text; numbers too, as people write them without quotes. None for no list."""
        if not isinstance(value, Sequence) or isinstance(value, str):
            return None
        return tuple(
            self._bare(str(one).strip())
            for one in value
            if isinstance(one, str | int) and not isinstance(one, bool) and str(one).strip()
        )

    def _bare(self, written: str) -> str:
        before, colon, bare = written.partition(":")
        known = (self.channel, *_ALSO_BEFORE_IDS.get(self.channel, ()))
        return bare.strip() if colon and bare.strip() and before.lower() in known else written


def _groups(value: Mapping[str, JsonValue], ids: _Ids) -> Mapping[str, GroupRules]:
    found = {key: _group(one, ids) for key, one in value.items() if isinstance(one, Mapping)}
    return MappingProxyType(found)


def _guilds(value: Mapping[str, JsonValue], ids: _Ids) -> Mapping[str, Mapping[str, GroupRules]]:
    """Rooms by server; one whose rooms are not named is answered in all of them."""
    found = {}
    for guild, whole in value.items():
        if isinstance(whole, Mapping):
            rooms = whole.get("channels") or {ANYBODY: {}}
            named = _groups(rooms, ids) if isinstance(rooms, Mapping) else {}
            base = _group(whole, ids)
            ours = {k: _over(one, base) for k, one in named.items() if base.enabled}
            found[guild] = MappingProxyType(ours)
    return MappingProxyType(found)


def _group(value: Mapping[str, JsonValue], ids: _Ids) -> GroupRules:
    mention = value.get("requireMention")
    return GroupRules(
        enabled=value.get("enabled") is not False and value.get("allow") is not False,
        require_mention=mention if isinstance(mention, bool) else None,
        allow_from=ids(value.get("users" if "users" in value else "allowFrom")),
    )
