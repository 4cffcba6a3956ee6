"""The errors the program knows how to tell a person about.

    MoltbotError                  known; shown as "message" + "hint"
    ├── UserInputInvalid          what the person typed or passed cannot be used
    ├── ConfigInvalid             a section of moltbot.json; the last good one is used instead
    ├── AgentUnusable             an agent of the settings cannot work; the others do
    ├── StorageError              the disk said no
    │   ├── DiskFull              stop writing, keep answering
    │   ├── ReadOnlyHome          the state folder cannot be written
    │   ├── WriteFailed           the disk took it badly, and not for want of room
    │   ├── StoreBusy             another process holds the lock
    │   └── IndexCorrupt          set aside and rebuilt from the Markdown files
    ├── ModelError                a model could not be used
    │   ├── ModelFileInvalid      empty, truncated, corrupt or lying file; says which
    │   ├── ModelMissing          nothing installed under that name
    │   ├── CatalogueInvalid      the program's own list of models is damaged
    │   ├── ModelTooLarge         it does not fit this computer's memory; says by how much
    │   ├── DownloadFailed        the file could not be fetched or is not what it should be
    │   ├── ContextOverflow       the prompt does not fit; compact and retry once
    │   ├── GrammarRejected       llama.cpp refuses the grammar made from a schema
    │   └── RemoteModelError      a model behind an address; which of these decides what follows
    │       ├── RemoteUnreachable     nobody listens there, no name, no route
    │       ├── RemoteTimedOut        connected, and then too long nothing
    │       ├── RemoteKeyRefused      401, 403, or no key where one was named
    │       ├── RemoteUnpaid          402: credit or quota is used up
    │       ├── RemoteModelUnknown    404: no model of that name, or no such address
    │       ├── RemoteRateLimited     429; `retry_after` when the server says how long
    │       ├── RemoteOverloaded      5xx
    │       ├── RemoteAnswerBroken    the answer was cut, or is not what the API promises
    │       └── RemoteRequestRefused  400, 422, a content filter: elsewhere it fares no better
    ├── SecretsUnavailable        no password store, or it is locked
    ├── NetworkError              another computer could not be reached
    │   └── EgressRefused         it may not be: the address is not on the caller's list
    │       └── EgressSealed      nothing may leave this computer now
    ├── ChannelError              a message could not be sent now; it is tried again
    │   ├── ChannelRateLimited    the platform asks for a pause; `retry_after` says how long
    │   └── ChannelRefused        this message will never be taken; it is given up
    ├── GatewayError              the assistant that is running could not be asked
    │   ├── NobodyListens         none is running with this home folder
    │   ├── NoAnswer              it is there and says nothing
    │   └── RequestRefused        it answered why not
    ├── SkillInvalid              a SKILL.md that cannot be used; the others go on
    ├── HookInvalid               a hook that cannot be loaded; the others go on
    ├── PluginInvalid             a plugin that cannot be used; the others go on
    ├── ToolError                 always becomes a ToolResult that says what to correct
    │   ├── PathRefused           outside the folders the tool may touch
    │   └── QueryRefused          a question to a table that has no answer; says what to correct
    └── PolicyDenied              the verdict was no

Anything that is not a MoltbotError is a bug of ours and goes to the crash note. Cancelled and
timed out are outcomes of a run (`core.results`), not errors.
"""

from __future__ import annotations

from dataclasses import dataclass


class MoltbotError(Exception):
    """A known failure.

    Attributes:
        code: stable machine-readable name, e.g. ``model_file_invalid``.
        message: one sentence for a person, without a trailing hint.
        hint: what to do about it, one sentence, may be empty.
        retryable: whether the same call may work later without a change by the person.
    """

    code = "error"
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UserInputInvalid(MoltbotError):
    code = "input_invalid"


class AgentUnusable(MoltbotError):
    code = "agent_unusable"


class ConfigInvalid(MoltbotError):
    code = "config_invalid"


class StorageError(MoltbotError):
    code = "storage"


class DiskFull(StorageError):
    code = "disk_full"
    retryable = True


class ReadOnlyHome(StorageError):
    code = "read_only_home"


