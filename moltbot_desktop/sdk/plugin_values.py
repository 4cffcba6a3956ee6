"""What a plugin registers, as values: commands, services, methods, routes, channels, providers.

    api.register_command(
        PluginCommand("weather", "the weather in a place", "某地的天气", answer, arguments="PLACE")
    )

`sdk.plugins` has the API they are given to. Functions that may take time are coroutines; plain
functions that are said to block run on a worker thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, Envelope, Outgoing, Sender
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.sdk.models import ChatModel, Embedder
from moltbot_desktop.sdk.tools import AnyTool


@dataclass(frozen=True)
class ToolFactoryContext:
    """Whose tools are made. Which conversation a call is of says `sdk.tools.ToolContext`.

    Attributes:
        workspace: of the agent, absolute; it exists.
        folder: what the program keeps for this agent; absolute, may not exist yet.
        memory: of this agent; None when the settings switch memory off.
    """

    agent_id: AgentId
    workspace: Path
    folder: Path
    language: Language
    memory: MemoryEngine | None = None


ToolFactory = Callable[[ToolFactoryContext], AnyTool | Sequence[AnyTool] | None]
"""Makes the tools of one agent; None for none. Called once for each agent, when it is opened."""


@dataclass(frozen=True)
class CommandCall:
    """A command that somebody wrote.

    Attributes:
        arguments: what stands behind the name: one line without control characters, at most
            4,096 characters; "" when nothing does.
        channel: ``desktop`` for the owner at this computer.
        sender: the platform's id of who wrote; "" for the owner at this computer.
        owner: whether it is the person at this computer.
    """

    arguments: str
    session: SessionKey
    language: Language
    channel: str
    sender: str
    owner: bool


@dataclass(frozen=True)
class PluginCommand:
    """``/name``: answered by `handler`, before the program's own commands and without a model.

    Attributes:
        name: ``[a-z][a-z0-9_-]*``; names of the program's own commands are refused.
        english, chinese: one line of help.
        handler: gives the answer, which may be Markdown; a coroutine or a plain quick function.
        arguments: what may follow, as the help shows it; "" when nothing may, and a name with
            words behind it is then no command.
        require_auth: strangers on channels get a refusal instead.
    """

    name: str
    english: str
    chinese: str
    handler: Callable[[CommandCall], str | Awaitable[str]]
    arguments: str = ""
    require_auth: bool = True


class PluginService(Protocol):
    """Something that runs as long as the plugin is on. Services start in the order in which they
    were registered and stop in reverse; one that fails to start is logged, the others go on."""

    @property
    def id(self) -> str: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


@dataclass(frozen=True)
class CliCommand:
    """``moltbot-desktop NAME …`` of this plugin.

    Attributes:
        name: ``[a-z][a-z0-9-]*``; the program's own are refused.
        english, chinese: one line of help.
        configure: adds arguments to the parser of this command.
        run: carries it out and returns the exit status; blocks, prints to stdout.
    """

    name: str
    english: str
    chinese: str
    run: Callable[[argparse.Namespace], int]
    configure: Callable[[argparse.ArgumentParser], None] = field(default=lambda _parser: None)


@dataclass(frozen=True)
class GatewayMethod:
    """A method of the local socket, for programs of the same person.

    Attributes:
        name: with a dot, as ``weather.now``; names that are taken are refused.
        answer: gets checked parameters; a `MoltbotError` becomes the failure that is told.
        properties: JSON Schemas of the parameters by name; others are refused.
        required: names that must be there.
        once: it changes something, so `idempotencyKey` makes a repetition harmless.
    """

    name: str
    answer: Callable[[JsonObject], Awaitable[JsonValue]]
    properties: Mapping[str, JsonObject] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    once: bool = False


@dataclass(frozen=True)
class HttpRequest:
    """A request to a route; `query` and `headers` (lower-case names) have the last of each."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class HttpResponse:
    """What is sent back; `status` is of HTTP, such as 200."""

    status: int
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"


@dataclass(frozen=True)
class HttpRoute:
    """A path of the local server, which is off by default: until it is on, a route waits."""

    path: str
    handler: Callable[[HttpRequest], Awaitable[HttpResponse]]


@dataclass(frozen=True)
class ListedCommand:
    """A command for a platform's own menu: `name` without the slash, a line of help."""

    name: str
    help: str


