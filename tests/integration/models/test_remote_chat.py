"""The remote chat model over real sockets, against a strict server on loopback."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from email.utils import formatdate

import pytest

from moltbot_desktop.core.errors import (
    ContextOverflow,
    RemoteAnswerBroken,
    RemoteKeyRefused,
    RemoteModelError,
    RemoteModelUnknown,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteRequestRefused,
    RemoteTimedOut,
    RemoteUnreachable,
)
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.remote.chat import RemoteChatModel
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationRequest,
    ModelEvent,
    PromptEvaluated,
    TextDelta,
)
from tests.fakes.asking import Never, asking, calls_in, done, events_of, malformed_in, said
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.openai_server import (
    ApiServer,
    Reply,
    call,
    counts,
    cut,
    ends,
    hangs,
    refuses,
    streams,
    text,
    thinks,
)

KEY = "sk-a-secret"
CALC = next(tool for tool in BUILT_IN if tool.name == "calc")


def answered(
    server: ApiServer, request: GenerationRequest | None = None, key: str = KEY, **facts: object
) -> Sequence[ModelEvent]:
    """The events of one generation at `server`."""

    async def run() -> Sequence[ModelEvent]:
        endpoint = Endpoint("fake", "m", server.base_url, **facts)  # type: ignore[arg-type]
        model = RemoteChatModel(endpoint, key=lambda: key)
        try:
            return await events_of(model, request or asking("hello"))
        finally:
            await model.close()

    return asyncio.run(run())


def failed(server: ApiServer, **facts: object) -> RemoteModelError:
    with pytest.raises(RemoteModelError) as caught:
        answered(server, **facts)
    return caught.value


def test_text_comes_as_it_is_written_and_usage_is_the_servers() -> None:
    reply = streams(text("Hel"), text("lo"), ends(), counts(12, 2, cached=8))
    with ApiServer([reply], key=KEY) as server:
        events = answered(server)
    assert isinstance(events[0], PromptEvaluated)
    assert [event for event in events if isinstance(event, TextDelta)] == [
        TextDelta("Hel"),
        TextDelta("lo"),
    ]
    assert done(events).reason is FinishReason.STOP
    assert done(events).usage == Usage(12, 8, 2)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields_are_thinking(field: str) -> None:
    with ApiServer([streams(thinks("hm", field), text("Yes."), ends())]) as server:
        events = answered(server)
    assert TextDelta("hm", thinking=True) in events
    assert said(events) == "Yes."


def test_think_tags_in_the_text_are_thinking_however_they_are_cut() -> None:
    pieces = [text(piece) for piece in ("<th", "ink>hm", "</thi", "nk>\n", "Yes.")]
    with ApiServer([streams(*pieces, ends())]) as server:
        events = answered(server)
    thought = [e.text for e in events if isinstance(e, TextDelta) and e.thinking]
    assert "".join(thought) == "hm" and said(events) == "Yes."


def test_calls_are_put_together_from_their_pieces_and_keep_their_ids() -> None:
    reply = streams(
        text("Let me see."),
        call(0, "", "calc", "call_a"),
        call(0, '{"expres'),
        call(1, '{"expression": "3', "calc", "call_b"),
        call(0, 'sion": "2+2"}'),
        call(1, '*3"}'),
        ends("tool_calls"),
    )
    with ApiServer([reply], key=KEY) as server:
        events = answered(server, asking("sum", tools=(CALC,)))
    assert calls_in(events) == [
        ToolCall("call_a", "calc", {"expression": "2+2"}),
        ToolCall("call_b", "calc", {"expression": "3*3"}),
    ]
    assert done(events).reason is FinishReason.TOOL_CALLS


def test_a_call_that_does_not_fit_the_schema_is_malformed_not_run() -> None:
    reply = streams(call(0, '{"formula": "1"}', "calc", "x"), ends("tool_calls"))
    with ApiServer([reply]) as server:
        events = answered(server, asking("sum", tools=(CALC,)))
    [wrong] = malformed_in(events)
    assert "expression" in wrong.problem and not calls_in(events)
    assert done(events).reason is FinishReason.STOP


def test_an_earlier_call_and_its_result_are_sent_as_a_pair() -> None:
    call_made = ToolCall("c1", "calc", {"expression": "2+2"})
    pair = (
        ChatMessage(Role.ASSISTANT, "", (call_made,), thinking="ponder"),
        ChatMessage(Role.TOOL, "4", tool_call_id="c1", tool_name="calc"),
    )
    request = asking("sum", tools=(CALC,), force_tool="calc")
    twice = GenerationRequest(
        (*request.messages, *pair, *pair), request.tools, force_tool=request.force_tool
    )
    with ApiServer([streams(text("4"), ends())]) as server:
        assert said(answered(server, twice)) == "4"
    body = server.requests[0].body
    sent = body["messages"]
    assert [m["tool_calls"][0]["id"] for m in sent if "tool_calls" in m] == ["c1", "c1_2"]
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ["c1", "c1_2"]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "calc"}}
    assert "ponder" not in str(body)


def test_nothing_about_this_computer_and_no_foreign_header_leaves_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-other")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-other")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Tracking: yes")
    with ApiServer([streams(text("a"), ends())], key=KEY) as server:
        answered(server, headers={"X-Mine": "1"})
    headers = server.requests[0].headers
    assert headers["x-mine"] == "1" and headers["user-agent"].startswith("moltbot-desktop/")
    assert set(headers) <= {
        "host", "accept", "accept-encoding", "connection", "content-length", "content-type",
        "authorization", "x-mine", "user-agent",
    }  # fmt: skip


def test_without_a_key_no_key_is_sent_not_even_the_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-another-server")
    with ApiServer([streams(text("a"), ends())]) as server:
        answered(server, key="")
    assert "authorization" not in server.requests[0].headers


def test_a_proxy_of_the_environment_is_not_asked_for_this_computer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with ApiServer([streams(text("a"), ends())]) as server:
        assert said(answered(server)) == "a"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuses(401), RemoteKeyRefused),
        (refuses(403), RemoteKeyRefused),
        (refuses(404, "no model m"), RemoteModelUnknown),
        (refuses(429), RemoteRateLimited),
        (refuses(500), RemoteOverloaded),
        (refuses(503), RemoteOverloaded),
        (refuses(400, "bad field"), RemoteRequestRefused),
        (Reply(302, body={}, headers={"Location": "http://127.0.0.1:9/"}), RemoteRequestRefused),
        (streams(b"data: {broken\n\n"), RemoteAnswerBroken),
        (streams(text("half")), RemoteAnswerBroken),
        (cut(text("half")), RemoteAnswerBroken),
        (streams({"error": {"message": "worker died"}}), RemoteOverloaded),
        (streams(text("x"), ends("content_filter")), RemoteRequestRefused),
    ],
)
def test_each_failure_has_its_own_error_and_is_asked_once(
    reply: Reply, kind: type[RemoteModelError]
) -> None:
    with ApiServer([reply]) as server:
        error = failed(server)
    assert type(error) is kind and error.hint
    assert len(server.requests) == 1


LM_STUDIO = {"error": "Unexpected endpoint or method. (POST /chat/completions)"}
WHOLE = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(body=LM_STUDIO), "Unexpected endpoint or method. (POST /chat/completions)"),
        (Reply(body=b"<html>hi</html>", headers={"Content-Type": "text/html"}), "a web page"),
        (Reply(body=b"<html>hi</html>"), "no stream"),
        (Reply(body=b"[" * 70_000), "no stream"),
        (Reply(body=WHOLE), "no stream"),
    ],
)
def test_an_address_that_is_not_the_apis_is_told_as_such(reply: Reply, words: str) -> None:
    with ApiServer([reply]) as server:
        error = failed(server)
        place = server.origin.removeprefix("http://")
    assert type(error) is RemoteAnswerBroken and len(server.requests) == 1
    assert words in error.message and place in error.message and "<html>" not in error.message
    assert error.hint == "Check baseUrl (it often ends in /v1)."


@pytest.mark.parametrize("kind", ["", "text/plain; charset=utf-8", "Text/Event-Stream"])
def test_a_stream_by_another_name_is_read(kind: str) -> None:
    reply = Reply(chunks=(text("Hello"), ends()), headers={"Content-Type": kind})
    with ApiServer([reply]) as server:
        assert said(answered(server)) == "Hello"


def test_a_certificate_that_is_not_trusted_is_told_as_such() -> None:
    with ApiServer(tls=True) as server:
        error = failed(server)
    assert isinstance(error, RemoteUnreachable) and not server.requests
    assert "certificate" in error.message and "self" in error.message
    assert "SSL_CERT_FILE" in error.hint


def test_a_date_to_wait_for_is_obeyed() -> None:
    later = formatdate(time.time() + 600, usegmt=True)
    with ApiServer([refuses(429, Retry_After=later)]) as server:
        error = failed(server)
    assert isinstance(error, RemoteRateLimited) and error.retry_after is not None
    assert 500 < error.retry_after <= 600


def test_a_rate_limit_tells_how_long() -> None:
    with ApiServer([refuses(429, Retry_After="17")]) as server:
        error = failed(server)
    assert isinstance(error, RemoteRateLimited)
    assert error.retry_after == 17 and "17 seconds" in error.message


def test_a_refused_key_is_never_repeated() -> None:
    with ApiServer([], key="the-right-one") as server:
        error = failed(server)
    assert isinstance(error, RemoteKeyRefused)
    assert KEY not in str(error) and "the-right-one" not in str(error)


@pytest.mark.parametrize(
    "reply",
    [
        refuses(400, "This model's maximum context length is 8192 tokens"),
        refuses(400, "too long", "context_length_exceeded"),
        refuses(400, "request (9000 tokens) exceeds the available context size (4096 tokens)"),
    ],
)
def test_a_prompt_that_is_too_long_can_be_compacted(reply: Reply) -> None:
    with ApiServer([reply]) as server, pytest.raises(ContextOverflow):
        answered(server)


def test_nobody_there_is_unreachable() -> None:
    with ApiServer() as server:
        pass
    assert isinstance(failed(server), RemoteUnreachable)


@pytest.mark.parametrize("reply", [Reply(mute=True), Reply(chunks=(text("one"),), mute=True)])
def test_silence_is_a_time_out(reply: Reply) -> None:
    with ApiServer([reply]) as server:
        assert isinstance(failed(server, silence_seconds=0.2), RemoteTimedOut)


class Pulled:
    cancelled = False


@pytest.mark.parametrize("reply", [hangs(text("one")), hangs()])
def test_stopping_ends_the_answer_and_closes_the_connection(reply: Reply) -> None:
    async def run(server: ApiServer) -> Sequence[ModelEvent]:
        model = RemoteChatModel(Endpoint("fake", "m", server.base_url))
        token = Pulled()

        async def pull() -> None:
            while not server.requests:
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.05)
            token.cancelled = True

        pulling = asyncio.create_task(pull())
        events = await events_of(model, asking("hello"), token)
        await pulling
        # The server notices without the model being closed.
        assert await asyncio.to_thread(server.left.wait, 20)
        await model.close()
        return events

    with ApiServer([reply]) as server:
        events = asyncio.run(run(server))
    assert done(events).reason is FinishReason.CANCELLED


def test_leaving_the_answer_early_closes_the_connection() -> None:
    async def run(server: ApiServer) -> None:
        model = RemoteChatModel(Endpoint("fake", "m", server.base_url))
        stream = model.generate(asking("hello"), Never())
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        await stream.aclose()  # type: ignore[attr-defined]
        assert await asyncio.to_thread(server.left.wait, 20)
        await model.close()

    with ApiServer([hangs(text("one"))]) as server:
        asyncio.run(run(server))


def test_a_refused_key_is_looked_up_again_at_the_next_try() -> None:
    keys = iter(["old", "new"])

    async def run(server: ApiServer) -> str:
        model = RemoteChatModel(Endpoint("fake", "m", server.base_url), key=lambda: next(keys))
        with pytest.raises(RemoteKeyRefused):
            await events_of(model, asking("hello"))
        try:
            return said(await events_of(model, asking("hello")))
        finally:
            await model.close()

    with ApiServer([streams(text("in"), ends())], key="new") as server:
        assert asyncio.run(run(server)) == "in"


def test_the_key_is_looked_up_off_the_event_loop() -> None:
    asked_on: list[threading.Thread] = []

    def key() -> str:
        asked_on.append(threading.current_thread())
        return KEY

    async def run(server: ApiServer) -> None:
        model = RemoteChatModel(Endpoint("fake", "m", server.base_url), key=key)
        await events_of(model, asking("hello"))
        await model.close()

    with ApiServer([streams(text("in"), ends())], key=KEY) as server:
        asyncio.run(run(server))
    assert asked_on and asked_on[0] is not threading.main_thread()
