"""The contract of a tool: what it says about itself, what it gets, what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.memories import UsedMemory


class Effect(StrEnum):
    """What a call does to the world: the row of the policy's table it falls under."""

    NONE = "none"
    """Pure computation, the clock."""
    MEMORY_READ = "memory_read"
    MEMORY_WRITE = "memory_write"
    """Appends to today's file; undoable."""
    MEMORY_FORGET = "memory_forget"
    """Removes one note; can be undone for some minutes."""
    FILE_READ = "file_read"
    FILE_WRITE = "file_write"
    FILE_FIND = "file_find"
    """Names of files only."""
    REMINDER_READ = "reminder_read"
    REMINDER_WRITE = "reminder_write"
    """The owner's own reminders; undoable. Not the reference's `cron`, which runs an agent."""
    SCHEDULE_READ = "schedule_read"
    SCHEDULE_WRITE = "schedule_write"
    """The reference's `cron`: an agent will run by itself."""
    MESSAGE = "message"
    """Words for somebody who has not just asked for them."""
    REPLY = "reply"
    """Words to where the request came from: a channel, or where a job was told to send them."""
    SEND_FILE = "send_file"
    """A file of the workspace to whose request it answers. To anybody else: `MESSAGE`."""
    SESSION_READ = "session_read"
    """What was said in other conversations of the same owner, and how they stand."""
    SESSION_SEND = "session_send"
    """Words into another conversation, whose agent answers them."""
    HELPER = "helper"
    """An agent of one's own for a task, with fewer rights and the same labels."""
    EXEC = "exec"
    WEB_READ = "web_read"
    """Something leaves whose words the model chose: an address, a query, a place (rule R6)."""
    WEB_NAMED = "web_named"
    """A page whose address stands, word for word, in the owner's message or on a page read before;
    a query in the owner's own words."""
    BROWSER_LOOK = "browser_look"
    """A page that is open in the assistant's own browser is looked at again: nobody is told."""
    BROWSER_READ = "browser_read"
    """An address as in `WEB_NAMED`, in the browser, or what an open page may notice: its size."""
    BROWSER_OPEN = "browser_open"
    """An address that the model chose, in the browser (rule R6)."""
    BROWSER_ACT = "browser_act"
    """A click, typing, a form, an upload, a download: something happens on somebody's site."""
    OPEN_EXTERNAL = "open_external"
    CLIPBOARD_READ = "clipboard_read"
    """What the owner copied, perhaps a password, while they spoke of something else."""
    CLIPBOARD_NAMED = "clipboard_named"
    """What the owner copied and speaks of in their own message."""
    CLIPBOARD_WRITE = "clipboard_write"
    """Takes the place of what the owner copied."""
    NOTIFY = "notify"
    """Words that come up on the owner's screen."""
    SCREENSHOT = "screenshot"
    """What stands on the screen is looked at."""
    DESKTOP = "desktop"
    """Keys and clicks in the windows of other programs."""
    FOREIGN = "foreign"
    """Whatever a server of others does (MCP); nobody here can know."""
    FOREIGN_ALLOWED = "foreign_allowed"
    """The same, of a tool that the owner said may run unasked."""


@dataclass(frozen=True)
class ToolSpec:
    """What a model is told about a tool.

    Attributes:
        parameters: JSON Schema of an object with flat properties, few of them.
        core: of the flat table that the starter model knows by heart.
        path_arguments: names of arguments that are paths, so that policy can look at the place.
        keywords: other words for what it does, in both languages, by which it is found; they stand
            in no prompt.
        rehearses: what it would change can be found out by running it with
            `ToolContext.rehearsal`; then it does nothing else.
        reads: actions (values of an argument `action`) that only look, with what they do then.
        aliases: other names that models learned for an argument, each with the tool's own.
    """

    name: str
    description: str
    parameters: JsonObject
    effect: Effect
    core: bool = True
    path_arguments: tuple[str, ...] = ()
    reads: tuple[tuple[str, Effect], ...] = ()
    keywords: str = ""
    rehearses: bool = False
    aliases: tuple[tuple[str, str], ...] = ()

    def effect_of(self, arguments: JsonObject) -> Effect:
        """What a call with these arguments does."""
        return dict(self.reads).get(str(arguments.get("action", "")), self.effect)


class CancelToken(Protocol):
    """Whether the run was told to stop; cheap enough to ask in a loop."""

    @property
    def cancelled(self) -> bool: ...


RESULT_HANDLE = "result:"
"""What a path begins with that means a long result of this conversation, not a file."""


@dataclass(frozen=True)
class KeptResult:
    """A result too long to be shown at once; `taints` and `private` as in `ToolResult`."""

    text: str
    taints: bool
    private: bool


