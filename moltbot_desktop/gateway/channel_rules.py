"""What the settings say about a channel's message: how it is decided and how it queues. Pure.

    context = decision_context(config, settings, envelope, route, raw, switches, paired)
    rules = queue_rules(config, settings, directives.queue, "telegram", one_request=False)

What a message sets for itself comes before what is set for its conversation, that before what the
settings say of the channel, and that before what they say of all.
"""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.agent.queueing import QueueMode, QueueRules, drop_policy, queue_mode
from moltbot_desktop.agent.run_settings import RunSettings, of_conversation
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.access import access_rules
from moltbot_desktop.gateway.along import AlongRules
from moltbot_desktop.gateway.chunks import Break
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.options import QueueOptions
from moltbot_desktop.gateway.decisions import DecisionContext, sending_allowed
from moltbot_desktop.gateway.mentions import MentionMatcher, mention_matcher
from moltbot_desktop.gateway.reply_text import ReplyRules, reply_rules
from moltbot_desktop.gateway.routing import ResolvedRoute
from moltbot_desktop.gateway.streamed import BlockRules
from moltbot_desktop.sdk.channels import Envelope
from moltbot_desktop.sessions.reset import reset_channel, reset_kind
from moltbot_desktop.sessions.settings import SessionSettings

_ONE_AT_A_TIME = (QueueMode.COLLECT, QueueMode.STEER, QueueMode.STEER_BACKLOG)


def decision_context(
    config: Config,
    settings: SessionSettings,
    envelope: Envelope,
    route: ResolvedRoute,
    channel: JsonObject,
    switches: frozenset[str],
    paired: frozenset[str] = frozenset(),
) -> DecisionContext:
    """What `decisions.decide` has to know about a message.

    Args:
        settings: of the route's conversation.
        channel: the channel's own settings, as they are written.
        switches: hidden commands that are shown.
        paired: ids of those whom the owner has let in on the account.
    """
    username = _username(channel, envelope.account)
    return DecisionContext(
        reset_words=config.session.reset_triggers,
        switches=switches,
        access=access_rules(channel, envelope.account, paired, name=envelope.channel),
        use_access_groups=config.commands.use_access_groups,
        mentions=_mentions(config, route, username),
        activation=settings.activation,
        may_send=_may_send(config, settings, route.session_key),
        bot=username,
        owners=audience_of(route.session_key) is Audience.OWNER,
    )


def queue_rules(
    config: Config,
    settings: SessionSettings,
    inline: QueueOptions,
    channel: str,
    *,
    one_request: bool,
) -> QueueRules:
    """How a message queues.

    Args:
        inline: what the message sets for itself.
        one_request: the model reads one request and nothing else, so that several put together
            would be lost on it.
    """
    queue = config.messages.queue
    settings = Directives(queue=inline).applied_to(settings)
    chosen = (settings.queue_mode, queue.by_channel.get(channel, ""), queue.mode)
    mode = next((found for text in chosen if (found := queue_mode(text))), QueueMode.COLLECT)
    if one_request and mode in _ONE_AT_A_TIME:
        mode = QueueMode.FOLLOWUP
    usual = queue.debounce_ms_by_channel.get(channel, queue.debounce_ms)
    debounce = _first(settings.queue_debounce_ms, usual)
    drop = drop_policy(settings.queue_drop or queue.drop) or QueueRules().drop
    return QueueRules(mode, debounce / 1000, _first(settings.queue_cap, queue.cap), drop)


def desk_rules(settings: SessionSettings, inline: QueueOptions, *, one_request: bool) -> QueueRules:
    """How messages of the owner's own window and terminal queue: each is answered by itself, at
    once and however many there are, unless /queue says otherwise.

    Args:
        inline, one_request: as in `queue_rules`.
    """
    settings = Directives(queue=inline).applied_to(settings)
    mode = queue_mode(settings.queue_mode) or QueueMode.FOLLOWUP
    if one_request and mode in _ONE_AT_A_TIME:
        mode = QueueMode.FOLLOWUP
    drop = drop_policy(settings.queue_drop) or QueueRules().drop
    return QueueRules(
        mode, _first(settings.queue_debounce_ms) / 1000, settings.queue_cap or 0, drop
    )


