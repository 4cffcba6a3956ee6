"""What the OpenAI-compatible endpoint refuses, in the form its clients know.

    {"error": {"message": "…", "type": "invalid_request_error", "param": "n", "code": null}}

Protocol: https://platform.openai.com/docs/guides/error-codes. Clients tell errors apart by the
status; `param` and `code` are for programs, the sentence is for the person who wrote one. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.errors import (
    ContextOverflow,
    EgressRefused,
    GrammarRejected,
    ModelMissing,
    MoltbotError,
    PolicyDenied,
    RemoteModelError,
    StoreBusy,
    UserInputInvalid,
)
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.http.door import Refusal

_INVALID = "invalid_request_error"
_BY_ERROR: tuple[tuple[type[MoltbotError], int, str, str | None], ...] = (
    (ContextOverflow, 400, "context_length_exceeded", "messages"),
    (GrammarRejected, 400, "invalid_schema", "response_format"),
    (UserInputInvalid, 400, "invalid_value", None),
    (PolicyDenied, 403, "not_allowed", None),
    (EgressRefused, 403, "not_allowed", None),
    (ModelMissing, 404, "model_not_found", "model"),
    (StoreBusy, 409, "conversation_busy", None),
    (RemoteModelError, 502, "model_elsewhere", None),
)
_AT_THE_DOOR: Mapping[Refusal, tuple[str, str, str]] = MappingProxyType(
    {
        Refusal.NO_TOKEN: (
            "Send the token of the file gateway-token as the API key.",
            _INVALID,
            "invalid_api_key",
        ),
        Refusal.OTHER_HOST: (
            "This address answers programs of this computer alone, under its own name.",
            _INVALID,
            "other_host",
        ),
        Refusal.TOO_MANY: (
            "There were too many wrong tokens; wait as long as Retry-After says.",
            "requests",
            "rate_limit_exceeded",
        ),
    }
)


class ApiRefusal(Exception):
    """Why a request gets no answer.

    Attributes:
        param: the field it is about, None for none.
        wait: seconds after which it may go better, 0 where waiting does not help.
    """

    def __init__(
        self,
        message: str,
        param: str | None = None,
        *,
        status: int = 400,
        code: str | None = None,
        wait: int = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.status = status
        self.code = code
        self.wait = wait

    @property
    def body(self) -> JsonObject:
        """The error object."""
        return _body(self.message, _kind(self.status), self.param, self.code)


def of_error(error: MoltbotError) -> ApiRefusal:
    """What a failure of ours is there."""
    for kind, status, code, param in _BY_ERROR:
        if isinstance(error, kind):
            return ApiRefusal(str(error), param, status=status, code=code)
    return ApiRefusal(str(error), status=500, code=error.code)


def at_the_door(why: Refusal) -> JsonObject:
    """The error object of a request that was not heard."""
    message, kind, code = _AT_THE_DOOR[why]
    return _body(message, kind, None, code)


def _kind(status: int) -> str:
    if status == 429:
        return "requests"
    return _INVALID if status < 500 else "server_error"


def _body(message: str, kind: str, param: str | None, code: str | None) -> JsonObject:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
