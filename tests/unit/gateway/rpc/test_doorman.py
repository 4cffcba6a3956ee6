"""What a program may have done: a yes comes from the window alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from moltbot_desktop.core.errors import PolicyDenied
from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved, RunEvent
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.rpc.doorman import Doorman
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence

MAIN = SessionKey("agent:main:main")


@dataclass
class Window:
    """Answers each card in the moment it is shown; None leaves it there."""

    answer: bool | None
    approvals: Approvals = field(default_factory=lambda: Approvals(lambda: "card-1"))
    told: list[RunEvent] = field(default_factory=list)

    def tell(self, event: RunEvent) -> None:
        self.told.append(event)
        if isinstance(event, ApprovalRequested) and self.answer is not None:
            self.approvals.answer(event.approval_id, allow=self.answer)

    def ask(self, effect: Effect, presence: Presence = Presence.PRESENT) -> None:
        door = Doorman(self.approvals, presence, lambda: MAIN, self.tell, Language.ENGLISH)

        async def asked() -> None:
            async with asyncio.timeout(0.05 if self.answer is None else 5):
                await door.ask("cron.add", {"name": "Brief"}, effect)

        asyncio.run(asked())


def test_a_yes_in_the_window_lets_it_be_done() -> None:
    window = Window(answer=True)
    window.ask(Effect.SCHEDULE_WRITE)
    shown, resolved = window.told
    assert isinstance(shown, ApprovalRequested)
    assert (shown.session, shown.tool, shown.arguments) == (MAIN, "cron.add", {"name": "Brief"})
    assert shown.title == "add a scheduled job (a program on this computer asks)"
    assert isinstance(resolved, ApprovalResolved)
    assert (resolved.allowed, resolved.by) == (True, "owner")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    "method", ["cron.add", "cron.update", "cron.remove", "cron.run", "wake", "system-event", "send"]
)
def test_every_card_says_what_is_asked(method: str, language: Language) -> None:
    window = Window(answer=True)
    door = Doorman(window.approvals, Presence.PRESENT, lambda: MAIN, window.tell, language)
    asyncio.run(door.ask(method, {}, Effect.SCHEDULE_WRITE))
    (shown, _) = window.told
    assert isinstance(shown, ApprovalRequested)
    assert len(shown.title) > len(method)


def test_a_no_is_a_no() -> None:
    with pytest.raises(PolicyDenied, match="did not say yes"):
        Window(answer=False).ask(Effect.SCHEDULE_WRITE)


@pytest.mark.parametrize("presence", [Presence.NOBODY, Presence.SCRIPT])
def test_where_nobody_is_no_card_is_made(presence: Presence) -> None:
    window = Window(answer=True)
    with pytest.raises(PolicyDenied, match="nobody is there"):
        window.ask(Effect.SCHEDULE_WRITE, presence)
    assert not window.told


def test_what_needs_no_yes_asks_nobody() -> None:
    window = Window(answer=None)
    window.ask(Effect.SCHEDULE_READ)
    assert not window.told


def test_a_card_goes_when_the_one_who_asked_is_gone() -> None:
    window = Window(answer=None)
    with pytest.raises(TimeoutError):
        window.ask(Effect.SCHEDULE_WRITE)
    assert isinstance(window.told[-1], ApprovalResolved)
    assert not window.approvals.waiting()
