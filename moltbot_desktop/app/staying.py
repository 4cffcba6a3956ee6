"""What only an assistant that stays has: channels, the schedule, and the doors for programs."""

from __future__ import annotations

import asyncio
from collections import ChainMap
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.app.agent_plan import model_name
from moltbot_desktop.app.channel_needs import ChannelNeeds
from moltbot_desktop.app.channel_probe import ChannelProbe
from moltbot_desktop.app.channel_receiving import changes_something
from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.app.channels import Channels
from moltbot_desktop.app.companions import LENT_EFFECTS
from moltbot_desktop.app.desk_parts import lane_limits
from moltbot_desktop.app.house import House
from moltbot_desktop.app.local_socket import Looks, SocketNeeds, open_local_socket
from moltbot_desktop.app.made import new_id
from moltbot_desktop.app.plugins import KeyringSecrets
from moltbot_desktop.app.schedule import (
    Surrounding,
    running_schedule,
    take_in_jobs_file,
)
from moltbot_desktop.app.web_server import open_web_server
from moltbot_desktop.app.web_setup import WEB_EFFECTS
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.last_place import last_place
from moltbot_desktop.gateway.news_desk import NewsDesk
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.session_desk import SessionParts
from moltbot_desktop.gateway.unattended import Post, UnattendedParts, UnattendedRuns
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import main_session_key


async def stay(stack: AsyncExitStack, house: House) -> None:
    """What only an assistant that stays has: channels, the schedule, and the local socket."""
    made = house.made
    needs = _channel_needs(house)
    channels = Channels(needs, made.hooks.bus, house.happenings)
    post = channels.post
    channels.on_open(partial(house.companions.channels_are_open, post))
    await channels.begin(stack)
    cron = made.live.config.cron
    for notice in take_in_jobs_file(made.schedule, made.paths, cron, made.options.language):
        house.listeners.tell(notice)
    looks = Looks()
    lanes = Lanes(made.clock, lane_limits(made.live.config))
    around = replace(
        _around_schedule(house, lanes, needs, post),
        looked=looks.looked,
        paused=lambda: made.standby.on,
    )
    running = await stack.enter_async_context(running_schedule(made.schedule, around))

    def follow() -> None:
        lanes.limit(lane_limits(made.live.config))
        running.follow()

    stack.callback(made.live.on_change(follow))
    made.standby.on_change(running.executor.wake)
    web = await open_web_server(stack, made, house.desk, house.listeners)
    await _open_socket(stack, house, needs, looks, post, web)


async def _open_socket(
    stack: AsyncExitStack, house: House, needs: ChannelNeeds, looks: Looks, post: Post, web: str
) -> None:
    made = house.made
    probe = ChannelProbe(
        lambda: made.live.config.raw,
        lambda: made.plugins.channels.known,
        needs.secret,
        made.options.language,
    )
    socket = await open_local_socket(
        stack,
        SocketNeeds(
            made=made,
            front=house.desk,
            listeners=house.listeners,
            approvals=house.approvals,
            looks=looks,
            memory=house.book.memory,
            workspace=house.book.workspace,
            channels=needs.states,
            probe=probe,
            post=post,
            web=web,
        ),
    )
    if socket is not None:
        socket.commands.on_call(
            lambda call: house.happenings.command(call, house.parts.desks.session_of(call.session))
        )


def _channel_needs(house: House) -> ChannelNeeds:
    made, parts, desk = house.made, house.parts, house.desk
    effects = {tool.spec.name: tool.spec.effect for tool in house.tools}
    return ChannelNeeds(
        paths=made.paths,
        settings=lambda: made.live.config,
        on_change=made.live.on_change,
        kinds=made.plugins.channels,
        secret=KeyringSecrets(made.paths.home, made.options.language),
        clock=made.clock,
        store=made.store,
        desks=parts.desks,
        ports=desk.ports,
        effects=ChainMap(
            {**WEB_EFFECTS, **LENT_EFFECTS, **effects},
            made.plugins.tools.effects,
        ),
        model_info=parts.model_info,
        one_request=parts.one_request,
        tell=desk.show,
        gate=ReplyGate(
            parts.approvals,
            parts.presence if parts.presence is Presence.PRESENT else Presence.NOBODY,
            lambda: desk.session.key,
            desk.show,
            made.options.language,
        ),
        states=ChannelStates(
            lambda: made.live.config.raw,
            made.options.language,
            lambda: made.plugins.channels.known,
        ),
        workspace=house.book.workspace,
        sealed=lambda: made.seal.closed,
        way=lambda channel: made.seal.way(Errand(Purpose.CHANNEL, channel)),
        in_thread=made.in_thread,
        new_id=new_id,
        language=made.options.language,
        standby=made.standby,
    )


def _around_schedule(house: House, lanes: Lanes, needs: ChannelNeeds, post: Post) -> Surrounding:
    """`lanes`: its own, because nobody else writes in the conversations of jobs."""
    made, book, desks = house.made, house.book, house.parts.desks

    def is_answered(key: SessionKey) -> bool:
        desk = desks.known(key)
        return desk is not None and desk.busy

    def able(agent: AgentId, named: str) -> bool:
        own = named or model_name(made.live.config.agent_entry(agent))
        return bool(own) or not made.brain.reads_one_request()

    runs = UnattendedRuns(
        UnattendedParts(
            store=made.store,
            shared=SessionParts(book, lanes, made.clock, _unheard, asyncio.to_thread),
            clock=made.clock,
            changes_something=lambda tool: changes_something(needs.effects, tool),
            leave_notice=made.schedule.leave_notice,
            post=post,
        )
    )
    return Surrounding(
        paths=made.paths,
        settings=lambda: made.live.config,
        clock=made.clock,
        language=made.options.language,
        workspace=lambda agent: book.workspace(main_session_key(agent)),
        runner=runs,
        tell=needs.tell,
        flush=NewsDesk(made.schedule.news, desks, needs.tell).flush,
        last=lambda key: last_place(made.store.settings(key), needs.channel),
        busy=is_answered,
        able=able,
    )


def _unheard(_message: AcceptedRun, _outcome: RunOutcome) -> None:
    """What a job was asked says nothing about its owner: memory does not learn from it."""
