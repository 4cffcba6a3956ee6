"""What is decided about messages that come in, each time with the settings of that moment.

parts = receiving_parts(needs, mail, commands, door)       # for `ChannelDesk`
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from moltbot_desktop.app.channel_needs import PHRASES, ChannelNeeds
from moltbot_desktop.app.channel_replies import ChannelReplies
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.access import AccessRules, access_rules
from moltbot_desktop.gateway.along import AlongRules
from moltbot_desktop.gateway.channel_desk import ChannelParts
from moltbot_desktop.gateway.channel_rules import (
    along_rules,
    decision_context,
    queue_rules,
    quiet_seconds,
)
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.decisions import InboundDecision, decide
from moltbot_desktop.gateway.happenings import Happenings
from moltbot_desktop.gateway.inbound_limits import InboundLimits, InboundRules
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import peer_text
from moltbot_desktop.gateway.mentions import LINES_PER_GROUP, shown_name
from moltbot_desktop.gateway.message_header import HeaderRules, message_header
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.gateway.pairing_desk import PairingDesk
from moltbot_desktop.gateway.pauses import pause_rules
from moltbot_desktop.gateway.routing import (
    ResolvedRoute,
    resolve_routes,
    route_input,
    routing_rules,
)
from moltbot_desktop.gateway.session_desks import DeskRuns
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope
from moltbot_desktop.sdk.tools import Effect

_ONLY_LOOK = frozenset(
    {
        *(Effect.NONE, Effect.MEMORY_READ, Effect.FILE_READ, Effect.FILE_FIND),
        *(Effect.REMINDER_READ, Effect.SCHEDULE_READ, Effect.WEB_READ, Effect.WEB_NAMED),
        *(Effect.BROWSER_LOOK, Effect.BROWSER_READ, Effect.BROWSER_OPEN),
        *(Effect.SESSION_READ, Effect.SCREENSHOT),
    }
)


def changes_something(effects: Mapping[str, Effect], tool: str) -> bool:
    """Whether that tool may leave the world different; the effect of each tool is in `effects`."""
    effect = effects.get(tool)
    return effect is not None and effect not in _ONLY_LOOK


def answered_commands(
    stack: AsyncExitStack, needs: ChannelNeeds, happenings: Happenings
) -> CommandDesk:
    """Answers what is a command; of each the hooks are told."""
    commands = CommandDesk(replace(needs.ports, runs=DeskRuns(needs.desks)))
    commands.on_call(lambda call: happenings.command(call, needs.desks.session_of(call.session)))
    stack.push_async_callback(commands.close)
    return commands


def opened_pairings(stack: AsyncExitStack, needs: ChannelNeeds) -> PairingBook:
    """Who was let in; a damaged book is told."""
    pairings = PairingBook(needs.paths.pairings_database, needs.clock)
    stack.callback(pairings.close)
    if pairings.set_aside is not None:
        told = PHRASES.say("pairings_lost", needs.language, path=pairings.set_aside)
        needs.tell(Notice(told, serious=True))
    return pairings


def receiving_parts(
    needs: ChannelNeeds, mail: MailDesk, commands: CommandDesk, door: PairingDesk
) -> ChannelParts:
    """Each decision about a message."""
    deciding, replies = _Deciding(needs, door.book), ChannelReplies(needs)
    limits = InboundLimits(needs.clock, deciding.flooded)
    return ChannelParts(
        mail=mail,
        desks=needs.desks,
        clock=needs.clock,
        admit=lambda one: limits.fitting(one, _inbound_rules(needs.config), deciding.access(one)),
        turned_away=lambda envelope: door.knocked(envelope, deciding.access(envelope)),
        routes=lambda envelope: resolve_routes(routing_rules(needs.config), route_input(envelope)),
        decide=deciding.decide,
        command=commands.start,
        queue_rules=lambda route, directives: queue_rules(
            needs.config,
            needs.store.settings(route.session_key),
            directives.queue,
            route.channel,
            one_request=needs.one_request(),
        ),
        reply=replies.answer,
        changes_something=lambda tool: changes_something(needs.effects, tool),
        tell=needs.tell,
        gate=needs.gate,
        history_lines=_history_lines(needs.config),
        remember=deciding.remember,
        along=deciding.along,
        aside=replies.aside,
        pause=lambda route: pause_rules(needs.config, route.agent),
        quiet=lambda envelope: quiet_seconds(needs.config, envelope.channel),
        before=deciding.before,
        quotes=lambda: not needs.one_request(),
        put_aside=needs.states.put_aside.update,
        later=lambda: needs.standby.on,
    )


@dataclass(frozen=True)
class _Deciding:
    """About one message."""

    needs: ChannelNeeds
    pairings: PairingBook

    def access(self, envelope: Envelope) -> AccessRules:
        paired = self.pairings.paired(envelope.channel, envelope.account)
        name = envelope.channel
        return access_rules(self.needs.channel(name), envelope.account, paired, name=name)

    def flooded(self, envelope: Envelope) -> None:
        slots = {"name": shown_name(envelope.sender), "channel": envelope.channel}
        hint = PHRASES.say("flood_hint", self.needs.language)
        self.needs.tell(Notice(PHRASES.say("flood", self.needs.language, **slots), hint))

    def decide(self, envelope: Envelope, route: ResolvedRoute) -> InboundDecision:
        needs = self.needs
        context = decision_context(
            needs.config,
            needs.store.settings(route.session_key),
            envelope,
            route,
            needs.channel(envelope.channel),
            needs.ports.switches(),
            self.pairings.paired(envelope.channel, envelope.account),
        )
        further = needs.ports.further
        if further is not None:
            context = replace(context, further=further.commands())
        return decide(envelope, context)

    def along(self, route: ResolvedRoute, own: Directives, group: bool) -> AlongRules:
        needs, can = self.needs, self.needs.capabilities(route.channel)
        return along_rules(
            needs.config,
            needs.store.settings(route.session_key),
            own.for_run,
            needs.channel(route.channel),
            group=group,
            edits=can is not None and can.edit is not None,
        )

    def before(self, envelope: Envelope, route: ResolvedRoute) -> tuple[str, str]:
        """A model that reads one request and nothing around it reads the bare words."""
        needs = self.needs
        if needs.one_request():
            return "", ""
        agent = needs.config.agent
        rules = HeaderRules(
            agent.envelope_timezone,
            agent.user_timezone or "",
            timestamp=agent.envelope_timestamp == "on",
            elapsed=agent.envelope_elapsed == "on",
        )
        used = needs.store.last_used(route.session_key)
        header = message_header(envelope, rules, None, used)
        return needs.config.messages.message_prefix or "", header

    def remember(self, key: SessionKey, place: DeliveryTarget) -> None:
        """Where a conversation was last written in, under the reference's names."""
        store = self.needs.store
        known = store.settings(key)
        channel, to, account, thread = now = (
            place.channel,
            peer_text(place.peer),
            place.account,
            place.thread_id,
        )
        if now != (known.last_channel, known.last_to, known.last_account_id, known.last_thread_id):
            store.change_settings(
                key,
                lambda old: replace(
                    old,
                    last_channel=channel,
                    last_to=to,
                    last_account_id=account,
                    last_thread_id=thread,
                ),
            )


def _history_lines(config: Config) -> int:
    lines = config.messages.group_chat.history_limit
    return LINES_PER_GROUP if lines is None else lines


def _inbound_rules(config: Config) -> InboundRules:
    inbound = config.messages.inbound
    return InboundRules(inbound.per_minute, inbound.characters)
