"""The heartbeats of all agents: one `Pulse` each, which goes by the settings as they are now.

    beats = Heartbeats(schedule, around, news)
    beats.follow()          # at the start, and when the settings have changed
    beats.wake(AgentId("work"))
    await beats.close()

Every agent of the settings has one, so that whoever is asked to look does; by the clock look those
whom `Config.heartbeat_of` names. Each reads the HEARTBEAT.md of its own workspace, and what it
finds stands in its own main conversation.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path

from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.app.agent_plan import agent_ids
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.config.heartbeat import HeartbeatConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.schedule.heartbeat import HeartbeatRules
from moltbot_desktop.schedule.looks import Looks
from moltbot_desktop.schedule.news import NewNews, News
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.pulse import LastLook, Pulse, PulseParts
from moltbot_desktop.schedule.slots import zone
from moltbot_desktop.schedule.turns import Delivery, RunJob
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.keys import (
    KeyKind,
    job_key,
    main_session_key,
    parse_session_key,
    stored_session_key,
)
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain

HEARTBEAT_FILE = "HEARTBEAT.md"
_MOST_INSTRUCTIONS = 100_000
_TEXTS = Phrases(
    english={"heartbeat": "Heartbeat: {text}", "of": "Heartbeat of {agent}: {text}"},
    chinese={"heartbeat": "例行检查：{text}", "of": "{agent} 的例行检查：{text}"},
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeartbeatNeeds:
    """What heartbeats are made of.

    Attributes:
        settings: as they are now.
        default_agent: who looks when somebody asks for it and names nobody.
        workspace: of an agent.
        last: where the owner wrote last in a conversation of theirs, None for the window.
        busy: whether that conversation is being answered.
        elsewhere: whether another process looks; never both.
        able: whether the model reads more than one request; of an agent, and another one's name
            where the settings of its heartbeat give one.
        tell: brings the news that wait to the person.
        looked: hears what came of each look.
    """

    settings: Callable[[], Config]
    default_agent: AgentId
    notices: Notices
    news: News
    looks: Looks
    clock: Clock
    language: Language
    runner: RunJob
    workspace: Callable[[AgentId], Path]
    last: Callable[[SessionKey], Delivery | None]
    busy: Callable[[SessionKey], bool]
    elsewhere: Callable[[], bool]
    able: Callable[[AgentId, str], bool]
    tell: Callable[[], None]
    looked: Callable[[LastLook], None]


@dataclass(frozen=True)
class _Beating:
    pulse: Pulse
    task: asyncio.Task[None]


@dataclass
class Heartbeats:
    """Lives on the agent's event loop."""

    needs: HeartbeatNeeds
    _beating: dict[AgentId, _Beating] = field(default_factory=dict)

    def follow(self) -> None:
        """Begin those of agents that are new, end those of agents that went."""
        wanted = {*agent_ids(self.needs.settings()), self.needs.default_agent}
        for agent in self._beating.keys() - wanted:
            self._beating.pop(agent).task.cancel()
        for agent in sorted(wanted - self._beating.keys()):
            pulse = Pulse(_AgentPulse(self.needs, agent).parts())
            task = asyncio.get_running_loop().create_task(pulse.run(), name=f"heartbeat {agent}")
            self._beating[agent] = _Beating(pulse, task)

    def wake(self, agent: AgentId) -> None:
        """Let that agent look as soon as nothing else goes on."""
        if agent in self._beating:
            self._beating[agent].pulse.wake()

    async def close(self) -> None:
        tasks = [one.task for one in self._beating.values()]
        self._beating.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True)
class _AgentPulse:
    """What the heartbeat of one agent is made of."""

    needs: HeartbeatNeeds
    agent: AgentId

    def parts(self) -> PulseParts:
        needs, agent = self.needs, self.agent
        return PulseParts(
            agent_id=agent,
            key=job_key(agent, KeyKind.CRON, "heartbeat"),
            rules=lambda: _rules(needs.settings(), agent),
            zone=self._zone,
            last=lambda: needs.last(self._main()),
            runner=needs.runner,
            clock=needs.clock,
            new_id=lambda: uuid.uuid4().hex,
            instructions=lambda: _instructions(needs.workspace(agent) / HEARTBEAT_FILE),
            notices=lambda: needs.notices.calling(self._main()),
            answered=lambda through: needs.notices.answered(self._main(), through),
            busy=lambda: needs.busy(self._main()),
            elsewhere=needs.elsewhere,
            able=lambda: needs.able(agent, _settings(needs.settings(), agent).model or ""),
            on_battery=on_battery,
            told=lambda: needs.looks.told(agent),
            keep=lambda told: needs.looks.keep(agent, told),
            tell=self._tell,
            looked=needs.looked,
        )

    def _main(self) -> SessionKey:
        """The owner's conversation that it belongs to; never one that others hear."""
        named = _settings(self.needs.settings(), self.agent).session
        key = stored_session_key(named, self.agent)
        parsed = parse_session_key(key)
        own = parsed is not None and parsed.agent == self.agent
        owners = own and audience_of(key) is Audience.OWNER
        return key if owners else main_session_key(self.agent)

    def _zone(self) -> tzinfo:
        """Of the active hours. A name that is none costs the person nothing but the difference."""
        config, here = self.needs.settings(), self.needs.clock.now().tzinfo
        assert here is not None  # the clock promises it
        hours = _settings(config, self.agent).active_hours
        named = hours.timezone if hours is not None else "user"
        meant = {"user": config.agent.user_timezone or "", "local": ""}
        try:
            return zone(meant.get(named, named), here)
        except UserInputInvalid as error:
            _log.warning("the hours of the heartbeat: %s", error)
            return here

    def _tell(self, text: str, labels: Labels) -> None:
        needs, main = self.needs, self._main()
        needs.notices.add(NewNotice(main, f"Heartbeat: {text}", labels=labels))
        entry = needs.settings().agent_entry(self.agent)
        name = entry.name or entry.identity.name or self.agent
        own = self.agent == needs.default_agent
        said = _TEXTS.say("heartbeat" if own else "of", needs.language, agent=name, text=text)
        about = "heartbeat" if own else f"heartbeat {name}"
        needs.news.add(NewNews(main, about, said))
        needs.tell()


def _settings(config: Config, agent: AgentId) -> HeartbeatConfig:
    """Those of an agent; of one that looks only when it is asked, with no pause between."""
    return config.heartbeat_of(agent) or replace(config.agent.heartbeat, every_seconds=0.0)


def _rules(config: Config, agent: AgentId) -> HeartbeatRules:
    settings = _settings(config, agent)
    hours = settings.active_hours
    return HeartbeatRules(
        every_seconds=settings.every_seconds,
        configured=settings != HeartbeatConfig(),
        active=None if hours is None else (hours.start, hours.end),
        prompt=settings.prompt,
        ack_max_chars=settings.ack_max_chars,
        target=settings.target,
        to=settings.to or "",
        model=settings.model or "",
        include_reasoning=settings.include_reasoning,
    )


def _instructions(path: Path) -> str | None:
    """A file that cannot be read asks for nothing, and must not be asked about for ever."""
    try:
        return read_plain(path, MOST_STATE).decode("utf-8", "replace")[:_MOST_INSTRUCTIONS]
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("%s cannot be read: %s", path, error)
        return ""
