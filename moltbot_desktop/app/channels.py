"""The channels of moltbot.json put together: mail book, desk, postman and the channels themselves.

    await open_channels(stack, ChannelNeeds(...))

Nothing of it is made while no channel is set up and no plugin brings one. Of several processes one
runs the channels: the one that was first at the mail book. From then on the accounts follow the
settings and the plugins (`channel_accounts`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.agent.run_settings import of_conversation
from moltbot_desktop.app.account_opener import AccountNeeds, AccountOpener
from moltbot_desktop.app.channel_accounts import (
    ChannelAccounts,
    Place,
    WantedAccount,
    is_online,
)
from moltbot_desktop.app.channel_kinds import PluginChannels, accounts_in
from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.app.mailing import open_mail, start_postman
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.channels.hosted import HostedChannel
from moltbot_desktop.channels.pipe import PipeAccount
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.gateway.access import AccessRules, access_rules
from moltbot_desktop.gateway.answer_files import AnswerFiles
from moltbot_desktop.gateway.channel_desk import ChannelDesk, ChannelParts
from moltbot_desktop.gateway.channel_rules import (
    along_rules,
    decision_context,
    queue_rules,
    quiet_seconds,
)
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandPorts
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.decisions import InboundDecision, decide
from moltbot_desktop.gateway.drafts import Drafts
from moltbot_desktop.gateway.happenings import Happenings
from moltbot_desktop.gateway.hooked_outgoing import hooked, hooked_edit
from moltbot_desktop.gateway.inbound_limits import InboundLimits, InboundRules
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.incoming_files import IncomingFiles
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import peer_text, target_text
from moltbot_desktop.gateway.mentions import LINES_PER_GROUP, shown_name
from moltbot_desktop.gateway.message_header import HeaderRules, message_header
from moltbot_desktop.gateway.outgoing_files import OutgoingFiles, behind
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.gateway.pairing_desk import PairingDesk
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.reply_text import (
    ReplyRules,
    ReplyTo,
    filled_in,
    messages,
    reply_rules,
)
from moltbot_desktop.gateway.routing import (
    ResolvedRoute,
    resolve_routes,
    route_input,
    routing_rules,
)
from moltbot_desktop.gateway.session_desks import DeskRuns, SessionDesks
from moltbot_desktop.gateway.signs import SignDesk, sign_rules
from moltbot_desktop.gateway.tool_outbox import OwnMessages
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.gateway.usage_line import UsageTeller
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.channel_abilities import ChannelActions
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Outgoing,
    Sender,
)
from moltbot_desktop.sdk.hooks import MessageSending
from moltbot_desktop.sdk.models import ModelInfo
from moltbot_desktop.sdk.plugin_values import ListedCommand
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.sessions.store import SessionStore

PHRASES = Phrases(
    english={
        "no_paths": "channels.pipe.accounts.{name} needs `in` and `out`, two paths.",
        "no_paths_hint": "It is left out until then.",
        "flood": "{name} writes very much by {channel}; not all of it is read.",
        "flood_hint": "Put the id into allowFrom to read all, or raise"
        " messages.inbound.maxPerMinute.",
        "late": "The channel is opened at the next start of Moltbot; further ones come at once.",
        "pairings_lost": "The list of those who may write to me on channels was damaged; a new one"
        " was begun, and they have to ask again. The old one is kept as {path}.",
        "other_process": "Another Moltbot Desktop runs the channels; this one leaves them to it.",
    },
    chinese={
        "no_paths": "channels.pipe.accounts.{name} 需要 `in` 和 `out` 两个路径。",
        "no_paths_hint": "补上之前不会启用。",
        "flood": "{name} 通过 {channel} 发得太多，没有全部读取。",
        "flood_hint": "把对方的 id 写进 allowFrom，或调大 messages.inbound.maxPerMinute。",
        "late": "这个渠道会在 Moltbot 下次启动时打开；之后再添加的会立即生效。",
        "pairings_lost": "允许通过渠道给我写消息的名单已损坏，已重新建立，对方需要重新申请。"
        "旧文件保存在 {path}。",
        "other_process": "另一个 Moltbot Desktop 正在运行各个渠道，这里不再运行。",
    },
)

_PIPE_CHARACTERS = 100_000
_ONLY_LOOK = frozenset(
    {
        *(Effect.NONE, Effect.MEMORY_READ, Effect.FILE_READ, Effect.FILE_FIND),
        *(Effect.REMINDER_READ, Effect.SCHEDULE_READ, Effect.WEB_READ, Effect.WEB_NAMED),
        *(Effect.BROWSER_LOOK, Effect.BROWSER_READ, Effect.BROWSER_OPEN),
        *(Effect.SESSION_READ, Effect.SCREENSHOT),
    }
)


@dataclass(frozen=True)
class ChannelNeeds:
    """What the channels are made of.

    Attributes:
        settings: as they are now.
        on_change: calls after each change of them; its answer ends that.
        kinds: the channels that plugins bring.
        secret: what ``keyring:NAME`` in the settings stands for; blocks, raises MoltbotError.
        effects: what each tool does to the world, by name.
        tell: anything that happens, for the windows.
        gate: judges answers on their way out.
        states: is told which of them run.
        sealed: whether nothing may leave this computer.
        way: out of it, for a channel.
        workspace: of the agent that a conversation belongs to.
    """

    paths: Paths
    settings: Callable[[], Config]
    on_change: Callable[[Callable[[], None]], Callable[[], None]]
    kinds: PluginChannels
    secret: Callable[[str], str]
    clock: Clock
    store: SessionStore
    desks: SessionDesks
    ports: CommandPorts
    effects: Mapping[str, Effect]
    model_info: Callable[[], ModelInfo | None]
    one_request: Callable[[], bool]
    tell: Callable[[ClientEvent], None]
    gate: ReplyGate
    states: ChannelStates
    workspace: Callable[[SessionKey], Path]
    sealed: Callable[[], bool]
    way: Callable[[str], Way]
    in_thread: InThread
    new_id: Callable[[], str]
    language: Language

    @property
    def config(self) -> Config:
        return self.settings()

    def channel(self, name: str) -> JsonObject:
        """The settings of a channel as they are written."""
        channels = self.config.raw.get("channels")
        found = channels.get(name) if isinstance(channels, Mapping) else None
        return found if isinstance(found, Mapping) else {}


async def open_channels(
    stack: AsyncExitStack, needs: ChannelNeeds, hooks: HookBus, happenings: Happenings
) -> Post | None:
    """Start what is set up; `stack` ends it. What comes and goes is told to extensions.

    Returns how to send something that answers no message; None while nothing is set up.

    Raises:
        StorageError: the mail book cannot be used.
    """
    if not _pipe_accounts(needs, needs.tell) and not needs.kinds.known:
        _say_when_one_comes(stack, needs)
        return None
    mail = await open_mail(
        stack, needs.paths.mail_database, needs.clock, needs.new_id, needs.tell, needs.language
    )
    if not mail.in_charge:
        needs.tell(Notice(PHRASES.say("other_process", needs.language)))
        return None
    commands = _commands(stack, needs, happenings)
    running = needs.states.running
    needs.states.waiting = mail.desk.waiting

    def actions(channel: str, account: str) -> ChannelActions | None:
        found = running.get((channel, account))
        return found if isinstance(found, HostedChannel) and is_online(found) else None

    async def is_free(target: DeliveryTarget) -> bool:
        waiting = target_text(target)
        return all(head.target != waiting for head in await mail.desk.heads())

    def for_drafts(channel: str, account: str) -> ChannelActions | None:
        # What an extension may still change or stop is not shown before it was asked.
        return None if hooks.listens(MessageSending) else actions(channel, account)

    needs.states.messages = OwnMessages(
        actions, mail.desk.own, mail.desk.heard, lambda found: hooked_edit(found, hooks)
    )
    out = OutgoingFiles(
        needs.paths.outgoing_files,
        lambda workspace: Surroundings(workspace, needs.paths.home, needs.paths.user_home),
        lambda channel: _media_out(needs, channel),
        needs.in_thread,
        needs.new_id,
        needs.clock,
        needs.language,
    )
    needs.states.keep = out.keep

    async def tidied() -> None:
        await out.tidy(await mail.desk.attached())

    drafts, signs = Drafts(for_drafts, is_free, mail.desk), SignDesk(actions)
    stack.callback(drafts.close)
    stack.callback(signs.close)
    pairings = PairingBook(needs.paths.pairings_database, needs.clock)
    stack.callback(pairings.close)
    if pairings.set_aside is not None:
        told = PHRASES.say("pairings_lost", needs.language, path=pairings.set_aside)
        needs.tell(Notice(told, serious=True))
    door = PairingDesk(
        pairings,
        mail.desk,
        lambda text, envelope: _aside(needs, text, envelope),
        needs.tell,
        needs.in_thread,
        needs.language,
    )
    parts = replace(
        _parts(needs, mail.desk, commands, door),
        drafts=drafts,
        files=IncomingFiles(
            actions,
            needs.workspace,
            lambda: int(needs.config.agent.media_max_mb * 1_000_000),
            needs.new_id,
            needs.in_thread,
            needs.clock,
        ),
        answer_files=AnswerFiles(out, needs.workspace, needs.gate),
        signs=lambda envelope, route: signs.of(
            envelope, sign_rules(needs.config, envelope, route.agent)
        ),
    )
    desk = ChannelDesk(parts)
    usage = UsageTeller(needs.store.settings, needs.tell)
    needs.desks.on_end(lambda message, end: desk.ended(message, usage.told(message, end)))
    desk.on_received(happenings.received)
    stack.push_async_callback(desk.close)

    def outgoing(channel: str, account: str) -> Outgoing | None:
        found = running.get((channel, account))
        return found if found is not None and is_online(found) else None

    postman = start_postman(
        stack,
        mail.desk,
        needs.clock,
        hooked(outgoing, hooks),
        needs.tell,
        needs.language,
        tidied,
    )
    await desk.recover()
    opener = AccountOpener(
        AccountNeeds(
            desk.receive,
            mail.desk.cursor,
            _problem_teller(needs),
            postman.wake,
            needs.clock,
            secret=needs.secret,
            sealed=needs.sealed,
            way=needs.way,
            commands=lambda: _listed(needs),
            language=needs.language,
        )
    )
    accounts = ChannelAccounts(running, lambda: _wanted(needs, opener))
    stack.push_async_callback(accounts.close)
    _keep_at(stack, door.run(), "pairing")
    await _follow(stack, needs, accounts)
    stack.callback(desk.begin_closing)
    postman.wake()
    return _post(needs, mail.desk)


def _say_when_one_comes(stack: AsyncExitStack, needs: ChannelNeeds) -> None:
    """The first channel of all needs a start of its own; that it waits is told once."""
    told: list[Notice] = []

    def changed() -> None:
        channels = needs.config.raw.get("channels")
        wanted = channels if isinstance(channels, Mapping) else {}
        if not told and (
            _pipe_accounts(needs, _nobody) or needs.kinds.known.keys() & wanted.keys()
        ):
            told.append(Notice(PHRASES.say("late", needs.language)))
            needs.tell(told[0])

    stack.callback(needs.kinds.on_change(changed))
    stack.callback(needs.on_change(changed))


async def _follow(stack: AsyncExitStack, needs: ChannelNeeds, accounts: ChannelAccounts) -> None:
    """Open what is wanted now, and again after each change of the settings or the plugins."""
    loop = asyncio.get_running_loop()
    following: set[asyncio.Task[None]] = set()

    def changed() -> None:
        task = loop.create_task(accounts.follow(), name="channels")
        following.add(task)
        task.add_done_callback(following.discard)

    async def ended() -> None:
        if following:
            await asyncio.wait(following)

    await accounts.follow()
    stack.push_async_callback(ended)
    stack.callback(needs.kinds.on_change(changed))
    stack.callback(needs.on_change(changed))


def _wanted(needs: ChannelNeeds, opener: AccountOpener) -> Mapping[Place, WantedAccount]:
    """What the settings want now and the plugins can give. What is wrong is told by `states`, and
    of a pipe at the start."""
    found = {(PIPE, one.name): opener.pipe(one) for one in _pipe_accounts(needs, _nobody)}
    channels = needs.config.raw.get("channels")
    for channel, section in (channels if isinstance(channels, Mapping) else {}).items():
        kind = needs.kinds.known.get(channel)
        if kind is not None:
            for account in accounts_in(channel, section):
                if account.enabled:
                    found[channel, account.name] = opener.hosted(kind, account)
    return found


def _nobody(_: ClientEvent) -> None:
    """Hears nothing."""


def _listed(needs: ChannelNeeds) -> list[ListedCommand]:
    """The commands of somebody who was let in, for the menus of platforms."""
    chinese = needs.language is Language.CHINESE
    return [
        ListedCommand(one.name, one.chinese if chinese else one.english)
        for one in needs.ports.listed(Who.CONTACT)
    ]


def _commands(stack: AsyncExitStack, needs: ChannelNeeds, happenings: Happenings) -> CommandDesk:
    """Answers what is a command; of each the hooks are told."""
    commands = CommandDesk(replace(needs.ports, runs=DeskRuns(needs.desks)))
    commands.on_call(lambda call: happenings.command(call, needs.desks.session_of(call.session)))
    stack.push_async_callback(commands.close)
    return commands


def _keep_at(stack: AsyncExitStack, work: Coroutine[None, None, None], name: str) -> None:
    """Do `work` beside all else; `stack` ends it."""
    task = asyncio.get_running_loop().create_task(work, name=name)

    async def ended() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(ended)


def _parts(
    needs: ChannelNeeds, mail: MailDesk, commands: CommandDesk, door: PairingDesk
) -> ChannelParts:
    """Each decision about a message, with the settings of the moment it is made in."""
    limits = InboundLimits(needs.clock, lambda envelope: _tell_of_flood(needs, envelope))

    def access(envelope: Envelope) -> AccessRules:
        paired = door.book.paired(envelope.channel, envelope.account)
        return access_rules(needs.channel(envelope.channel), envelope.account, paired)

    return ChannelParts(
        mail=mail,
        desks=needs.desks,
        clock=needs.clock,
        admit=lambda envelope: limits.fitting(
            envelope,
            _inbound_rules(needs.config),
            access(envelope),
        ),
        turned_away=lambda envelope: door.knocked(envelope, access(envelope)),
        routes=lambda envelope: resolve_routes(routing_rules(needs.config), route_input(envelope)),
        decide=lambda envelope, route: _decide(needs, door.book, envelope, route),
        command=commands.start,
        queue_rules=lambda route, directives: queue_rules(
            needs.config,
            needs.store.settings(route.session_key),
            directives.queue,
            route.channel,
            one_request=needs.one_request(),
        ),
        reply=lambda text, envelope: _reply(needs, text, envelope),
        changes_something=lambda tool: changes_something(needs.effects, tool),
        tell=needs.tell,
        gate=needs.gate,
        history_lines=_history_lines(needs.config),
        remember=lambda key, place: _remember(needs, key, place),
        along=lambda route, own, group: along_rules(
            needs.config,
            needs.store.settings(route.session_key),
            own.for_run,
            needs.channel(route.channel),
            group=group,
            edits=_edits(needs, route.channel),
        ),
        aside=lambda text, envelope: _aside(needs, text, envelope),
        quiet=lambda envelope: quiet_seconds(needs.config, envelope.channel),
        before=lambda envelope, route: _before(needs, envelope, route),
        put_aside=needs.states.put_aside.update,
    )


def _edits(needs: ChannelNeeds, channel: str) -> bool:
    kind = needs.kinds.known.get(channel)
    return kind is not None and kind.channel.capabilities.edit is not None


def _media_out(needs: ChannelNeeds, channel: str) -> int | None:
    """A script at a pipe reads the file where it lies, however large."""
    kind = needs.kinds.known.get(channel)
    return None if kind is None else kind.channel.capabilities.media_out


def _post(needs: ChannelNeeds, mail: MailDesk) -> Post:
    """How to send something that answers no message."""

    async def post(
        run_id: RunId, target: DeliveryTarget, text: str, files: tuple[Attachment, ...] = ()
    ) -> None:
        if (target.channel, target.account) not in needs.states.running:
            raise ChannelRefused(
                f"The channel “{target.channel[:40]}” is not set up here.",
                hint="Add it under channels in moltbot.json.",
            )
        nobody = Envelope(
            target.channel,
            "",
            Sender(""),
            "",
            needs.clock.now(),
            account=target.account,
            peer=target.peer,
            thread_id=target.thread_id,
        )
        words = _reply(needs, text, nobody)
        await mail.finish(run_id, (*words, *behind(target, files)), handled=())

    return post


def _decide(
    needs: ChannelNeeds, pairings: PairingBook, envelope: Envelope, route: ResolvedRoute
) -> InboundDecision:
    settings = needs.store.settings(route.session_key)
    channel = needs.channel(envelope.channel)
    switches = needs.ports.switches()
    paired = pairings.paired(envelope.channel, envelope.account)
    context = decision_context(needs.config, settings, envelope, route, channel, switches, paired)
    further = needs.ports.further
    if further is not None:
        context = replace(context, further=further.commands())
    return decide(envelope, context)


def _remember(needs: ChannelNeeds, key: SessionKey, place: DeliveryTarget) -> None:
    """Where a conversation was last written in, under the reference's names."""
    known = needs.store.settings(key)
    channel, to, account, thread = now = (
        place.channel,
        peer_text(place.peer),
        place.account,
        place.thread_id,
    )
    if now != (known.last_channel, known.last_to, known.last_account_id, known.last_thread_id):
        needs.store.change_settings(
            key,
            lambda old: replace(
                old,
                last_channel=channel,
                last_to=to,
                last_account_id=account,
                last_thread_id=thread,
            ),
        )


