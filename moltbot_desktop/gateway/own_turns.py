"""Turns that nobody asked for: an agent tells what has come in meanwhile.

    turns = OwnTurns(front, listeners, new_id)
    turns.take(SessionKey("agent:main:main"))      # after a notice was left for it

The turn has no words, so that nothing of the program's stands where the owner's words do (rule
R9): the prompt ends with the notices, and the transcript has the answer. A run that is asked
meanwhile may tell them first; then this one has nothing to say, and asks no model.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.agent.queueing import QueueMode
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.sdk.models import PromptStyle
from moltbot_desktop.security.policy import Presence

_ROUTE = "program"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OwnTurns:
    """Lives on the agent's event loop."""

    front: FrontDesk
    listeners: Listeners
    new_id: Callable[[], str]

    def take(self, key: SessionKey) -> bool:
        """Let the agent of `key` tell its notices; False when it cannot, and they wait for the
        next prompt: in a conversation of others, where an answer would have to be sent, and with
        a model that reads no notices."""
        parts, info = self.front.parts, self.front.parts.model_info()
        if audience_of(key) is not Audience.OWNER:
            return False
        if info is None or info.style is PromptStyle.COMMAND:
            return False
        try:
            desk = parts.desks.of(key)
        except MoltbotError as error:
            _log.warning("%s cannot tell its notices: %s", key, error)
            return False
        shown = key == self.front.session.key
        accepted = AcceptedRun(
            RunId(self.new_id()),
            desk.session,
            "",
            parts.clock.now(),
            self.tell,
            parts.presence if shown else Presence.NOBODY,
            route=_ROUTE,
        )
        rules = self.front.queue_rules(key)
        if rules.mode is QueueMode.INTERRUPT:
            rules = replace(rules, mode=QueueMode.FOLLOWUP)
        desk.submit(accepted, replace(rules, cap=0))
        return True

    def tell(self, event: ClientEvent) -> None:
        """Windows show their own conversation; every other one is for whoever listens to all."""
        if isinstance(event, RunEvent) and event.session != self.front.session.key:
            self.listeners.aside(event)
        else:
            self.listeners.tell(event)
