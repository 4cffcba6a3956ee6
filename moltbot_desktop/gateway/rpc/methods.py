"""The methods that may be asked for: name, the JSON Schema of the parameters, what answers.

A group of methods is a function that returns `Method` values over the few things it needs, so a
room adds its own without touching the others:

    def health_methods(health: Health) -> tuple[Method, ...]:
        async def answer(given: Given) -> JsonValue:
            return {"ok": True}
        return (Method("health", answer),)

What is asked is checked against the schema before `answer` sees it, and a `MoltbotError` becomes
the failure that the other side is told.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.gateway.rpc.frames import ErrorCode, RpcFailure
from moltbot_desktop.gateway.rpc.left_out import why_left_out

if TYPE_CHECKING:
    import jsonschema
else:
    jsonschema = LateModule("jsonschema")

_MAX_PROBLEMS = 5
_MOST_VALUES = 2_000
"""Of all parameters together. A frame holds a hundred times as many, and to check those against a
schema would keep everybody else waiting for a second."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Given:
    """Checked parameters; what the schema requires is there and of its type.

    Attributes:
        key: the idempotency key, "" where the method takes none.
    """

    params: JsonObject
    key: str = ""

    def text(self, name: str, default: str = "") -> str:
        value = self.params.get(name, default)
        return value if isinstance(value, str) else default

    def whole(self, name: str, default: int) -> int:
        value = self.params.get(name, default)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.params.get(name, default)
        return value if isinstance(value, bool) else default

    def group(self, name: str) -> JsonObject:
        value = self.params.get(name)
        return value if isinstance(value, Mapping) else {}


Answer = Callable[[Given], Awaitable[JsonValue]]


@dataclass(frozen=True)
class Method:
    """Attributes:
    properties: JSON Schemas of the parameters by name; others are refused.
    required: names that must be there.
    once: it changes something, so `idempotencyKey` makes a repetition harmless.
    large: a request may bring files and be longer than a frame else is (`frames`).
    """

    name: str
    answer: Answer
    properties: Mapping[str, JsonObject] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    once: bool = False
    large: bool = False

    @property
    def schema(self) -> JsonObject:
        properties = dict(self.properties)
        if self.once:
            properties["idempotencyKey"] = {"type": "string", "minLength": 1, "maxLength": 128}
        return {
            "type": "object",
            "properties": properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


TEXT: JsonObject = {"type": "string"}
FILLED: JsonObject = {"type": "string", "minLength": 1, "pattern": r"\S"}
WHOLE: JsonObject = {"type": "integer", "minimum": 1}
FLAG: JsonObject = {"type": "boolean"}
GROUP: JsonObject = {"type": "object"}


class Methods:
    """All methods of a running assistant, and the results of the last ones that change something.

    Raises:
        ValueError: two methods have one name.
    """

    def __init__(
        self,
        methods: Iterable[Method],
        repeats: Repeats,
        lent: Callable[[], Mapping[str, Method]] = dict,
    ) -> None:
        """`lent`: those of plugins, by name, which come and go; one of `methods` goes first."""
        self._methods: dict[str, Method] = {}
        self._repeats = repeats
        self._lent = lent
        for method in methods:
            if method.name in self._methods:
                raise ValueError(f"{method.name} is there twice")
            self._methods[method.name] = method

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted({*self._methods, *self._lent()}))

    def takes_files(self, name: str) -> bool:
        """Whether a request for it may be longer than a frame else is."""
        return name in self._methods and self._methods[name].large

    async def call(self, name: str, params: JsonObject) -> JsonValue:
        """Answer a request.

        Raises:
            RpcFailure: it cannot be answered, in words for the one who asked.
        """
        method = self._methods.get(name) or self._lent().get(name)
        if method is None:
            text = why_left_out(name) or f"there is no method {name!r}"
            raise RpcFailure(ErrorCode.INVALID_REQUEST, text)
        problems = _problems(method, params)
        if problems:
            text = f"{name}: {problems[0]}"
            raise RpcFailure(ErrorCode.INVALID_REQUEST, text, details=problems)
        key = str(params.get("idempotencyKey", ""))
        given = Given({name: one for name, one in params.items() if name != "idempotencyKey"}, key)
        if not key:
            return await _answered(method, given)
        return await self._repeats.once((name, key), lambda: _answered(method, given))


async def _answered(method: Method, given: Given) -> JsonValue:
    try:
        return await method.answer(given)
    except RpcFailure:
        raise
    except UserInputInvalid as error:
        raise RpcFailure(ErrorCode.INVALID_REQUEST, str(error), details=error.code) from error
    except MoltbotError as error:
        raise RpcFailure(
            ErrorCode.UNAVAILABLE, str(error), error.retryable, details=error.code
        ) from error
    except Exception as error:
        # border: a bug in one method must cost its caller an answer, not everybody the socket
        _log.exception("method %s failed", method.name)
        text = f"{method.name} failed inside; the details are in the log"
        raise RpcFailure(ErrorCode.UNAVAILABLE, text) from error


def _problems(method: Method, params: JsonObject) -> list[str]:
    if _values(params, _MOST_VALUES) > _MOST_VALUES:
        return [f"the parameters hold more than {_MOST_VALUES:,} values"]
    plain = json.loads(json.dumps(dict(params), default=dict))
    errors = jsonschema.Draft202012Validator(method.schema).iter_errors(plain)
    return [_in_words(error) for _, error in zip(range(_MAX_PROBLEMS), errors, strict=False)]


def _values(params: JsonValue, most: int) -> int:
    """How many values there are in `params`, counted until they are more than `most`."""
    waiting, count = [params], 0
    while waiting and count <= most:
        one = waiting.pop()
        inside: Sequence[JsonValue] = ()
        if isinstance(one, Mapping):
            inside = list(one.values())
        elif isinstance(one, Sequence) and not isinstance(one, str):
            inside = one
        count += len(inside)
        if count <= most:
            waiting += inside
    return count


def _in_words(error: jsonschema.ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    return f"`{where}`: {error.message}"[:300] if where else error.message[:300]


class Repeats:
    """What was answered under an idempotency key: the same key gets the same answer.

    Kept for five minutes and for the last 1,000 keys (the reference's figures). One that is still
    being answered is waited for; one that failed may be tried again.
    """

    SECONDS = 300.0
    MOST = 1_000

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kept: dict[tuple[str, str], tuple[float, asyncio.Future[JsonValue]]] = {}

    async def once(
        self, key: tuple[str, str], work: Callable[[], Awaitable[JsonValue]]
    ) -> JsonValue:
        self._drop_old()
        if key in self._kept:
            return await asyncio.shield(self._kept[key][1])
        answer: asyncio.Future[JsonValue] = asyncio.ensure_future(work())
        self._kept[key] = (self._monotonic(), answer)
        answer.add_done_callback(partial(self._answered, key))
        return await asyncio.shield(answer)

    def _answered(self, key: tuple[str, str], answer: asyncio.Future[JsonValue]) -> None:
        """A failure is not kept, even where whoever asked has gone meanwhile."""
        if answer.cancelled() or answer.exception() is not None:
            self._kept.pop(key, None)

    def _drop_old(self) -> None:
        now = self._monotonic()
        for key, (at, answer) in list(self._kept.items()):
            too_many = len(self._kept) > self.MOST
            if answer.done() and (too_many or now - at > self.SECONDS):
                del self._kept[key]
            elif not too_many:
                break
