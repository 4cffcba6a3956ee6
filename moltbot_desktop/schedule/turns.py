"""What the schedule asks of the front desk: turns that nobody sits in front of.

ended = await runner.run_turn(JobTurn(run_id, "main", key, "What is on today?"))
await runner.deliver(run_id, Delivery("telegram", "42"), ended.outcome.text, ended)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.security.labels import Labels


@dataclass(frozen=True)
class Delivery:
    """Where an answer is sent.

    Attributes:
        to: whom on that channel, a group as ``group:42``.
        account: which of the channel's accounts sends it.
        best_effort: a run whose answer could not be sent has gone well all the same.
    """

    channel: str
    to: str = ""
    account: str = DEFAULT_ACCOUNT
    best_effort: bool = False


@dataclass(frozen=True)
class JobTurn:
    """A turn that nobody sits in front of.

    Attributes:
        run_id: the same for each attempt at one time of a job.
        attempt: 1, or more after the program died in the middle.
        text: the request, in the words of whoever made the job.
        about: what the agent should know besides, told as notices, one a line; "" for nothing.
        fresh: whether the conversation starts empty.
        model, thinking, timeout_seconds: "" and 0 for the agent's own.
        delivery: None to tell the window only.
        provenance: "" for the owner's words, else the mark that taints the run from its start.
    """

    run_id: RunId
    agent_id: str
    session_key: SessionKey
    text: str
    attempt: int = 1
    about: str = ""
    fresh: bool = False
    model: str = ""
    thinking: str = ""
    timeout_seconds: int = 0
    delivery: Delivery | None = None
    provenance: str = ""


@dataclass(frozen=True)
class TurnEnded:
    """How a turn ended.

    Attributes:
        labels: of the conversation it was made in; whatever goes on with its words inherits them.
        heard: what was said and found there, for an answer that may hold links.
        thinking: what the model thought before it answered; "" for nothing.
    """

    outcome: RunOutcome
    labels: Labels = field(default_factory=Labels)
    heard: tuple[str, ...] = ()
    thinking: str = ""


class RunJob(Protocol):
    """What the front desk does for the schedule."""

    async def run_turn(self, turn: JobTurn) -> TurnEnded:
        """Run it in the cron lane, unattended.

        Called again with the same `run_id` after a crash: a run that ended gives its stored
        outcome; one that was broken off is judged by the desk's own rule.

        Raises:
            MoltbotError: it could not be begun.
        """
        ...

    async def deliver(self, run_id: RunId, delivery: Delivery, text: str, ended: TurnEnded) -> None:
        """Hand `text`, of an answer, to its channel for good; said again for the same run it is
        sent once.

        Raises:
            PolicyDenied: words of others and of the owner may be in it.
            MoltbotError: it will not be sent.
        """
        ...