def _history_lines(config: Config) -> int:
    lines = config.messages.group_chat.history_limit
    return LINES_PER_GROUP if lines is None else lines


def _reply(needs: ChannelNeeds, text: str, envelope: Envelope) -> tuple[OutboundMessage, ...]:
    usual = replace(_usual(needs, envelope.channel), prefix=_prefix(needs, envelope))
    rules = reply_rules(usual, needs.channel(envelope.channel))
    return messages(text, envelope, rules)


def _usual(needs: ChannelNeeds, channel: str) -> ReplyRules:
    """What a channel takes. What a pipe's script reads is one line for each, so a part may be
    long."""
    kind = needs.kinds.known.get(channel)
    if kind is None:
        return ReplyRules(_PIPE_CHARACTERS, reply_to=ReplyTo.ALL)
    can = kind.channel.capabilities
    return ReplyRules(can.text_limit, reply_to=ReplyTo.ALL, unit=can.unit)


def _aside(needs: ChannelNeeds, text: str, envelope: Envelope) -> tuple[OutboundMessage, ...]:
    """What is told beside an answer or goes on with it: without its prefix, and not the first."""
    rules = reply_rules(_usual(needs, envelope.channel), needs.channel(envelope.channel))
    if rules.reply_to is ReplyTo.FIRST:
        rules = replace(rules, reply_to=ReplyTo.OFF)
    return messages(text, envelope, rules)


