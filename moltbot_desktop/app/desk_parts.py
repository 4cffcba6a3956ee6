"""What the front desk is made of, and what the commands typed at it reach."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.app.agents import AgentBook
from moltbot_desktop.app.command_setup import Outside, agent_ports, command_ports
from moltbot_desktop.app.context_setup import ConversationContext
from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.image_setup import seeing_model
from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.app.model_titles import ModelTitles
from moltbot_desktop.app.modes import ModeSwitch
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.app.sessions_upkeep import over_by
from moltbot_desktop.app.settings_live import FileSettings
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.ports import AgentPorts
from moltbot_desktop.gateway.front_desk import DeskParts
from moltbot_desktop.gateway.pairing_book import contacts_in
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.undo_desk import UndoDesk
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import main_session_key


def lane_limits(config: Config) -> Mapping[Lane, int]:
    """How many runs go on at once, of each kind."""
    return {
        Lane.MAIN: config.agent.max_concurrent,
        Lane.CRON: config.cron.max_concurrent_runs,
        Lane.SUBAGENT: config.agent.subagents.max_concurrent,
    }


def desk_parts(made: Made, approvals: Approvals, book: AgentBook) -> DeskParts:
    """What the front desk answers with: conversations, their runs, and what commands reach."""
    key = main_session_key(made.plan.id)
    if made.options.key_suffix:
        key = SessionKey(f"agent:{made.plan.id}:{made.options.key_suffix}")
    lanes = Lanes(made.clock, lane_limits(made.live.config))
    desks = SessionDesks(
        made.store, book, lanes, made.clock, over_by(lambda: made.live.config), asyncio.to_thread
    )
    outside = _outside(made, approvals, book, desks)
    return DeskParts(
        runner=book,
        desks=desks,
        store=made.store,
        approvals=approvals,
        clock=made.clock,
        key=key,
        spare_key=SessionKey(f"{key}:thread:{new_id()}"),
        fresh=made.options.fresh,
        presence=made.options.presence,
        model_info=lambda: made.info,
        model_title=ModelTitles(made.setup).of,
        one_request=made.brain.reads_one_request,
        memory_status=lambda: made.answering.glance(made.options.language),
        inbox=made.inbox,
        in_thread=made.in_thread,
        find_again=lambda used: made.in_thread(lambda: made.memory.find_again(used)),
        forgetting=made.forgetter,
        pending_reminders=made.reminders.pending,
        may_read_along=lambda: made.live.config.models.type_ahead and not on_battery(),
        command_ports=lambda runs, memory: command_ports(outside, runs, memory),
        language=made.options.language,
        standby=made.standby if made.options.stays else None,
        model_loaded=lambda: made.brain.loaded,
        sees=lambda: seeing_model(made) is not None,
    )


def _outside(made: Made, approvals: Approvals, book: AgentBook, desks: SessionDesks) -> Outside:
    """What the commands of a conversation reach, with the memory and files of its agent."""

    def of_agent(key: SessionKey) -> AgentPorts | None:
        other = book.known(key)
        if other is None or other.memory_desk is None:
            return None
        home = other.made
        own = replace(
            outside,
            memory=home.answering,
            skills=home.skills,
            files=_undo_desk(home),
            model=home.model,
        )
        return agent_ports(own, other.memory_desk)

    file = SettingsFile(made.paths.home, os.environ, made.options.language)
    outside = Outside(
        brain=made.brain,
        setup=made.setup,
        memory=made.answering,
        store=made.store,
        reminders=made.reminders,
        jobs=made.schedule.book,
        approvals=approvals,
        clock=made.clock,
        in_thread=made.in_thread,
        skills=made.skills,
        files=_undo_desk(made),
        conversations=ConversationContext(book, desks.of),
        commands=lambda: made.live.config.commands,
        reset_words=lambda: made.live.config.session.reset_triggers,
        raw=lambda: made.live.config.raw,
        contacts=lambda: contacts_in(made.paths.pairings_database, made.clock),
        written=FileSettings(file),
        live=made.live,
        seal=made.seal,
        permissions=made.permissions,
        doctor=SecurityDoctor(
            made.paths, lambda: made.live.loaded, made.clock, made.options.language
        ).examine,
        modes=ModeSwitch(made.live, file, made.paths.home, made.options.language),
        by_hand=made.options.presence is Presence.PRESENT,
        model=made.model,
        of_agent=of_agent,
    )
    return outside


def _undo_desk(made: Made) -> UndoDesk:
    return UndoDesk(file_hands(made.paths, made.clock).book(made.workspace), made.in_thread)
