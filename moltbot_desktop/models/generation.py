"""One answer, token by token, on the model thread.

    steps = Generation(engine, request, emit, CancelSignal).steps()

The generator yields after every prompt chunk, and between two tokens when a more urgent job wants
to go first; when it goes on, the context may hold another job's tokens, which `read` repairs.

A tool call is written in two phases: free decoding up to the model's own call marker, then an
eager grammar made from the tools' schemas. Lazy grammars are not used: they crash the process
when the text after the trigger does not fit. The starter model has no second phase: its pointer
mask allows only the request's own words in a call.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from moltbot_desktop.core.errors import ContextOverflow, GrammarRejected
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.answer_grammar import answer_grammar
from moltbot_desktop.models.arrays import Floats, np
from moltbot_desktop.models.conversations import NOBODY, Conversations
from moltbot_desktop.models.grammar import DEFAULT_STRING_LIMIT, MAX_CALLS, call_grammar
from moltbot_desktop.models.llama import (
    GrammarSampler,
    LlamaContext,
    overflow,
)
from moltbot_desktop.models.reading import (
    Steps,
    certain_head,
    encodable,
    next_beginning,
    prompt_tokens,
    read,
)
from moltbot_desktop.models.sampling import choose, probabilities, restrict
from moltbot_desktop.models.scanner import (
    CallClosed,
    CallCut,
    CallOpened,
    ScanEvent,
    StopReached,
    StreamScanner,
    Text,
    Thinking,
)
from moltbot_desktop.models.starter import STARTER_FORMAT, PointerMask, StarterLayout
from moltbot_desktop.models.stop_flag import Interrupted
from moltbot_desktop.models.template import ChatTemplate, RenderedPrompt
from moltbot_desktop.models.thinking import thinking_variables
from moltbot_desktop.models.unseen import unseen_arguments
from moltbot_desktop.sdk.models import (
    ANY_TOOL,
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    ModelEvent,
    Priority,
    PromptEvaluated,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken, ToolSpec

Emit = Callable[[ModelEvent], None]

_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class StarterParts:
    """What the starter model adds.

    Attributes:
        layout: ids of its call tokens.
        texts: of its whole vocabulary, by token id.
        tools: specs of all tools it knows by heart, every argument a text.
    """

    layout: StarterLayout
    texts: tuple[str, ...]
    tools: tuple[ToolSpec, ...]


@dataclass(frozen=True)
class Engine:
    """A loaded chat model: llama.cpp's part, the file's own template, and who is in memory."""

    context: LlamaContext
    template: ChatTemplate
    conversations: Conversations
    starter: StarterParts | None = None


class _Finished(Exception):
    """Ends the decoding from any depth."""

    def __init__(self, reason: FinishReason) -> None:
        super().__init__(reason)
        self.reason = reason


class Generation:
    """The state of one answer: made for it, run once, on the model thread.

    An answer ends after `request.max_tokens` tokens, or earlier where the window does.
    """

    def __init__(
        self, engine: Engine, request: GenerationRequest, emit: Emit, cancel: CancelToken
    ) -> None:
        self._engine = engine
        self._context = engine.context
        self._request = request
        self._emit = emit
        self._cancel = cancel
        self._random = Random(request.seed)
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._format = STARTER_FORMAT if engine.starter else engine.template.call_format
        self._tools = _tools_of(engine, request)
        self._conversation = conversation_of(engine, request)
        self._variables = thinking_variables(request.thinking)
        self._scanner = StreamScanner(None)
        self._tokens: list[int] = []
        self._prompt_length = 0
        self._cached = 0
        self._written = 0
        self._calls = 0
        self._spoken = False
        self._opened: CallOpened | None = None
        self._mask: PointerMask | None = None
        self._confidence = 1.0
        # Memory holds all tokens but those written since.
        self._undisturbed = False

    def steps(self) -> Steps:
        """Run it; the last event is `GenerationDone`.

        Raises:
            ContextOverflow: the prompt does not fit; nothing was evaluated.
            ModelError: llama.cpp cannot go on.
        """
        reason = FinishReason.STOP
        try:
            yield from self._prepare()
            yield from self._decode()
        except _Finished as finished:
            reason = finished.reason
        self._flush(reason)
        if self._calls and reason is not FinishReason.CANCELLED:
            reason = FinishReason.TOOL_CALLS
        usage = Usage(self._prompt_length, self._cached, self._written)
        self._emit(GenerationDone(reason, usage))

    # -- the prompt ---------------------------------------------------------------------------

    def _prepare(self) -> Steps:
        self._stop_if_cancelled()
        shown = () if self._engine.starter else self._request.tools
        prompt = self._engine.template.render_prompt(
            self._request.messages, shown, extra=self._variables
        )
        opening = self._forced_opening(prompt)
        text = encodable(prompt.text + (opening or ""))
        self._tokens = prompt_tokens(self._context, text)
        self._prompt_length = len(self._tokens)
        room = min(self._request.max_tokens, max(1, self._context.window // 16))
        said = self._said_tokens(text) if self._engine.starter else ()
        room = max(room, len(said))  # its call may say all of them again
        if self._prompt_length + room > self._context.window:
            raise overflow(self._prompt_length + room, self._context.window)
        if self._engine.starter:
            texts = self._engine.starter.texts
            layout = self._engine.starter.layout
            self._mask = PointerMask(layout, said, [texts[token] for token in said])
        yield from self._evaluate_prompt()
        self._scanner = StreamScanner(
            self._format if self._tools else None,
            markers=self._format.markers(self._tools),
            thinking=prompt.thinking,
            in_thinking="" if opening is not None else prompt.thinking_end,
            stops=prompt.stops,
        )
        if opening is not None and self._request.force_tool:
            self._handle(self._scanner.open_call())

    def _forced_opening(self, prompt: RenderedPrompt) -> str | None:
        """What the model is made to begin with when a tool is forced ("" for a syntax without a
        marker) or its answer has a form; None when it is free."""
        forced = self._request.force_tool
        if self._engine.starter or (not forced and self._request.answer_schema is None):
            return None
        closing = f"{prompt.thinking_end}\n\n" if prompt.opens_thinking else ""
        return closing + self._format.open if forced else closing

    def _said_tokens(self, prompt: str) -> Sequence[int]:
        """The tokens that the person's own words have in this prompt."""
        said = encodable(_last_user_text(self._request.messages))
        begin = prompt.rfind(said)  # from behind: the template's own marks stand before it
        if not said or begin < 0:
            return self._context.tokenize(said, special=False)
        # With the blank that the template puts in front: before a Chinese text it is a token of its
        # own, and a value that begins the request was learnt with it.
        start = begin - prompt[:begin].endswith(" ")
        first, last = len(prompt[:start].encode()), len(prompt[: begin + len(said)].encode())
        return self._tokens_between(first, last)

    def _tokens_between(self, first: int, last: int) -> list[int]:
        """Tokens of the prompt that have bytes in `first`..`last`."""
        found, position = [], 0
        for token in self._tokens:
            end = position + len(self._context.piece(token))
            if end > first and position < last:
                found.append(token)
            position = end
        return found

    def _evaluate_prompt(self) -> Steps:
        total = len(self._tokens)
        self._engine.conversations.enter(self._conversation, self._tokens)
        self._cached = min(self._context.align(self._tokens), total)
        self._emit(PromptEvaluated(self._cached, total, self._cached))
        milestone = next_beginning(
            self._context,
            self._engine.template,
            self._request.messages,
            self._request.tools,
            self._variables,
        )
        yield from self._evaluate(
            lambda done: self._emit(PromptEvaluated(done, total, self._cached)), milestone
        )

    def _evaluate(self, progress: Callable[[int], None] | None = None, milestone: int = 0) -> Steps:
        """Bring the context to exactly `self._tokens`, with logits for the last of them."""
        self._undisturbed = False
        yield from read(
            self._context,
            self._engine.conversations,
            self._conversation,
            self._tokens,
            self._stop_if_cancelled,
            progress,
            milestone,
        )
        self._undisturbed = True

    def _stop_if_cancelled(self) -> None:
        if self._cancel.cancelled:
            raise _Finished(FinishReason.CANCELLED)

    # -- decoding -----------------------------------------------------------------------------

    def _decode(self) -> Steps:
        self._require_room()
        if self._request.answer_schema is not None and self._mask is None:
            yield from self._constrained_answer(self._request.answer_schema)
        if self._opened is not None and self._mask is None:
            yield from self._constrained_call()
            yield from self._evaluate_written()
        while True:
            self._write(self._next_token(self._context.logits()))
            if self._opened is not None and self._mask is None:
                yield from self._constrained_call()
            yield from self._evaluate_written()

    def _evaluate_written(self) -> Iterable[None]:
        """Evaluate the token written last.

        Nothing of the reading of a prompt is needed for that unless another job was let in: what
        stands between two evaluations runs with caches that the weights have just emptied, and a
        small model writes a token in a few milliseconds.
        """
        self._require_room()
        self._stop_if_cancelled()
        if self._undisturbed and not self._context.interrupted:
            try:
                self._context.advance(self._tokens[-1:])
            except Interrupted:
                pass
            else:
                return ()
        return self._after_others()

    def _after_others(self) -> Steps:
        """Let a more urgent job go first, then repair what it left of the memory."""
        yield
        yield from self._evaluate()

    def _require_room(self) -> None:
        full = len(self._tokens) >= self._context.window
        if full or self._written >= self._request.max_tokens:
            raise _Finished(FinishReason.LENGTH)

    def _next_token(self, logits: Floats) -> int:
        if self._mask is None:
            return self._chosen(logits)
        answer = self._tokens[self._prompt_length :]
        allowed = self._mask.allowed(answer)
        # The starter is always greedy: it copies, it does not invent.
        possible = logits if allowed is None else restrict(logits, allowed)
        token = int(possible.argmax())
        if self._opened is not None or token in self._starter_openings():
            # Among what the mask allows: that the model would have liked to write on, or to change
            # a letter, says little about whether the words it may copy are the right ones.
            self._confidence = min(self._confidence, float(probabilities(possible)[token]))
        return token

    def _chosen(self, logits: Floats) -> int:
        request = self._request
        return choose(logits, request.temperature, self._random, request.top_p)

    def _starter_openings(self) -> frozenset[int]:
        starter = self._engine.starter
        return frozenset(starter.layout.openings.values()) if starter else frozenset()

    def _write(self, token: int) -> None:
        self._written += 1
        if token in self._context.end_tokens:
            raise _Finished(FinishReason.STOP)
        self._tokens.append(token)
        self._handle(self._scanner.feed(self._utf8.decode(self._context.piece(token))))

    def _handle(self, events: Sequence[ScanEvent]) -> None:
        for event in events:
            match event:
                case Text(text):
                    self._say(text)
                case Thinking(text):
                    self._emit(TextDelta(text, thinking=True))
                case CallOpened():
                    self._opened = event
                case CallClosed(body):
                    self._opened = None
                    self._calls_written(body)
                case CallCut(body):
                    self._opened = None
                    self._emit(MalformedCall(body, self._cut_problem()))
                case StopReached():
                    raise _Finished(FinishReason.STOP)

    def _say(self, text: str) -> None:
        """Text for the person; the blanks a template leaves before an answer are not part of it."""
        text = text if self._spoken else text.lstrip()
        if text:
            self._spoken = True
            self._emit(TextDelta(text))

    def _cut_problem(self) -> str:
        if self._written < self._request.max_tokens and len(self._tokens) < self._context.window:
            return "the call was not finished"
        return f"the call was cut off: the answer reached its limit of {self._written} tokens"

    def _flush(self, reason: FinishReason) -> None:
        """What the scanner held back; a call that was cut off is never run."""
        if reason is FinishReason.CANCELLED:
            return
        try:
            self._handle(self._scanner.feed(self._utf8.decode(b"", final=True)))
            self._handle(self._scanner.finish())
        except _Finished:
            # A stop text in the last characters: the answer is over anyway.
            return

    # -- calls --------------------------------------------------------------------------------

    def _calls_written(self, body: str) -> None:
        """Hand on a section's calls. When one is broken, all are to be written again: were the
        others run, nobody would hear of it."""
        calls = []
        for number, part in enumerate(self._format.split(body), self._calls + 1):
            parsed = self._parsed(part, f"call-{number}")
            if isinstance(parsed, MalformedCall):
                self._emit(MalformedCall(body, parsed.problem))
                raise _Finished(FinishReason.STOP)
            calls.append(parsed)
        for call in calls:
            self._calls += 1
            self._emit(ToolCallWritten(call))
        if self._request.force_tool or self._mask is not None:
            raise _Finished(FinishReason.TOOL_CALLS)

    def _parsed(self, body: str, call_id: str) -> ToolCall | MalformedCall:
        parsed = self._format.parse(body, self._tools, call_id)
        return self._checked(parsed, body) if isinstance(parsed, ToolCall) else parsed

    def _checked(self, call: ToolCall, body: str) -> ToolCall | MalformedCall:
        """`call` with what we know about it; one whose text the grammar cut off is malformed."""
        limit = self._string_limit()
        for name, value in call.arguments.items():
            if isinstance(value, str) and len(value) >= limit:
                # Not "in several calls": the second `write` to a file would replace the first.
                problem = f"`{name}` is longer than {limit} characters; write less, and say that"
                return MalformedCall(body, f"{problem} it is not all")
        messages = [message.content for message in self._request.messages]
        unseen = unseen_arguments(call, _schema_of(call.name, self._tools), messages)
        return ToolCall(call.id, call.name, call.arguments, self._confidence, unseen)

    def _string_limit(self) -> int:
        room = min(self._request.max_tokens, self._context.window - self._prompt_length)
        return max(16, min(DEFAULT_STRING_LIMIT, room * _CHARACTERS_PER_TOKEN))

    def _constrained_call(self) -> Steps:
        """The second phase: everything after the marker, by the grammar."""
        opened, self._opened = self._opened, None
        sampler = self._grammar()
        if sampler is None or opened is None:
            return
        try:
            if not self._return_to_marker(opened.rest) or not self._taken(sampler, opened.kept):
                return
            self._scanner.restart_call()
            calls = self._calls
            self._require_room()
            yield from self._evaluate()
            while True:
                self._write(self._constrained_token(sampler))
                if self._calls > calls:
                    return
                yield from self._evaluate_written()
        finally:
            sampler.close()

    def _constrained_answer(self, schema: JsonObject) -> Steps:
        """The whole answer by the grammar of `schema`, until it is complete.

        Raises:
            GrammarRejected: there is no such grammar.
        """
        text = answer_grammar(schema, string_limit=self._string_limit())
        sampler = self._context.grammar(text)
        try:
            while True:
                self._write(self._constrained_token(sampler))
                yield from self._evaluate_written()
        finally:
            sampler.close()

    def _grammar(self) -> GrammarSampler | None:
        """None when no grammar can be made: then the call is decoded freely and only parsed."""
        forced = self._request.force_tool
        tools = [tool for tool in self._tools if forced in ("", ANY_TOOL, tool.name)]
        try:
            most = 1 if forced else MAX_CALLS
            text = call_grammar(self._format, tools, string_limit=self._string_limit(), most=most)
            return self._context.grammar(text)
        except GrammarRejected:
            return None

    def _constrained_token(self, sampler: GrammarSampler) -> int:
        logits = self._context.logits()
        token = self._chosen(logits)
        # Usually the model's own choice fits: only then is the whole vocabulary not filtered.
        if not sampler.allows(token):
            masked = sampler.mask(logits)
            if not np.isfinite(masked.max()):
                raise _Finished(FinishReason.STOP)
            token = self._chosen(masked)
        sampler.accept(token)
        return token

    def _taken(self, sampler: GrammarSampler, kept: str) -> bool:
        """Bring the grammar past the part of the marker that belongs to the call already.

        Returns:
            False when it cannot stand there; the call is then decoded freely.
        """
        tokens = self._context.tokenize(kept, special=False) if kept else []
        if b"".join(map(self._context.piece, tokens)).lstrip() != kept.encode().lstrip():
            return False
        try:
            for token in tokens:
                sampler.accept(token)
        except GrammarRejected:
            return False
        return True

    def _return_to_marker(self, rest: str) -> bool:
        """Drop what the model wrote after the marker in the marker's last token.

        Returns:
            False when the tokens cannot be cut there; the call is then decoded freely.
        """
        half_character, _ = self._utf8.getstate()
        after = rest.encode() + half_character
        if not after:
            return True
        piece = self._context.piece(self._tokens[-1])
        if not piece.endswith(after):
            return False
        head = piece[: len(piece) - len(after)]
        again = self._context.tokenize(head.decode(errors="replace"), special=False)
        pieces = [self._context.piece(token) for token in again]
        if pieces and pieces[0] == b" " and not head.startswith(b" "):
            # Some vocabularies put a blank before any text.
            again, pieces = again[1:], pieces[1:]
        if b"".join(pieces) != head:
            return False
        self._tokens[-1:] = again
        self._undisturbed = False
        self._utf8.reset()
        return True