def quiet_seconds(config: Config, channel: str) -> float:
    """How long a message waits for more of the same person."""
    inbound = config.messages.inbound
    return inbound.by_channel.get(channel, inbound.debounce_ms) / 1000


def along_rules(
    config: Config,
    settings: SessionSettings,
    own: RunSettings,
    channel: JsonObject,
    *,
    group: bool,
    edits: bool = False,
) -> AlongRules:
    """What is told on a channel while an answer is made.

    Args:
        settings: of the conversation.
        own: what the message sets for its own run.
        channel: the channel's own settings, as they are written.
        group: several hear it: they are told steps only where somebody has asked for them there,
            not because of what holds for all conversations.
        edits: the channel can change what it has sent; unless its `streamMode` is off, answers
            that are not sent in parts are then shown while they are written.
    """
    usual = RunSettings(verbose="" if group else config.agent.verbose_default)
    found = own.over(of_conversation(settings)).over(usual)
    thoughts = found.reasoning in ("on", "stream")
    blocks = block_rules(config.agent, channel)
    draft = edits and blocks is None and channel.get("streamMode") != "off"
    return AlongRules(found.verbose, thoughts, blocks, draft)


def block_rules(agent: AgentConfig, channel: JsonObject) -> BlockRules | None:
    """How a channel is sent long answers while they are written; None for as a whole.

    Args:
        channel: its own settings; `blockStreaming` stands over what holds for all channels, and
            a part is never longer than its `textChunkLimit`.
    """
    own = True if channel.get("streamMode") == "block" else channel.get("blockStreaming")
    if not (own if isinstance(own, bool) else agent.block_streaming_default == "on"):
        return None
    chunk, joined = agent.block_streaming_chunk, agent.block_streaming_coalesce
    wanted = max(chunk.max_chars, joined.min_chars or 0)
    limit = reply_rules(ReplyRules(limit=wanted), channel).limit
    most = min(chunk.max_chars, limit)
    join = min(joined.min_chars or 0, joined.max_chars or limit, limit)
    return BlockRules(
        min(chunk.min_chars, most),
        max(most, join),
        join,
        joined.idle_ms / 1000,
        Break(chunk.break_preference),
        at_end=agent.block_streaming_break == "message_end",
    )


def _first(*values: int | None) -> int:
    return next((value for value in values if value is not None), 0)


def _username(channel: JsonObject, account: str) -> str:
    """What the assistant is called on a channel whose settings say so, without "@"."""
    accounts = channel.get("accounts")
    own = accounts.get(account) if isinstance(accounts, Mapping) else None
    layers = [layer for layer in (own, channel) if isinstance(layer, Mapping)]
    names = [name for layer in layers if isinstance(name := layer.get("username"), str)]
    return next((name.strip().removeprefix("@") for name in names), "")


def _mentions(config: Config, route: ResolvedRoute, username: str) -> MentionMatcher:
    entry = config.agent_entry(route.agent)
    return mention_matcher(
        entry.group_chat.mention_patterns,
        config.messages.group_chat.mention_patterns,
        name=entry.identity.name,
        emoji=entry.identity.emoji,
        username=username,
    )


def _may_send(config: Config, settings: SessionSettings, key: SessionKey) -> bool:
    """`session.sendPolicy`, over which /send stands."""
    policy = config.session.send_policy
    kinds = {"dm": "direct"}
    kind, channel = reset_kind(key), reset_channel(key)
    rest = key.split(":", 2)[-1]

    def fits(prefix: str | None, of_channel: str | None, of_kind: str | None) -> bool:
        return (
            (prefix is None or rest.startswith(prefix) or key.startswith(prefix))
            and (of_channel is None or of_channel.strip().lower() == channel)
            and (of_kind is None or of_kind == kinds.get(kind, kind))
        )

    rules = tuple(
        (rule.action, fits(rule.match.key_prefix, rule.match.channel, rule.match.chat_type))
        for rule in policy.rules
    )
    return sending_allowed(chosen=settings.send_policy, default=policy.default, rules=rules)
