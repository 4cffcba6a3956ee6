"""What a server's refusal means, as an error that says what to do. Pure.

Statuses and codes are those of OpenAI, llama-server, vLLM, Ollama and LM Studio. A server's own
words are passed on cut, and never for a refused key: some quote the key.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from moltbot_desktop.core.errors import (
    ContextOverflow,
    ModelError,
    RemoteAnswerBroken,
    RemoteKeyRefused,
    RemoteModelUnknown,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteRequestRefused,
    RemoteTimedOut,
    RemoteUnpaid,
    RemoteUnreachable,
)
from moltbot_desktop.models.remote.endpoint import Endpoint

_LONGEST_WORDS = 200
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (?:length|window)"
    r"|exceeds? the (?:available )?context|prompt is too long|input token count.{0,40}exceeds",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"api.?key not valid|API_KEY_INVALID", re.IGNORECASE)  # Gemini says 400
_UNPAID = re.compile(r"insufficient_quota|billing_hard_limit|credit balance", re.IGNORECASE)


def refusal(
    status: int,
    words: str,
    endpoint: Endpoint,
    *,
    headers: Mapping[str, str] | None = None,
) -> ModelError:
    """The error for an answer with `status`.

    Args:
        words: message and code of the answer's body, for recognising and for the person.
        headers: of the answer, names in lower case; for Retry-After.
    """
    provider, said = endpoint.provider, _said(words)
    if status in (400, 413, 422, 500) and _TOO_LONG.search(words):
        return ContextOverflow(
            f"The conversation is too long for {endpoint.name}{said}.",
            hint="Start a new conversation, or correct contextWindow in moltbot.json.",
        )
    if status == 402 or _UNPAID.search(words):
        return RemoteUnpaid(
            f"The account at {provider} has no credit left (status {status}).",
            hint="Look at the provider's billing page.",
        )
    if status == 400 and _BAD_KEY.search(words):
        status = 401
    match status:
        case 401 | 403:
            return RemoteKeyRefused(
                f"{provider} does not accept the key (status {status}).",
                hint=f"Check models.providers.{provider}.apiKey and what the key may be used for.",
            )
        case 404:
            return RemoteModelUnknown(
                f"{endpoint.place} knows no model “{endpoint.model}”{said}.",
                hint="Check the model's id and baseUrl (it often ends in /v1).",
            )
        case 408 | 504:
            return RemoteTimedOut(f"{provider} took too long (status {status}).", hint=_LATER)
        case 429:
            wait = retry_after(headers or {})
            told = f"; it asks to wait {wait:.0f} seconds" if wait else ""
            return RemoteRateLimited(
                f"{provider} takes no more requests for now{told}.", hint=_LATER, retry_after=wait
            )
        case _ if status >= 500:
            return RemoteOverloaded(
                f"{provider} has trouble of its own (status {status}){said}.", hint=_LATER
            )
        case _ if 300 <= status < 400:
            return RemoteRequestRefused(
                f"{endpoint.place} sends elsewhere (status {status}), which a key must not follow.",
                hint="Write the final address into baseUrl.",
            )
        case _:
            return RemoteRequestRefused(
                f"{provider} refuses the request (status {status}){said}.",
                hint="If it names a field, the server is not quite OpenAI-compatible: see `compat`"
                " and `reasoning` of the model in moltbot.json.",
            )


def refusal_in_stream(words: str, endpoint: Endpoint) -> ModelError:
    """The error for an error that came inside a stream that had begun well."""
    if re.search(r"rate.?limit", words, re.IGNORECASE):
        return refusal(429, words, endpoint)
    return refusal(500, words, endpoint)


def unreachable(endpoint: Endpoint, cause: BaseException | None) -> RemoteUnreachable:
    """The error for a connection that did not come about, because of `cause` if that is known."""
    for one in _causes(cause):
        if isinstance(one, ssl.SSLCertVerificationError):
            return RemoteUnreachable(
                f"The certificate of {endpoint.place} is not trusted ({one.verify_message}).",
                hint="Check the address and this computer's clock. A certificate of your own must"
                " be among those the system trusts, or in the file that SSL_CERT_FILE names.",
            )
    return RemoteUnreachable(
        f"{endpoint.provider} cannot be reached at {endpoint.place}.",
        hint="Is the server running, is the address right, is there a network?",
    )


def other_api(kind: str, words: str, endpoint: Endpoint) -> RemoteAnswerBroken:
    """The error for a success that is not what the API says, as another address gives it.

    Args:
        kind: what came in place of it, for the person.
    """
    return RemoteAnswerBroken(
        f"{endpoint.place} answers with {kind}{_said(words)}.",
        hint="Check baseUrl (it often ends in /v1).",
    )


def silent(endpoint: Endpoint) -> RemoteTimedOut:
    return RemoteTimedOut(
        f"{endpoint.provider} was silent for too long.",
        hint="A slow server may need longer than this for a long conversation; ask again.",
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; None without a usable one.

    It is a number or a date; the date counts from the server's own Date, so that neither clock
    has to be right.
    """
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,6})?", text):
        return float(text)
    until, now = _date(text), _date(headers.get("date", ""))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime | None:
    """The aware time of a header; None when it is none."""
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return None if date.tzinfo is None else date


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error` and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


_LATER = "Ask again in a while, or name fallbacks in agents.defaults.model."


def _said(words: str) -> str:
    """A server's own words behind ours, on one line."""
    line = " ".join(words.split())
    if not line:
        return ""
    return ": " + (line if len(line) <= _LONGEST_WORDS else line[:_LONGEST_WORDS] + "…").rstrip(".")


def words_of(body: object) -> str:
    """Code and message out of an error's body, in the shapes servers use."""
    if not isinstance(body, Mapping):
        return body if isinstance(body, str) else ""
    inner = body.get("error", body)
    if not isinstance(inner, Mapping):
        return str(inner)
    parts = [inner.get("code"), inner.get("type"), inner.get("message") or inner.get("detail")]
    return " ".join(str(part) for part in parts if isinstance(part, str | int) and part)
