"""One line about what an answer cost, for whoever asked for it with /usage.

    usage_line(outcome, "full", Language.ENGLISH)
    # "Tokens: 812 read (700 of them known), 45 written, in 3.2 s."

A model on this computer costs nothing, and of a remote one nobody here knows the price, so
``cost`` tells the tokens that are paid for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, Notice, NoticeKind
from moltbot_desktop.sdk.channels import DESKTOP
from moltbot_desktop.sessions.settings import SessionSettings

_PHRASES = Phrases(
    english={
        "tokens": "Tokens: {read} read, {written} written.",
        "full": "Tokens: {read} read ({known} of them known), {written} written, in {seconds} s.",
    },
    chinese={
        "tokens": "词元：读 {read}，写 {written}。",
        "full": "词元：读 {read}（其中 {known} 个已知），写 {written}，用时 {seconds} 秒。",
    },
)


def usage_line(outcome: RunOutcome, mode: str, language: Language) -> str:
    """The line, "" for ``off``, for what is not set, and for an answer without a model.

    Args:
        mode: what /usage has set for the conversation.
    """
    usage = outcome.usage
    if mode in ("", "off") or not usage.prompt_tokens + usage.completion_tokens:
        return ""
    return _PHRASES.say(
        "full" if mode == "full" else "tokens",
        language,
        read=usage.prompt_tokens,
        known=usage.cached_tokens,
        written=usage.completion_tokens,
        seconds=f"{outcome.seconds:.1f}",
    )


@dataclass(frozen=True)
class UsageTeller:
    """Tells it after each answer, where a conversation is set to.

        desks.on_end(UsageTeller(store.settings, tell).ended)        # windows: a notice
        teller.told(message, outcome)                                # channels: below the answer

    Attributes:
        settings: of a conversation; may raise MoltbotError, and nothing is told then.
    """

    settings: Callable[[SessionKey], SessionSettings]
    tell: Callable[[ClientEvent], None]

    def ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        """A message has ended; what came over a channel is told there."""
        if message.channel == DESKTOP and (line := self._line(message, outcome)):
            self.tell(Notice(line, kind=NoticeKind.CONVERSATION))

    def told(self, message: AcceptedRun, outcome: RunOutcome) -> RunOutcome:
        """`outcome` with the line below its answer."""
        line = self._line(message, outcome) if outcome.text else ""
        return replace(outcome, text=f"{outcome.text}\n\n{line}") if line else outcome

    def _line(self, message: AcceptedRun, outcome: RunOutcome) -> str:
        try:
            mode = self.settings(message.session.key).usage
        except MoltbotError:
            return ""
        return usage_line(outcome, mode, language_of(message.text))