def read_ahead(engine: Engine, request: GenerationRequest, cancel: CancelToken) -> Steps:
    """Read what is certain of a prompt whose last message is still being typed."""

    def check() -> None:
        if cancel.cancelled:
            raise _Finished(FinishReason.CANCELLED)

    try:
        check()
        context, messages, tools = engine.context, request.messages, request.tools
        variables = thinking_variables(request.thinking)
        head = certain_head(context, engine.template, messages, tools, variables)
        milestone = next_beginning(context, engine.template, messages, tools, variables)
        conversation = conversation_of(engine, request)
        if 0 < len(head) < context.window:
            yield from read(
                context, engine.conversations, conversation, head, check, milestone=milestone
            )
    except (_Finished, ContextOverflow):
        # What does not fit is told when it is really asked.
        return


def conversation_of(engine: Engine, request: GenerationRequest) -> str:
    """Whose cache a request uses. Work in the background has none; the starter's prompts are so
    short that keeping them is not worth it."""
    in_background = request.priority >= Priority.BACKGROUND
    return NOBODY if engine.starter or in_background else request.conversation


def _tools_of(engine: Engine, request: GenerationRequest) -> tuple[ToolSpec, ...]:
    """Tools whose calls are understood: the starter writes those it knows by heart anyway."""
    if engine.starter is None:
        return request.tools
    offered = {tool.name for tool in request.tools}
    missing = [tool for tool in engine.starter.tools if tool.name not in offered]
    return (*request.tools, *missing)


def _schema_of(name: str, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    return next((tool for tool in tools if tool.name == name), None)


def _last_user_text(messages: Sequence[ChatMessage]) -> str:
    contents = [message.content for message in messages if message.role is Role.USER]
    return contents[-1].strip() if contents else ""