def _nothing_kept(_handle: str) -> KeptResult | None:
    return None


def nobodys(_path: Path) -> bool:
    """Where nothing is known of strangers."""
    return False


def _nobody_listens(_text: str) -> None:
    pass


class Rehearsal(Protocol):
    """What notes how files would be changed, in place of changing them."""

    def note(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """One file, by its path in the workspace; None where there is none, or where nobody
        looked because it is large."""
        ...


@dataclass(frozen=True)
class ToolContext:
    """What a call may know.

    Attributes:
        workspace: absolute, exists; relative paths mean below it.
        user_text: the request in the person's own words.
        language: of that request.
        allowed_folders: folders outside the workspace that the owner opened for this call.
        provenance: "" for the owner's own words; else the mark that notes written now must keep,
            because content of others is in the conversation.
        library: folders of skills outside the workspace: may be read, never written.
        of_stranger: whether a file belongs to somebody whom the owner has not said yes to, such as
            a skill that waits; for a worker thread.
        kept: the long result under a handle (``result:3``), None when it is gone.
        report: tells the person how far a slow call is, in `language`; for any thread.
        judged: the mark of the command that the verdict was about (`sdk.commands`).
        environment: variables for the programs that this call starts, because skills of the run
            ask for them; only for a tool whose effect is `Effect.EXEC`. They may hold keys: for
            the child process alone, never for a text.
        rehearsal: set for a call that is only looked at before the owner is asked (`ToolSpec
            .rehearses`).
    """

    run_id: RunId
    session: SessionKey
    workspace: Path
    user_text: str
    language: Language
    cancel: CancelToken
    allowed_folders: tuple[Path, ...] = ()
    library: tuple[Path, ...] = ()
    provenance: str = ""
    of_stranger: Callable[[Path], bool] = nobodys
    kept: Callable[[str], KeptResult | None] = _nothing_kept
    report: Callable[[str], None] = _nobody_listens
    judged: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    rehearsal: Rehearsal | None = None


@dataclass(frozen=True)
class ToolResult:
    """What a call gave.

    Attributes:
        data: JSON object for the model; on failure `{"error": "..."}` that says what to correct.
        display: one short text for the person, in `ToolContext.language`; may be Markdown.
        ok: False when the call failed; it is not an exception, the model may correct it.
        taints: the data came from outside (a page, a stranger's file) and must not be obeyed.
        private: the data is the owner's and must not leave unasked.
        question: set when an argument is missing or unclear: asked back to the person as it is,
            which ends the run (`needs_you`).
        memories: places in memory whose words are in `data`; kept with the answer.
        sent: text that the call sent to where the request came from; an answer that says only
            the same is not sent again.
    """

    data: Mapping[str, JsonValue]
    display: str
    ok: bool = True
    taints: bool = False
    private: bool = False
    question: str = ""
    memories: tuple[UsedMemory, ...] = ()
    sent: str = ""


@dataclass(frozen=True)
class ToolInput:
    """Checked arguments: they fit the tool's schema."""

    arguments: Mapping[str, JsonValue] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        value = self.arguments.get(name, default)
        return value.strip() if isinstance(value, str) else str(value)

    def number(self, name: str, default: int) -> int:
        """A whole number; `default` when it is not there or none."""
        value = self.arguments.get(name, default)
        return value if isinstance(value, int) else default


class Tool(Protocol):
    """A tool. `run` may be slow and may touch disk; it runs on a worker thread of the host."""

    @property
    def spec(self) -> ToolSpec: ...

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        """Do it.

        Raises:
            ToolError: turned into a result the model can correct from.
        """
        ...


@runtime_checkable
class WaitingTool(Protocol):
    """A tool that waits for others (a conversation's answer, an outbox) instead of working. It
    runs on the event loop, where waiting costs no thread, and is cancelled with its run."""

    @property
    def spec(self) -> ToolSpec: ...

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        """As `Tool.run`; may not block."""
        ...


@runtime_checkable
class SituatedTool(Protocol):
    """A tool whose effect depends on the conversation that it is called in."""

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        """What a call does there; asked on the event loop before the verdict."""
        ...


@runtime_checkable
class PathNaming(Protocol):
    """A tool whose paths stand in no argument of their own: those in a patch, those of an undo."""

    def paths_in(self, given: ToolInput, workspace: Path) -> tuple[str, ...]:
        """The paths that a call would change, written as in an argument; asked on the event loop
        before the verdict. Never raises: what cannot be understood changes nothing."""
        ...


AnyTool = Tool | WaitingTool
