"""What an agent may do with conversations beside its own, and with helpers: the tools' port.

    started = await access.spawn(by, HelperTask("Compare the two offers.", label="offers"))
    answer = await access.send(by, run_id, "agent:main:work", "Is the draft done?", 30.0)

`by` is always the conversation whose run asks. What it may reach is decided behind this port: a
group or a contact sees nothing but itself and its helpers, and another agent's conversations only
where the settings open them. Every call is made on the event loop and may raise MoltbotError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.sdk.sessions import SessionLine


@dataclass(frozen=True)
class HelperTask:
    """What a helper shall do.

    Attributes:
        label: what it is called in lists; "" for the beginning of the task.
        agent: whose helper it is; "" for the agent that asks.
        model, thinking: "" for what holds for helpers.
        seconds: it is stopped after so long; 0 for the run's own limit.
        delete: put its conversation into the trash once its result is told.
        by_itself: no person has just asked for it.
    """

    task: str
    label: str = ""
    agent: str = ""
    model: str = ""
    thinking: str = ""
    seconds: int = 0
    delete: bool = False
    by_itself: bool = False


@dataclass(frozen=True)
class HelperStarted:
    """`note`: what of the wish could not be had, "" for nothing."""

    session: SessionKey
    run_id: RunId
    note: str = ""


@dataclass(frozen=True)
class SessionRow:
    """A conversation in a list.

    Attributes:
        kind: main, dm, group, channel, cron, subagent ...
        updated: ISO 8601 with offset, "" when not known.
        untrusted: others than the owner have written what is told of it here.
        lines: the last of what was said.
    """

    key: SessionKey
    kind: str
    title: str
    updated: str
    running: bool = False
    untrusted: bool = False
    lines: tuple[SessionLine, ...] = ()


@dataclass(frozen=True)
class SessionPart:
    """The end of a conversation, with the labels of what is in it."""

    key: SessionKey
    lines: tuple[SessionLine, ...]
    untrusted: bool
    private: bool


@dataclass(frozen=True)
class SessionAnswer:
    """What came of words to another conversation.

    Attributes:
        status: ok; accepted when nobody waits for the answer; timeout when it is told later;
            error when the run there failed, with the reason as `text`.
    """

    status: str
    run_id: RunId
    key: SessionKey
    text: str = ""
    untrusted: bool = False
    private: bool = False


class SessionAccess(Protocol):
    """See the module."""

    async def spawn(self, by: SessionKey, task: HelperTask) -> HelperStarted:
        """Start a helper; its result comes back as a notice, and `by` takes a turn to tell it."""
        ...

    async def listed(
        self, by: SessionKey, kinds: frozenset[str], limit: int, minutes: int, lines: int
    ) -> Sequence[SessionRow]:
        """Those that `by` may see, latest first.

        Args:
            kinds: only these; empty for all.
            minutes: only those used since then; 0 for all.
            lines: so many of the last messages of each.
        """
        ...

    async def history(
        self, by: SessionKey, session: str, limit: int, *, tools: bool
    ) -> SessionPart: ...

    async def send(
        self,
        by: SessionKey,
        run_id: RunId,
        session: str,
        message: str,
        seconds: float,
        agent: str = "",
    ) -> SessionAnswer:
        """Let the agent of another conversation answer `message`.

        Args:
            run_id: of the run that asks; one run may send a conversation a few messages only.
            session: a key, or the name that a person gave it.
            seconds: to wait for the answer; one that comes later is told as a notice.
            agent: whose conversation is meant by a name; "" for whoever's has it.
        """
        ...

    async def status(self, by: SessionKey, session: str, language: Language) -> str:
        """How a conversation stands, in words; "" as `session` is `by` itself."""
        ...