def _before(needs: ChannelNeeds, envelope: Envelope, route: ResolvedRoute) -> tuple[str, str]:
    """A model that reads one request and nothing around it reads the bare words."""
    if needs.one_request():
        return "", ""
    agent = needs.config.agent
    rules = HeaderRules(
        agent.envelope_timezone,
        agent.user_timezone or "",
        timestamp=agent.envelope_timestamp == "on",
        elapsed=agent.envelope_elapsed == "on",
    )
    used = needs.store.last_used(route.session_key)
    header = message_header(envelope, rules, None, used)
    return needs.config.messages.message_prefix or "", header


def _prefix(needs: ChannelNeeds, envelope: Envelope) -> str:
    """`messages.responsePrefix`, filled in for the agent and the conversation that answer."""
    config = needs.config
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


def _inbound_rules(config: Config) -> InboundRules:
    inbound = config.messages.inbound
    return InboundRules(inbound.per_minute, inbound.characters)


def _tell_of_flood(needs: ChannelNeeds, envelope: Envelope) -> None:
    slots = {"name": shown_name(envelope.sender), "channel": envelope.channel}
    hint = PHRASES.say("flood_hint", needs.language)
    needs.tell(Notice(PHRASES.say("flood", needs.language, **slots), hint))


def changes_something(effects: Mapping[str, Effect], tool: str) -> bool:
    """Whether that tool may leave the world different; the effect of each tool is in `effects`."""
    effect = effects.get(tool)
    return effect is not None and effect not in _ONLY_LOOK


def _problem_teller(needs: ChannelNeeds) -> Callable[[str], None]:
    """For the channel's own threads."""
    loop = asyncio.get_running_loop()

    def tell(problem: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(needs.tell, Notice(problem, serious=True))

    return tell


def _pipe_accounts(needs: ChannelNeeds, tell: Callable[[ClientEvent], None]) -> list[PipeAccount]:
    found = []
    for account in accounts_in(PIPE, needs.channel(PIPE)):
        if not account.enabled:
            continue
        paths = _paths(account.settings, needs.paths.user_home)
        if paths is None:
            text = PHRASES.say("no_paths", needs.language, name=account.name)
            tell(Notice(text, PHRASES.say("no_paths_hint", needs.language), serious=True))
        else:
            found.append(PipeAccount(account.name, *paths))
    return found


def _paths(account: JsonObject, home: Path) -> tuple[Path, Path] | None:
    ends = [account.get(end) for end in ("in", "out")]
    texts = [end for end in ends if isinstance(end, str) and end.strip()]
    if len(texts) != 2:
        return None
    path_in, path_out = (home / text.removeprefix("~/") for text in texts)
    return path_in, path_out
