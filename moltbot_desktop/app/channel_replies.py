"""What goes out over channels: answers in the form and the pieces that each of them takes.

    replies = ChannelReplies(needs)
    replies.answer("It is done.", envelope)        # with its prefix, tied to the message
    replies.aside("🧩 read: plan.md", envelope)     # what is told along the way

`OwnPost` sends what answers no message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.agent.run_settings import of_conversation
from moltbot_desktop.app.channel_needs import ChannelNeeds
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.outgoing_files import OutgoingFiles, behind
from moltbot_desktop.gateway.reply_text import (
    ReplyRules,
    ReplyTo,
    filled_in,
    messages,
    reply_rules,
)
from moltbot_desktop.gateway.routing import resolve_routes, route_input, routing_rules
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Sender,
)
from moltbot_desktop.security.places import Surroundings

_PIPE_CHARACTERS = 100_000


@dataclass(frozen=True)
class ChannelReplies:
    """Asks the settings of the moment."""

    needs: ChannelNeeds

    def answer(self, text: str, envelope: Envelope) -> tuple[OutboundMessage, ...]:
        needs = self.needs
        usual = replace(self._usual(envelope.channel), prefix=self._prefix(envelope))
        return messages(text, envelope, reply_rules(usual, needs.channel(envelope.channel)))

    def aside(self, text: str, envelope: Envelope) -> tuple[OutboundMessage, ...]:
        """What is told beside an answer or goes on with it: without its prefix, and not the
        first."""
        usual = self._usual(envelope.channel)
        rules = reply_rules(usual, self.needs.channel(envelope.channel))
        if rules.reply_to is ReplyTo.FIRST:
            rules = replace(rules, reply_to=ReplyTo.OFF)
        return messages(text, envelope, rules)

    def _usual(self, channel: str) -> ReplyRules:
        """What a channel takes. What a pipe's script reads is one line for each, so a part may be
        long."""
        can = self.needs.capabilities(channel)
        if can is None:
            return ReplyRules(_PIPE_CHARACTERS, reply_to=ReplyTo.ALL)
        return ReplyRules(can.text_limit, reply_to=ReplyTo.ALL, unit=can.unit)

    def _prefix(self, envelope: Envelope) -> str:
        """`messages.responsePrefix`, filled in for the agent and the conversation that answer."""
        needs, config = self.needs, self.needs.config
        template = config.messages.response_prefix
        if not template:
            return ""
        route = resolve_routes(routing_rules(config), route_input(envelope)).routes[0]
        kept = of_conversation(needs.store.settings(route.session_key))
        info = needs.model_info()
        whole = kept.other_model or (info.name if info else "")
        provider, _, model = whole.rpartition("/")
        entry = config.agent_entry(route.agent)
        values = {
            "model": model,
            "modelfull": whole,
            "provider": provider.partition("/")[0] or ("local" if whole else ""),
            "thinkinglevel": kept.think or config.agent.thinking_default or "",
            "identity.name": entry.identity.name or entry.name,
        }
        return filled_in(template, values)


@dataclass(frozen=True)
class OwnPost:
    """`gateway.unattended.Post`: sends what answers no message. It is there before a channel is;
    until one runs, it refuses.

    Attributes:
        mail: None while no channel was open yet.
    """

    needs: ChannelNeeds
    mail: Callable[[], MailDesk | None]

    async def __call__(
        self,
        run_id: RunId,
        target: DeliveryTarget,
        text: str,
        files: tuple[Attachment, ...] = (),
    ) -> None:
        mail = self.mail()
        if mail is None or (target.channel, target.account) not in self.needs.states.running:
            raise ChannelRefused(
                f"The channel “{target.channel[:40]}” is not set up here.",
                hint="Add it under channels in moltbot.json.",
            )
        nobody = Envelope(
            target.channel,
            "",
            Sender(""),
            "",
            self.needs.clock.now(),
            account=target.account,
            peer=target.peer,
            thread_id=target.thread_id,
        )
        words = ChannelReplies(self.needs).answer(text, nobody)
        await mail.finish(run_id, (*words, *behind(target, files)), handled=())


def outgoing_files(needs: ChannelNeeds) -> OutgoingFiles:
    """Copies of what is to be sent."""

    def most(channel: str) -> int | None:
        """A script at a pipe reads the file where it lies, however large."""
        can = needs.capabilities(channel)
        return None if can is None else can.media_out

    return OutgoingFiles(
        needs.paths.outgoing_files,
        lambda workspace: Surroundings(workspace, needs.paths.home, needs.paths.user_home),
        most,
        needs.in_thread,
        needs.new_id,
        needs.clock,
        needs.language,
    )
