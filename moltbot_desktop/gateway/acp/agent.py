"""The agent that an editor talks to: `acp.Agent` over whichever assistant there is.

    agent = MoltbotAgent(opened, places, new_id, Language.ENGLISH)
    AgentSideConnection(agent, transport, listening=False)

A session's id is the key of its conversation, so it is found again after a restart. One prompt at a
time goes on in a session, several sessions at once. What is refused is told in our sentences as a
JSON-RPC error. Left out on purpose: modes (how much the assistant may do by itself is the owner's
word for all of it, rule R5: an editor does not change it, and what it offered as a mode of one
session would change the others); MCP servers of the editor (they are programs, and which may run
stands in moltbot.json); its own file and terminal methods (the tools have the journal, the policy
and the walls). Source: https://agentclientprotocol.com/protocol/overview
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from acp import PROTOCOL_VERSION, RequestError
from acp.interfaces import Client as Editor
from acp.schema import (
    AgentCapabilities,
    AuthenticateResponse,
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    ClientCapabilities,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    RequestPermissionResponse,
    SessionCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SetSessionModeResponse,
    UnstructuredCommandInput,
)

from moltbot_desktop import __version__
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line, language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.acp.cards import Asked
from moltbot_desktop.gateway.acp.port import EditorAssistant
from moltbot_desktop.gateway.acp.prompting import FAILED, Prompting
from moltbot_desktop.gateway.acp.telling import RunTelling, Update, history
from moltbot_desktop.gateway.acp.words import clean, read_prompt
from moltbot_desktop.gateway.client import ClientEvent, CommandHelp, ReminderDue
from moltbot_desktop.gateway.decisions import checked_message
from moltbot_desktop.gateway.editors import EditorSide, is_editors

_INVALID_PARAMS, _NOT_FOUND = -32602, -32002
_LONGEST_PATH, _LONGEST_NAME = 2_000, 80
_MOST_SESSIONS, _MOST_LISTED = 64, 200
_log = logging.getLogger(__name__)
_PHRASES = Phrases(
    english={
        "unknown": "There is no such conversation here.",
        "unknown_hint": "Begin a new one.",
        "answering": "I am still answering in this conversation.",
        "answering_hint": "Wait for it, or stop it.",
        "folder": "“{folder}” is no folder that I can find.",
        "modes": "An editor does not change how much I may do by myself.",
        "modes_hint": "moltbot-desktop mode does, and the window.",
        "blind": "My model reads text alone, so I cannot look at pictures.",
        "bare": "(I read your sentence alone: my built-in model takes no files along.)\n\n",
        "reminder": "⏰ {text} — {due}\n\n",
        "crowded": "Too many conversations are open in this editor.",
        "crowded_hint": "Begin it anew.",
    },
    chinese={
        "unknown": "这里没有这个对话。",
        "unknown_hint": "请新建一个。",
        "answering": "这个对话里我还在回答。",
        "answering_hint": "请等一等，或者停止它。",
        "folder": "找不到文件夹“{folder}”。",
        "modes": "编辑器不能改变我自己可以做多少。",
        "modes_hint": "可以用 moltbot-desktop mode 或在窗口里改。",
        "blind": "我的模型只读文字，看不了图片。",
        "bare": "（我只读了你的这句话：内置模型不能附带文件。）\n\n",
        "reminder": "⏰ {text} — {due}\n\n",
        "crowded": "这个编辑器里打开的对话太多了。",
        "crowded_hint": "请重新启动它。",
    },
)


class Places(Protocol):
    """Which agent answers where, from the settings."""

    def begin(self, folder: Path) -> SessionKey:
        """A new conversation for the project in `folder`."""
        ...

    def workspace(self, key: SessionKey) -> Path:
        """Raises AgentUnusable: its agent is not there any more."""
        ...

    def sees(self, key: SessionKey | None) -> bool:
        """Whether its model looks at pictures; without one, the model of whoever answers first."""
        ...


@dataclass
class _Session:
    key: SessionKey
    folder: str
    prompting: Prompting | None = None
    busy: bool = False
    cancelled: bool = False

    def stopped(self) -> bool:
        """Asked anew each time: it changes while something is waited for."""
        return self.cancelled


@dataclass
class _Client:
    """The editor, for one session."""

    editor: Editor
    session: str

    async def update(self, update: Update) -> None:
        await self.editor.session_update(self.session, update)

    async def ask(self, asked: Asked) -> RequestPermissionResponse:
        return await self.editor.request_permission(self.session, asked.call, asked.options)


@dataclass
class MoltbotAgent:
    """Implements `acp.Agent`. Lives on the event loop.

    Attributes:
        opened: the assistant, opened at the first use; an editor that only asks what we can do
            costs nothing.
        soon: begins what is to be done after an answer was sent.
    """

    opened: Callable[[], Awaitable[EditorAssistant]]
    places: Places
    new_id: Callable[[], str]
    language: Language
    soon: Callable[[Awaitable[None]], None]
    _editor: Editor | None = field(default=None, init=False)
    _name: str = field(default="", init=False)
    _sessions: dict[str, _Session] = field(default_factory=dict, init=False)
    _last: str = field(default="", init=False)
    _heard: set[int] = field(default_factory=set, init=False)

    def on_connect(self, conn: Editor) -> None:
        self._editor = conn

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """We speak one version; an editor that does not ends the talk itself."""
        if client_info is not None:
            self._name = clean(client_info.title or client_info.name)[:_LONGEST_NAME]
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(
                    image=self.places.sees(None), audio=False, embedded_context=True
                ),
                session_capabilities=SessionCapabilities(list=SessionListCapabilities()),
            ),
            auth_methods=[],
            agent_info=Implementation(name="moltbot-desktop", title="Moltbot", version=__version__),
        )

    async def authenticate(self, method_id: str, **_: Any) -> AuthenticateResponse:
        """Nothing to log in to: whoever starts us is the owner of this account."""
        return AuthenticateResponse()

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: Sequence[object] | None = None,
        **_: Any,
    ) -> NewSessionResponse:
        async with _Told(self.language):
            folder = self._folder(cwd)
            assistant = await self._assistant()
            key = self.places.begin(Path(folder))
            await assistant.ready(key)
            self._open(key, folder)
        self._left_out(mcp_servers)
        self.soon(self._tell_commands(key))
        return NewSessionResponse(session_id=key)

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: Sequence[object] | None = None,
        additional_directories: list[str] | None = None,
        **_: Any,
    ) -> LoadSessionResponse:
        """The whole conversation is told again before the answer comes."""
        key = SessionKey(session_id)
        async with _Told(self.language):
            folder = self._folder(cwd)
            if not is_editors(key):
                raise self._unknown()
            self.places.workspace(key)
            assistant = await self._assistant()
            if not await assistant.known(key):
                raise self._unknown()
            await assistant.ready(key)
            told = history(await assistant.history(key), self.language)
            self._open(key, folder)
        client = self._client(session_id)
        for update in told:
            await client.update(update)
        self._left_out(mcp_servers)
        self.soon(self._tell_commands(key))
        return LoadSessionResponse()

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> ListSessionsResponse:
        """Those in editors that something was said in, the latest first."""
        async with _Told(self.language):
            kept = await (await self._assistant()).kept()
        wanted = [one for one in kept if one.folder and cwd in (None, one.folder)]
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=one.key,
                    cwd=one.folder,
                    title=one.title or None,
                    updated_at=one.updated or None,
                )
                for one in wanted[:_MOST_LISTED]
            ]
        )

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> SetSessionModeResponse:
        hint = _PHRASES.say("modes_hint", self.language)
        said = in_one_line(_PHRASES.say("modes", self.language), hint)
        raise RequestError(_INVALID_PARAMS, said)

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> PromptResponse:
        session = self._sessions.get(session_id)
        if session is None:
            raise _error(self._unknown(), self.language)
        if session.busy:
            hint = _PHRASES.say("answering_hint", self.language)
            said = in_one_line(_PHRASES.say("answering", self.language), hint)
            raise RequestError(_INVALID_PARAMS, said)
        session.busy, session.cancelled, self._last = True, False, session_id
        try:
            return await self._prompted(session, session_id, prompt)
        finally:
            session.busy, session.prompting = False, None

    async def cancel(self, session_id: str, **_: Any) -> None:
        session = self._sessions.get(session_id)
        if session is None or not session.busy:
            return
        session.cancelled = True
        if session.prompting is not None:
            async with _Told(self.language):
                await session.prompting.cancel()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise RequestError.method_not_found(f"_{method}")

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """None that we know; others are for programs that do."""

    # ------------------------------------------------------------------- one prompt

    async def _prompted(
        self, session: _Session, session_id: str, blocks: Sequence[Any]
    ) -> PromptResponse:
        async with _Told(self.language):
            given = read_prompt(blocks, self.language)
            language = language_of(given.words, self.language)
            assistant = await self._assistant()
            await assistant.ready(session.key)
            if given.pictures and not self.places.sees(session.key):
                raise UserInputInvalid(_PHRASES.say("blind", language))
            text = "" if given.pictures and not given.words else checked_message(given.words)
            workspace = self.places.workspace(session.key)
        client = self._client(session_id)
        run_id = RunId(self.new_id())
        prompting = Prompting(
            assistant,
            client,
            session.key,
            run_id,
            RunTelling(run_id, workspace, language),
            language,
        )
        if assistant.bare and given.texts:
            for update in prompting.telling.aside(_PHRASES.say("bare", language)):
                await client.update(update)
        if session.stopped():
            return PromptResponse(stop_reason="cancelled")
        stop_hearing = prompting.begin()
        session.prompting = prompting
        try:
            async with _Told(language):
                side = EditorSide(self._name, session.folder, given.texts)
                await assistant.say(run_id, session.key, text, side, given.pictures)
                if session.stopped():
                    await prompting.cancel()
            return await prompting.answered()
        except ConnectionError:  # nobody is there any more whom it could be told
            async with _Told(language):
                await assistant.stop(session.key)
            return PromptResponse(stop_reason="cancelled")
        finally:
            stop_hearing()

    # ------------------------------------------------------------------- sessions

    async def _assistant(self) -> EditorAssistant:
        assistant = await self.opened()
        if id(assistant) not in self._heard:
            self._heard = {id(assistant)}
            assistant.subscribe(self._overheard)
        return assistant

    def _overheard(self, event: ClientEvent) -> None:
        """A reminder is told in the conversation that was used last."""
        if isinstance(event, ReminderDue) and self._last:
            values = {"text": event.text, "due": event.due}
            said = _PHRASES.say("reminder", language_of(event.text, self.language), **values)
            self.soon(self._tell_words(self._last, said))

    async def _tell_words(self, session_id: str, text: str) -> None:
        telling = RunTelling("", Path("/"), self.language)
        for update in telling.aside(text):
            await self._client(session_id).update(update)

    async def _tell_commands(self, key: SessionKey) -> None:
        commands = await (await self._assistant()).commands()
        if commands and self._editor is not None:
            told = AvailableCommandsUpdate(
                session_update="available_commands_update",
                available_commands=[_command(one) for one in commands],
            )
            await self._editor.session_update(key, told)

    def _open(self, key: SessionKey, folder: str) -> None:
        known = self._sessions.get(key)
        if known is not None and known.busy:
            said = _PHRASES.say("answering", self.language)
            raise UserInputInvalid(said, hint=_PHRASES.say("answering_hint", self.language))
        idle = [name for name, one in self._sessions.items() if not one.busy]
        while len(self._sessions) >= _MOST_SESSIONS and idle:
            del self._sessions[idle.pop(0)]
        if len(self._sessions) >= _MOST_SESSIONS:
            said = _PHRASES.say("crowded", self.language)
            raise UserInputInvalid(said, hint=_PHRASES.say("crowded_hint", self.language))
        self._sessions[key] = _Session(key, folder)
        self._last = key

    def _folder(self, given: str) -> str:
        """Raises UserInputInvalid: it is none."""
        folder = Path(given[:_LONGEST_PATH])
        good = len(given) < _LONGEST_PATH and given.isprintable() and folder.is_absolute()
        try:
            found = good and folder.is_dir()
        except (OSError, ValueError):
            found = False
        if not found:
            said = _PHRASES.say("folder", self.language, folder=clean(given)[:200])
            raise UserInputInvalid(said)
        return str(folder)

    def _client(self, session_id: str) -> _Client:
        assert self._editor is not None  # set before the first request is read
        return _Client(self._editor, session_id)

    def _unknown(self) -> UserInputInvalid:
        hint = _PHRASES.say("unknown_hint", self.language)
        return UserInputInvalid(_PHRASES.say("unknown", self.language), hint=hint)

    def _left_out(self, servers: Sequence[object] | None) -> None:
        if servers:
            _log.info("%d MCP servers of the editor are left out", len(servers))


@dataclass(frozen=True)
class _Told:
    """Inside, a known error becomes what the editor shows."""

    language: Language

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, MoltbotError):
            raise _error(error, self.language) from error


def _error(error: MoltbotError, language: Language) -> RequestError:
    code = _INVALID_PARAMS if isinstance(error, UserInputInvalid) else FAILED
    return RequestError(code, in_words(error, language))


def _command(command: CommandHelp) -> AvailableCommand:
    hint = UnstructuredCommandInput(hint=command.arguments) if command.arguments else None
    return AvailableCommand(
        name=command.name,
        description=command.help,
        input=AvailableCommandInput(root=hint) if hint else None,
    )