class WriteFailed(StorageError):
    code = "write_failed"
    retryable = True


class StoreBusy(StorageError):
    code = "store_busy"
    retryable = True


class IndexCorrupt(StorageError):
    code = "index_corrupt"
    retryable = True


class ModelError(MoltbotError):
    code = "model"


class ModelFileInvalid(ModelError):
    code = "model_file_invalid"


class ModelMissing(ModelError):
    code = "model_missing"


class CatalogueInvalid(ModelError):
    code = "catalogue_invalid"


class ModelTooLarge(ModelError):
    code = "model_too_large"


class DownloadFailed(ModelError):
    code = "download_failed"


class ContextOverflow(ModelError):
    code = "context_overflow"
    retryable = True


class GrammarRejected(ModelError):
    code = "grammar_rejected"


class RemoteModelError(ModelError):
    code = "remote_model"


class RemoteUnreachable(RemoteModelError):
    code = "remote_unreachable"
    retryable = True


class RemoteTimedOut(RemoteModelError):
    code = "remote_timed_out"
    retryable = True


class RemoteKeyRefused(RemoteModelError):
    code = "remote_key_refused"


class RemoteUnpaid(RemoteModelError):
    code = "remote_unpaid"


class RemoteModelUnknown(RemoteModelError):
    code = "remote_model_unknown"


class RemoteRateLimited(RemoteModelError):
    """`retry_after`: seconds the server asks to wait, None when it does not say."""

    code = "remote_rate_limited"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class RemoteOverloaded(RemoteModelError):
    code = "remote_overloaded"
    retryable = True


class RemoteAnswerBroken(RemoteModelError):
    code = "remote_answer_broken"
    retryable = True


class RemoteRequestRefused(RemoteModelError):
    code = "remote_request_refused"


class SecretsUnavailable(MoltbotError):
    code = "secrets_unavailable"


class NetworkError(MoltbotError):
    code = "network"
    retryable = True


class EgressRefused(NetworkError):
    code = "egress_refused"
    retryable = False


class EgressSealed(EgressRefused):
    code = "egress_sealed"


class ChannelError(MoltbotError):
    code = "channel"
    retryable = True


class ChannelRateLimited(ChannelError):
    """`retry_after`: seconds to wait, None when the platform does not say."""

    code = "channel_rate_limited"

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ChannelRefused(ChannelError):
    code = "channel_refused"
    retryable = False


class ChannelAuthFailed(ChannelRefused):
    """The platform does not take our name or token: only the person can set that right."""

    code = "channel_auth_failed"


class ChannelTooLong(ChannelRefused):
    """A message is longer than the platform takes; `limit` in the channel's unit, 0 when the
    platform does not say."""

    code = "channel_too_long"

    def __init__(self, message: str, *, hint: str = "", limit: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class ChannelNotFound(ChannelRefused):
    """The message or the room that something was to be done with is not there any more."""

    code = "channel_not_found"


class GatewayError(MoltbotError):
    code = "gateway"


class NobodyListens(GatewayError):
    code = "nobody_listens"
    retryable = True


class NoAnswer(GatewayError):
    code = "no_answer"
    retryable = True


class RequestRefused(GatewayError):
    code = "request_refused"


class SkillInvalid(MoltbotError):
    code = "skill_invalid"


class HookInvalid(MoltbotError):
    code = "hook_invalid"


@dataclass(frozen=True)
class ManifestMistake:
    """One thing that is wrong in a plugin's manifest or settings; `path` is dotted, "" for the
    whole."""

    path: str
    message: str


class PluginInvalid(MoltbotError):
    """`mistakes`: every single one, where that can be said."""

    code = "plugin_invalid"

    def __init__(
        self, message: str, *, hint: str = "", mistakes: tuple[ManifestMistake, ...] = ()
    ) -> None:
        super().__init__(message, hint=hint)
        self.mistakes = mistakes


class ToolError(MoltbotError):
    code = "tool"


class PathRefused(ToolError):
    code = "path_refused"


class QueryRefused(ToolError):
    code = "query_refused"


class PolicyDenied(MoltbotError):
    code = "policy_denied"
