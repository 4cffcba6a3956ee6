"""What becomes of an incoming message: ignored, refused, a command of ours, or an agent's turn.

    match decide(message, context):
        case Ignore(reason): ...        # nothing is said; context.keeps_history: note it down
        case Deny(reason): ...          # a stranger, or a right that is missing
        case RunCommand(): ...          # answered without a model
        case AgentTurn(): ...           # text for the agent, and what was set for this message

Pure: everything that counts is in the two values. The order is the reference's: who may write,
whether it is a command, whether the assistant was meant at all, whether answers may be sent. A
command by somebody without the right is passed over in silence in a group and told in a chat of
two, and a directive by them stays part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.access import (
    AccessRules,
    Admission,
    admitted,
    may_command,
)
from moltbot_desktop.gateway.client import MAX_MESSAGE_CHARACTERS
from moltbot_desktop.gateway.commands.conversing import TRUST_WORDS, UNTRUST_WORDS
from moltbot_desktop.gateway.commands.detection import (
    MISTYPED,
    Typed,
    is_command_message,
    is_stop_word,
    may_hold_command,
    nearest,
    normalised,
    typed,
    unknown_slash_word,
)
from moltbot_desktop.gateway.commands.directives import (
    Directives,
    ModelKnown,
    directives_in,
    without_simple,
)
from moltbot_desktop.gateway.commands.further import Further, found_in
from moltbot_desktop.gateway.commands.registry import (
    COMMANDS,
    SIMPLE,
    Command,
    Who,
)
from moltbot_desktop.gateway.mentions import NOBODY, MentionMatcher
from moltbot_desktop.sdk.channels import DESKTOP, Envelope, PeerKind


class Reason(StrEnum):
    """Why a message was ignored or refused."""

    EMPTY = "empty"
    CLOSED = "closed"
    STRANGER = "stranger"
    NOT_ALLOWED = "not_allowed"
    NOT_MENTIONED = "not_mentioned"
    SENDING_OFF = "sending_off"


@dataclass(frozen=True)
class Ignore:
    """Nothing happens.

    Attributes:
        remember: the message belongs to what was said in the group meanwhile.
    """

    reason: Reason
    remember: bool = False


@dataclass(frozen=True)
class Deny:
    """Not done, and the sender may be told; `command` is the one they may not use, or ""."""

    reason: Reason
    command: str = ""


@dataclass(frozen=True)
class RunCommand:
    """A command.

    Attributes:
        name: of a command in the registry; "" for directives alone, `MISTYPED` for a slash word
            that is nearly one.
        rest: what stands behind the name; the word itself for `MISTYPED`.
        directives: what is set for the conversation.
    """

    name: str
    rest: str = ""
    who: Who = Who.OWNER
    directives: Directives = field(default_factory=Directives)


@dataclass(frozen=True)
class AgentTurn:
    """Words for the agent.

    Attributes:
        text: without directives and commands; empty only when the message is a file.
        directives: what is set for this message only.
        simple: commands that stood in it, to be answered before; they change nothing.
        trusted: the words are the owner's own.
    """

    text: str
    directives: Directives = field(default_factory=Directives)
    simple: tuple[str, ...] = ()
    trusted: bool = True


InboundDecision = Ignore | Deny | RunCommand | AgentTurn


@dataclass(frozen=True)
class DecisionContext:
    """What is known when a message comes.

    Attributes:
        switches: hidden commands that the settings show, for a slip of the fingers.
        access: of the channel's account; of no meaning for the owner's own channel.
        use_access_groups: commands need an allow list that names the sender.
        mentions: how the assistant is called in groups.
        activation: what /activation has set for the conversation; "" for nothing.
        may_send: answers may be sent there (`sending_allowed`).
        bot: the assistant's user name on the channel.
        model_known: whether a word names a model that can be chosen.
        owners: the conversation is the owner's own, which others may share but not steer.
        reset_words: what begins a message that is to start a conversation afresh, beside /new.
        further: commands of plugins and skills by name; they come before the table's own.
        commands_only: the model reads one request and would take a slash word for something else,
            so that an unknown one is said to be unknown.
    """

    switches: frozenset[str] = frozenset()
    access: AccessRules = field(default_factory=AccessRules)
    use_access_groups: bool = True
    mentions: MentionMatcher = NOBODY
    activation: str = ""
    may_send: bool = True
    bot: str = ""
    model_known: ModelKnown = field(default=lambda _: False)
    owners: bool = False
    reset_words: tuple[str, ...] = ()
    further: Mapping[str, Further] = field(default_factory=dict)
    commands_only: bool = False


def checked_message(text: str, *, alone: bool = True) -> str:
    """`text` without surrounding blanks.

    Args:
        alone: no file comes with it, so that there must be something in it.

    Raises:
        UserInputInvalid: empty, too long, or holding a NUL character.
    """
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise UserInputInvalid(
            f"This message has {len(text):,} characters; at most {MAX_MESSAGE_CHARACTERS:,} fit.",
            hint="Save it as a file in the workspace and ask me to read that file.",
        )
    if "\0" in text:
        raise UserInputInvalid(
            "This message holds a NUL character, which no text has.",
            hint="It looks like part of a binary file; send the text of it instead.",
        )
    stripped = text.strip()
    if alone and not stripped:
        raise UserInputInvalid("The message is empty.", hint="Type what you would like to know.")
    return stripped


def decide(envelope: Envelope, context: DecisionContext) -> InboundDecision:
    """What becomes of `envelope`."""
    text = envelope.text.strip()
    if not text and not (envelope.attachments or envelope.files):
        return Ignore(Reason.EMPTY)
    if envelope.channel == DESKTOP:
        return decide_text(text, Who.OWNER, context)
    match admitted(envelope, context.access):
        case Admission.CLOSED:
            return Ignore(Reason.CLOSED)
        case Admission.STRANGER:
            return Deny(Reason.STRANGER)
        case Admission.YES:
            pass
    allowed = may_command(envelope, context.access, use_access_groups=context.use_access_groups)
    in_group = envelope.peer is not None and envelope.peer.kind is not PeerKind.DM
    named = context.mentions.names(text, envelope.mentioned)
    spoken_to = named or not (in_group and _needs_mention(envelope, context))
    words = context.mentions.without(text) if in_group and named else text
    decision = decide_text(words, Who.CONTACT if allowed else None, context)
    if isinstance(decision, AgentTurn) and decision.text == words:
        decision = replace(decision, text=text)  # nothing was set: in its own words
    if isinstance(decision, RunCommand) and context.owners and decision.name not in SIMPLE:
        decision = Deny(Reason.NOT_ALLOWED, decision.name)
    if isinstance(decision, RunCommand):
        return decision  # somebody who may command it means it, named or not
    if isinstance(decision, Deny) and in_group:
        return Ignore(decision.reason)
    if not spoken_to:
        return Ignore(Reason.NOT_MENTIONED, remember=True)
    if isinstance(decision, AgentTurn) and not context.may_send:
        return Ignore(Reason.SENDING_OFF)
    return decision


_BANG = re.compile(r"[!！]\s*([^\s!！][^\n]*)")
"""`!ls` is `/bash ls` where that is switched on; "!!" and "!" alone are words."""


def decide_text(text: str, who: Who | None, context: DecisionContext) -> InboundDecision:
    """What becomes of words of somebody who is heard; `who` is None for one without commands.

    `text` is without blanks around it.
    """
    trusted = who is Who.OWNER
    if (added := found_in(text, context.further, context.bot)) is not None:
        one, rest = added
        if not one.everybody and (who is None or one.command.who > who):
            return Deny(Reason.NOT_ALLOWED, one.command.name)
        return RunCommand(one.command.name, rest, who or Who.CONTACT)
    if trusted and "bash" in context.switches and (line := _BANG.fullmatch(text)):
        return RunCommand("bash", line[1], who or Who.OWNER)
    found = typed(text, bot=context.bot) or _reset(text, context.reset_words)
    if (
        found is None
        and not is_command_message(text, bot=context.bot)
        and not may_hold_command(text)
    ):
        return AgentTurn(text, trusted=trusted)
    stops = found is None and is_stop_word(normalised(text, context.bot))
    if who is None:
        if stops or (found is not None and _is_all(found.command, text, context)):
            return Deny(Reason.NOT_ALLOWED, "stop" if found is None else found.command.name)
        return AgentTurn(text, trusted=False)
    if stops:
        return RunCommand("stop", who=who)
    if found is not None and not found.command.directive:
        if found.command.who > who:
            return Deny(Reason.NOT_ALLOWED, found.command.name)
        return RunCommand(found.command.name, found.rest, who)
    return _with_directives(text, who, context, trusted=trusted)


def _with_directives(
    text: str, who: Who, context: DecisionContext, *, trusted: bool
) -> InboundDecision:
    """Words that may set something, and may be nothing but that."""
    read = directives_in(text, context.model_known)
    forbidden = _forbidden(read.directives, who)
    if forbidden:
        refused = Deny(Reason.NOT_ALLOWED, forbidden)
        return AgentTurn(text, trusted=trusted) if read.text else refused
    if read.directives and not read.text:
        return RunCommand("", "", who, read.directives)
    alone = typed(text, bot=context.bot)
    if alone is not None and not read.directives and _is_question(alone.command, alone.rest):
        if alone.command.who > who:
            return Deny(Reason.NOT_ALLOWED, alone.command.name)
        return RunCommand(alone.command.name, alone.rest, who)
    words, simple = without_simple(read.text)
    if read.directives.status:
        simple = tuple(dict.fromkeys((*simple, "status")))
    if not words:
        return RunCommand(simple[0], "", who, read.directives)
    if words == text and nearest(words, context.switches, context.further):
        return RunCommand(MISTYPED, words, who)
    if (
        words == text
        and context.commands_only
        and (name := unknown_slash_word(words, context.further))
    ):
        return RunCommand(MISTYPED, name, who)
    return AgentTurn(words, read.directives, simple, trusted)


_ONLY_LOOKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"cron": ("", "list", "status"), "inbox": ("",)}
)
"""What may follow a command that is given by hand, and changes nothing."""


def by_hand(decision: InboundDecision) -> str:
    """The name of a command in `decision` that only the person's own hand gives, in the window or
    a terminal of its own; "" for none. A program that could ask, and then say yes or change what
    is asked about, would make every card worthless (policy R4, R5)."""
    if not isinstance(decision, RunCommand | AgentTurn):
        return ""
    usual = Directives()
    set_here = {
        "elevated": decision.directives.elevated != usual.elevated,
        "exec": decision.directives.exec != usual.exec,
    }
    if name := next((name for name, on in set_here.items() if on), ""):
        return name
    if not isinstance(decision, RunCommand) or decision.name not in COMMANDS:
        return ""
    if decision.name == "skill":
        first = decision.rest.partition(" ")[0].casefold()
        if first in TRUST_WORDS | UNTRUST_WORDS:
            return "skill trust" if first in TRUST_WORDS else "skill untrust"
    looks = decision.rest.casefold() in _ONLY_LOOKS.get(decision.name, ())
    return decision.name if COMMANDS[decision.name].by_hand and not looks else ""


def sending_allowed(*, chosen: str, default: str, rules: tuple[tuple[str, bool], ...] = ()) -> bool:
    """Whether answers may be sent to a conversation.

    Args:
        chosen: what /send has set, ``allow`` or ``deny``, "" for nothing; it comes first.
        default: ``allow`` or ``deny``, when no rule fits.
        rules: the action of each rule of the settings and whether it fits; one ``deny`` that fits
            outweighs every ``allow``.
    """
    if chosen in ("allow", "deny"):
        return chosen == "allow"
    actions = {action for action, fits in rules if fits}
    if "deny" in actions:
        return False
    return "allow" in actions or default != "deny"


def _reset(text: str, words: tuple[str, ...]) -> Typed | None:
    """/new, for a message that begins with one of `words`; what stands behind it is kept."""
    for word in filter(None, (one.strip() for one in words)):
        rest = text[len(word) :]
        if text[: len(word)].casefold() == word.casefold() and rest[:1].strip() == "":
            return Typed(COMMANDS["new"], rest.strip())
    return None


def _needs_mention(envelope: Envelope, context: DecisionContext) -> bool:
    if context.activation:
        return context.activation != "always"
    group = context.access.group(envelope)
    return group is None or group.require_mention is not False


def _is_all(command: Command, text: str, context: DecisionContext) -> bool:
    """Whether a message is nothing but a command."""
    return not command.directive or not directives_in(text, context.model_known).text


def _is_question(command: Command, rest: str) -> bool:
    """Whether a directive without a usable level was meant as a command all the same: /think,
    /think banana, /queue fast cap:many; but not a sentence that begins with its name."""
    words = rest.split()
    if command.name in ("exec", "queue"):
        return len(words) <= 1 or any("=" in word or ":" in word for word in words)
    return len(words) <= 1


def _forbidden(directives: Directives, who: Who) -> str:
    """The name of a directive that `who` may not use, or ""."""
    used = {
        "elevated": bool(directives.elevated),
        "exec": directives.exec != Directives().exec,
        "model": bool(directives.model),
    }
    return next((name for name, on in used.items() if on and COMMANDS[name].who > who), "")