async def _nobody(sender: Sender) -> None:
    raise ChannelRefused(f"Nobody is let in here: {sender.name or sender.id}.")


@dataclass(frozen=True)
class ChannelAccount:
    """An account of a channel as moltbot.json has it, and what the program does for it.

    Attributes:
        settings: of the channel with those of the account over them, checked against the
            manifest's `channelConfigs`, defaults filled in, keys from the password store.
        receive: keeps messages, which may be acknowledged when it has returned. Raises
            MoltbotError when none of them was kept: the platform is to deliver them again.
        online: to be called when the connection stands; nothing is given to `send` before.
        problem: tells the person what does not work, in one sentence, while the connection goes
            on; "" when it works again.
        cursor: of the last `Envelope` that was kept, "" at the first time.
        heard: to be called when the platform gave a sign of life that is no message: an answer to
            a ping, an empty poll. See `PluginChannel.silence_seconds`.
        reaches: to be called with the host that a connection goes to, such as
            ``api.telegram.org``: what is sent is told to the owner under that name.
        commands: what somebody who was let in may write as ``/name``, as it is when the connection
            is made; for a platform that shows such a list.
        let_in: for a channel that is `local`: somebody has shown what the owner made for them at
            this computer, such as a link that is good once. They are paired then, and stand in the
            list from which the owner takes people. Raises MoltbotError: not kept, or not local.
    """

    settings: JsonObject = field(repr=False)
    receive: Callable[[Sequence[Envelope]], Awaitable[None]]
    online: Callable[[], None]
    problem: Callable[[str], None]
    name: str = DEFAULT_ACCOUNT
    cursor: str = ""
    heard: Callable[[], None] = field(default=lambda: None)
    reaches: Callable[[str], None] = field(default=lambda _host: None)
    commands: tuple[ListedCommand, ...] = ()
    let_in: Callable[[Sender], Awaitable[None]] = field(default=_nobody)


class RunningChannel(Outgoing, Protocol):
    """A connection of one account. It lives in a thread and on an event loop of its own: `run`
    and `send` are both called there, and may go on at once. More that it may be able to do stands
    in `sdk.channel_abilities`."""

    async def run(self) -> None:
        """Connect, say `ChannelAccount.online`, and hand messages over until cancelled, which has
        to end within two seconds. When it returns or raises, the connection is over, and another
        one is made after a pause.

        Raises:
            ChannelAuthFailed, ChannelRefused: it cannot work before the person changes something;
                nobody tries again.
            ChannelError: it does not work now.
        """
        ...


@dataclass(frozen=True)
class PluginChannel:
    """A way for messages to come in and answers to go out; `sdk.channels` is the contract.

    Attributes:
        id: lower-case; the section of ``channels`` in moltbot.json.
        open: makes the connection of one account, without connecting; called on the account's
            own thread for each new connection. Import the channel's library here: one that is
            missing is told with the line that installs it.
        capabilities: what it can do; the least when nothing is said.
        probe: tries settings without changing anything anywhere, and returns who we are there, such
            as ``@moltbot``; on a thread and loop of its own. Raises what `RunningChannel.run` does.
        silence_seconds: a connection that was heard nothing of for so long counts as dead, and
            another one is made; 0 for never.
        extra: of this program's package, with the library that it needs; "" for none.
        local: it stays on this computer: the offline seal does not concern it, and nothing of it
            is among what left.
    """

    id: str
    open: Callable[[ChannelAccount], RunningChannel]
    capabilities: Capabilities = field(default_factory=Capabilities)
    probe: Callable[[JsonObject], Awaitable[str]] | None = None
    silence_seconds: float = 0.0
    extra: str = ""
    local: bool = False


@dataclass(frozen=True)
class PluginProvider:
    """Models: ``id/model`` wherever the settings name one.

    Attributes:
        id: ``[a-z][a-z0-9-]*``; a provider that the settings have under that name goes first.
        chat_models, embedding_models: their names, without the id.
        open_chat, open_embedder: make one by its name; they block. Raise ModelError.
    """

    id: str
    chat_models: tuple[str, ...] = ()
    open_chat: Callable[[str], ChatModel] | None = None
    embedding_models: tuple[str, ...] = ()
    open_embedder: Callable[[str], Embedder] | None = None
