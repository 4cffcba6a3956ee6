"""llama.cpp: the one file that uses it. Everything here belongs to the model thread.

Two threads in one context kill the process, so each object remembers the thread that made it and
refuses every other one. The low-level functions are used, not `llama_cpp.Llama`: that class
redirects stdout and stderr of the whole process while it loads, adds a NULL sampler to its chain
when a grammar is bad (a crash), cuts embeddings' last token off, and keeps all logits.
"""

from __future__ import annotations

import ctypes
import logging
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.errors import (
    ContextOverflow,
    GrammarRejected,
    ModelError,
    ModelFileInvalid,
)
from moltbot_desktop.models.arrays import Floats, Numbers, np
from moltbot_desktop.models.cores import threads_for
from moltbot_desktop.models.gbnf import check_gbnf
from moltbot_desktop.models.llama_library import CapturedErrors, llama_cpp, prepare, telling
from moltbot_desktop.models.machine import read_processor
from moltbot_desktop.models.offload import offload
from moltbot_desktop.models.states import SequenceState, common_prefix
from moltbot_desktop.models.stop_flag import Interrupted, StopFlag

_LOGGER = logging.getLogger("moltbot_desktop.models.llama")
_NO_GPU, _ALL_LAYERS = -1, -1
# More text than this for each token of the window cannot fit; it is not even tokenised.
_BYTES_PER_TOKEN_LIMIT = 64
EMBEDDING_WINDOW = 512
"""Tokens of a text an embedding model reads at most; more overruns position tables."""

_BYTES = ctypes.POINTER(ctypes.c_uint8)
_CANDIDATE = [("id", "i4"), ("logit", "f4"), ("p", "f4")]


@dataclass(frozen=True)
class LlamaParameters:
    """How to open a file.

    Attributes:
        context_tokens: window wanted, tokens; never more than the model was trained for.
        threads: for evaluation, at least 1.
        batch_tokens: prompt tokens evaluated in one call, 1 to 512.
        check_weights: look for NaN and infinities in all weights (reads the whole file).
        kv_cache: ``f16``, or ``q8_0``: half the memory and a little accuracy. A model that cannot
            have the latter gets the former; `LlamaContext.kv_reason` says why.
        gpu_layers: layers that a graphics card is to compute, the one that writes included; None
            for all. `LlamaContext.gpu_reason` says why they became fewer.
    """

    context_tokens: int
    threads: int
    batch_tokens: int = 256
    check_weights: bool = False
    kv_cache: str = "f16"
    gpu_layers: int | None = 0


def default_threads() -> int:
    """Threads that suit this computer; see `threads_for`."""
    return threads_for(read_processor())


class _Weights:
    """A loaded model file and its vocabulary."""

    def __init__(self, path: Path, *, check_weights: bool, gpu_layers: int = 0) -> None:
        prepare()
        self._owner = threading.get_ident()
        parameters = llama_cpp.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        if not gpu_layers:
            # Otherwise a card would still get buffers and lend a hand with long prompts; it may
            # be the very card that had no room.
            parameters.split_mode = llama_cpp.LLAMA_SPLIT_MODE_NONE
            parameters.main_gpu = _NO_GPU
        parameters.check_tensors = check_weights
        with CapturedErrors() as lines:
            model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
        if not model:
            reason = telling(lines, "llama.cpp gave no reason")
            raise ModelFileInvalid(
                f"The model file “{path.name}” cannot be used: {reason}.",
                hint="Download the file again, or choose another one.",
            )
        self.model = model
        self.vocab = llama_cpp.llama_model_get_vocab(model)
        self.vocabulary_size: int = llama_cpp.llama_vocab_n_tokens(self.vocab)
        self.trained_context: int = llama_cpp.llama_model_n_ctx_train(model)
        # One more than the file's: the layer that writes counts too.
        self.layers = int(llama_cpp.llama_model_n_layer(model)) + 1

    def check_thread(self) -> None:
        if threading.get_ident() != self._owner:
            raise RuntimeError("a llama.cpp object was used on a foreign thread")
        if self.model is None:
            raise ModelError("The model was closed.")

    def close(self) -> None:
        if self.model is not None:
            llama_cpp.llama_model_free(self.model)
            self.model = None

    def tokenize(self, text: str, *, special: bool, add_special: bool = False) -> list[int]:
        """Tokens of `text`; `special` lets control tokens' texts become control tokens."""
        self.check_thread()
        data = text.encode("utf-8", errors="replace")
        size = len(data) // 2 + 16
        while True:
            buffer = (llama_cpp.llama_token * size)()
            count = llama_cpp.llama_tokenize(
                self.vocab, data, len(data), buffer, size, add_special, special
            )
            if count >= 0:
                return list(buffer[:count])
            if -count <= size:
                raise ModelError("The text is too long for the tokenizer.")
            size = -count

    def piece(self, token: int) -> bytes:
        """The bytes of `token`, also of control tokens."""
        self.check_thread()
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, size, 0, True)
            if count >= 0:
                return buffer.raw[:count]
            size = -count

    def texts(self) -> list[str]:
        """Every token's text as the file has it (U+2581 for a space, ``<0x0A>`` for a byte)."""
        self.check_thread()
        return [self.text(token) for token in range(self.vocabulary_size)]

    def text(self, token: int) -> str:
        raw: bytes = llama_cpp.llama_vocab_get_text(self.vocab, token) or b""
        return raw.decode("utf-8", errors="replace")

    def special_token(self, token: int) -> str:
        """Text of a special token, "" when the vocabulary has none (-1)."""
        return self.text(token) if 0 <= token < self.vocabulary_size else ""

    def with_attribute(self, mask: int) -> list[int]:
        self.check_thread()
        get = llama_cpp.llama_vocab_get_attr
        return [token for token in range(self.vocabulary_size) if get(self.vocab, token) & mask]

    def metadata(self) -> Mapping[str, str]:
        """All scalar entries of the header as text."""
        self.check_thread()
        count = llama_cpp.llama_model_meta_count(self.model)
        pairs = (
            (
                self._string(llama_cpp.llama_model_meta_key_by_index, index),
                self._string(llama_cpp.llama_model_meta_val_str_by_index, index),
            )
            for index in range(count)
        )
        return MappingProxyType(dict(pairs))

    def _string(self, function: ctypes._NamedFuncPointer, index: int) -> str:
        size = 256
        while True:
            buffer = ctypes.create_string_buffer(size)
            needed = function(self.model, index, buffer, size)
            if needed < size:
                return buffer.value.decode("utf-8", errors="replace")
            size = needed + 1


def build_identity() -> str:
    """Version and abilities of llama.cpp here: a saved state is read by the same build only."""
    prepare()
    system: bytes = llama_cpp.llama_print_system_info()
    return f"{llama_cpp.__version__} {system.decode(errors='replace')}"


def _open_context(
    weights: _Weights,
    *,
    tokens: int,
    batch: int,
    threads: int,
    embeddings: bool,
    quantised_cache: bool = False,
) -> llama_cpp.llama_context_p:
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx = tokens
    # n_ubatch < tokens of one text aborts the process for embeddings; one value for all.
    parameters.n_batch = parameters.n_ubatch = batch
    parameters.n_seq_max = 1
    parameters.n_threads = parameters.n_threads_batch = threads
    parameters.embeddings = embeddings
    parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
    if quantised_cache:
        # Values can be quantised only in the form that flash attention reads.
        parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
        parameters.type_k = parameters.type_v = llama_cpp.GGML_TYPE_Q8_0
    # A sliding-window cache that forgets cannot be cut back to a common prefix.
    parameters.swa_full = True
    parameters.no_perf = True
    with CapturedErrors() as lines:
        context = llama_cpp.llama_init_from_model(weights.model, parameters)
    if not context:
        reason = telling(lines, "llama.cpp gave no reason")
        raise ModelError(
            f"The model could not be started with a window of {tokens} tokens: {reason}.",
            hint="Close other programs, or choose a smaller model or a smaller window.",
        )
    opened: llama_cpp.llama_context_p = context
    return opened


class LlamaContext:
    """A chat model with one sequence in memory.

    Attributes:
        window: tokens that fit (llama.cpp may have reserved a few more).
        rewinds: the memory can be cut back to a shorter prefix (recurrent models cannot).
        kv_cache: how the memory is held, ``f16`` or ``q8_0``.
        kv_reason: "" or why that is not what was wanted.
        gpu_layers: layers that a graphics card computes. While one does, the stop flag takes
            effect at the end of an evaluation, not within it.
        gpu_reason: "" or why those are fewer than was wanted.
        vocabulary_size: length of the logits.
        metadata: the file's scalar entries as text.
        end_tokens: tokens that end an answer.
        control_texts: texts of CONTROL tokens, which must never come from contents.
        defined_texts: texts of USER_DEFINED tokens.
    """

    def __init__(self, path: Path, parameters: LlamaParameters, stop: StopFlag) -> None:
        """Load `path`, whose header has been read and, if unknown, probed.

        Raises:
            ModelFileInvalid: llama.cpp refuses the file; says why.
            ModelError: not enough memory for the window.
        """
        self._load(path, parameters)
        weights = self._weights
        self._memory = llama_cpp.llama_get_memory(self._context)
        if not self._memory or llama_cpp.llama_model_has_encoder(weights.model):
            self.close()
            raise ModelFileInvalid(
                f"The model file “{path.name}” cannot be used: it is no model that writes text.",
                hint="Choose a chat or instruct model.",
            )
        # C reads the flag's bytes for as long as the context lives.
        self._stop = stop
        self._stopping = ctypes.cast(stop.function, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(self._context, self._stopping, stop.pointer)
        # Filled anew for each evaluation, and not by `llama_batch_get_one`: each call into the
        # library lets go of the interpreter, and the thread that was just told of a token would
        # take it until it has nothing to do.
        self._places = (llama_cpp.llama_token * self.batch_tokens)()
        self._batch = llama_cpp.llama_batch(token=self._places)
        self._held: list[int] = []
        self._fresh = False
        self.rewinds = not (
            llama_cpp.llama_model_is_recurrent(weights.model)
            or llama_cpp.llama_model_is_hybrid(weights.model)
        )
        self.vocabulary_size = weights.vocabulary_size
        self._logits, self._logits_address = np.empty(0, np.float32), 0
        self._pieces: dict[int, bytes] = {}
        self.metadata = weights.metadata()
        self._read_vocabulary()

    def _load(self, path: Path, parameters: LlamaParameters) -> None:
        """Weights and context: on the graphics card if wanted, and if that fails without it."""
        prepare()
        layers, self.gpu_reason = offload(
            parameters.gpu_layers, possible=bool(llama_cpp.llama_supports_gpu_offload())
        )
        if layers != 0:
            try:
                self._load_with(path, parameters, _ALL_LAYERS if layers is None else layers)
            except ModelError as error:
                self.gpu_reason = error.message
                _LOGGER.info("the graphics card is left out: %s", error.message)
            else:
                return
        # The file itself may have been the trouble: then this says so.
        self._load_with(path, parameters, 0)

    def _load_with(self, path: Path, parameters: LlamaParameters, gpu_layers: int) -> None:
        self._weights = weights = _Weights(
            path, check_weights=parameters.check_weights, gpu_layers=gpu_layers
        )
        wanted = weights.layers if gpu_layers == _ALL_LAYERS else gpu_layers
        self.gpu_layers = min(wanted, weights.layers)
        self.window = max(1, min(parameters.context_tokens, weights.trained_context))
        self.batch_tokens = max(1, min(parameters.batch_tokens, 512, self.window))
        try:
            self._context: llama_cpp.llama_context_p | None = self._opened(parameters)
        except ModelError:
            weights.close()
            raise

    def _opened(self, parameters: LlamaParameters) -> llama_cpp.llama_context_p:
        def opened(*, quantised: bool) -> llama_cpp.llama_context_p:
            return _open_context(
                self._weights,
                tokens=self.window,
                batch=self.batch_tokens,
                threads=parameters.threads,
                embeddings=False,
                quantised_cache=quantised,
            )

        self.kv_cache, self.kv_reason = parameters.kv_cache, ""
        if parameters.kv_cache == "q8_0":
            try:
                return opened(quantised=True)
            except ModelError as error:
                self.kv_cache, self.kv_reason = "f16", str(error)
        return opened(quantised=False)

    def _read_vocabulary(self) -> None:
        weights, vocab = self._weights, self._weights.vocab
        control = weights.with_attribute(llama_cpp.LLAMA_TOKEN_ATTR_CONTROL)
        defined = weights.with_attribute(llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED)
        ends = {llama_cpp.llama_vocab_eos(vocab), llama_cpp.llama_vocab_eot(vocab), *control}
        self.end_tokens = frozenset(
            token for token in ends | set(defined) if self._ends_generation(token)
        )
        self.control_texts = frozenset(map(weights.text, control)) - {""}
        self.defined_texts = frozenset(map(weights.text, defined)) - {""}
        self.bos_token = llama_cpp.llama_vocab_bos(vocab)
        self.bos_text = weights.special_token(self.bos_token)
        self.eos_text = weights.special_token(llama_cpp.llama_vocab_eos(vocab))
        self.wants_bos = bool(llama_cpp.llama_vocab_get_add_bos(vocab))

    def _ends_generation(self, token: int) -> bool:
        known = 0 <= token < self.vocabulary_size
        return known and bool(llama_cpp.llama_vocab_is_eog(self._weights.vocab, token))

    def close(self) -> None:
        """Free the memory; the object is of no use afterwards. May be called twice."""
        if self._context is not None:
            self._weights.check_thread()
            llama_cpp.llama_free(self._context)
            self._context = None
            self._held = []
            self._weights.close()

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of `text`, without a BOS; `special` reads control tokens' texts as such.

        Raises:
            ContextOverflow: the text is so long that it is not worth tokenising.
        """
        if len(text) > self.window * _BYTES_PER_TOKEN_LIMIT:
            raise overflow(len(text) // 4, self.window)
        return self._weights.tokenize(text, special=special)

    def tokenize_any(self, text: str) -> list[int]:
        """Tokens of plain text, whether they fit the window or not."""
        return self._weights.tokenize(text, special=False)

    def piece(self, token: int) -> bytes:
        """The bytes of `token`, also of control tokens; a character may need several tokens."""
        found = self._pieces.get(token)
        if found is None:
            found = self._pieces[token] = self._weights.piece(token)
        return found

    def token_texts(self) -> list[str]:
        """The vocabulary as the file has it; slow for large ones."""
        return self._weights.texts()

    @property
    def held(self) -> tuple[int, ...]:
        """Tokens whose state is in memory."""
        return tuple(self._held)

    @property
    def interrupted(self) -> bool:
        """Whether somebody wants a running evaluation to end, or the next one not to begin."""
        return self._stop.raised

    def align(self, tokens: list[int]) -> int:
        """Keep the longest common prefix of memory and `tokens`, drop the rest of the memory.

        Returns:
            Number of tokens kept: all of them only when `logits` is valid for the last one.
        """
        self._weights.check_thread()
        keep = common_prefix(self._held, tokens)
        if keep == len(tokens) == len(self._held) and self._fresh:
            return keep
        # The last token is evaluated (again), or there would be no logits to go on from.
        self._cut(min(keep, len(tokens) - 1))
        return len(self._held)

    def _cut(self, keep: int) -> None:
        if keep >= len(self._held):
            return
        self._fresh = False
        removed = llama_cpp.llama_memory_seq_rm(self._memory, 0, keep, -1)
        # Recurrent and hybrid models cannot cut in the middle: start over.
        if keep <= 0 or not removed or self._memory_tokens() != keep:
            llama_cpp.llama_memory_clear(self._memory, True)
            keep = 0
        del self._held[keep:]

    def _memory_tokens(self) -> int:
        """What the memory really holds; after an interruption nothing else can be trusted."""
        return int(llama_cpp.llama_memory_seq_pos_max(self._memory, 0)) + 1

    def state_bytes(self) -> int:
        """What `take_state` would need."""
        self._weights.check_thread()
        return int(llama_cpp.llama_state_seq_get_size(self._context, 0))

    def take_state(self) -> SequenceState:
        """A copy of the memory; it stays as it is.

        Raises:
            ModelError: llama.cpp gave none.
        """
        data = np.empty(self.state_bytes(), np.uint8)
        written = llama_cpp.llama_state_seq_get_data(
            self._context, data.ctypes.data_as(_BYTES), data.nbytes, 0
        )
        if not 0 < written <= data.nbytes:
            raise ModelError("What the model has read could not be put aside.")
        return SequenceState(tuple(self._held), data[:written])

    def put_state(self, state: SequenceState) -> bool:
        """Replace the memory by what `take_state` gave, here or in an earlier run of the program.

        Returns:
            False, with an empty memory, when llama.cpp does not take it.
        """
        self._weights.check_thread()
        # Told to forget first: a failed restore leaves what was there, under the wrong tokens.
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held, self._fresh = [], False
        with CapturedErrors():
            read = llama_cpp.llama_state_seq_set_data(
                self._context, state.data.ctypes.data_as(_BYTES), state.data.nbytes, 0
            )
        if read != state.data.nbytes or self._memory_tokens() != len(state.tokens):
            llama_cpp.llama_memory_clear(self._memory, True)
            return False
        self._held = list(state.tokens)
        return True

    def advance(self, tokens: Sequence[int]) -> None:
        """Evaluate at most `batch_tokens` tokens after those in memory.

        Raises:
            ValueError: none, or more than `batch_tokens`.
            Interrupted: the stop flag was raised.
            ContextOverflow: the window is full.
            ModelError: llama.cpp failed; the memory is empty.
        """
        self._weights.check_thread()
        if not 0 < len(tokens) <= self.batch_tokens:
            raise ValueError(f"1 to {self.batch_tokens} tokens at a time, not {len(tokens)}")
        if len(self._held) + len(tokens) > self.window:
            raise overflow(len(self._held) + len(tokens), self.window)
        self._places[: len(tokens)] = list(tokens)
        self._batch.n_tokens = len(tokens)
        self._fresh = False
        with CapturedErrors() as lines:
            code = llama_cpp.llama_decode(self._context, self._batch)
        if code == 0:
            self._held.extend(tokens)
            self._fresh = True
            return
        if code == 2 and self.rewinds:
            self._held = [*self._held, *tokens][: self._memory_tokens()]
            raise Interrupted
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held = []
        if code == 2:
            # A running state was left in the middle of these tokens; its position says otherwise.
            raise Interrupted
        if code == 1:
            raise overflow(len(tokens), self.window)
        raise ModelError(f"The model cannot go on: {telling(lines, f'error {code}')}.")

    def logits(self) -> Floats:
        """The logits after the last token in memory, to be read before anything else is evaluated.

        They are llama.cpp's own: a copy would cost a small model a hundredth of its speed.

        Raises:
            ModelError: nothing was evaluated since the memory changed.
            ModelFileInvalid: they are not numbers (broken weights).
        """
        self._weights.check_thread()
        pointer = llama_cpp.llama_get_logits_ith(self._context, -1) if self._fresh else None
        if not pointer:
            raise ModelError("The model gave no result.")
        values = self._row(pointer)
        # The place of the first NaN, if there is one. `max` costs three times as much here.
        if not math.isfinite(values[values.argmax()]):
            raise ModelFileInvalid(
                "The model computes nonsense (its weights are damaged).",
                hint="Download the model again, or choose another one.",
            )
        return values

    def _row(self, pointer: ctypes._Pointer[ctypes.c_float]) -> Floats:
        """llama.cpp's own memory as an array; it hardly ever moves, and making one costs 0.1 ms."""
        address = ctypes.addressof(pointer.contents)
        if address != self._logits_address:
            self._logits = _floats(address, self.vocabulary_size)
            self._logits.flags.writeable = False
            self._logits_address = address
        return self._logits

    def grammar(self, text: str) -> GrammarSampler:
        """A constraint on what is sampled, from its first token on.

        Raises:
            GrammarRejected: llama.cpp cannot use it; says why.
        """
        self._weights.check_thread()
        return GrammarSampler(self._weights, text)


def _floats(address: int, count: int) -> Floats:
    """llama.cpp's own memory as an array. Not by `np.ctypeslib`, which is loaded at its first use:
    at the first word of the first answer."""
    return np.frombuffer(memoryview((ctypes.c_float * count).from_address(address)), np.float32)


def overflow(needed: int, window: int) -> ContextOverflow:
    return ContextOverflow(
        f"The conversation needs about {needed} tokens and the model's window has {window}.",
        hint="Start a new conversation, or choose a model with a larger window.",
    )


class GrammarSampler:
    """A grammar's state while an answer is written.

    Only a token that `allows` may be given to `accept`: llama.cpp answers any other with a C++
    exception that ends the process.
    """

    def __init__(self, weights: _Weights, text: str) -> None:
        """Read `text`, GBNF whose first rule is `root`.

        Raises:
            GrammarRejected: it cannot be used; says why.
        """
        self._weights = weights
        check_gbnf(text)
        with CapturedErrors() as lines:
            self._sampler = llama_cpp.llama_sampler_init_grammar(
                weights.vocab, text.encode(), b"root"
            )
        # NULL is how llama.cpp refuses a grammar; using it is a segmentation fault.
        if not self._sampler:
            reason = telling(lines, "llama.cpp gave no reason")
            raise GrammarRejected(f"The grammar for the tools cannot be used: {reason}.")

    def allows(self, token: int) -> bool:
        """Whether `token` may come next; an end token only when the grammar is fulfilled."""
        return bool(np.isfinite(self._filtered(np.array([token]), np.zeros(1, np.float32))[0]))

    def mask(self, logits: Floats) -> Floats:
        """`logits` with minus infinity for every token that may not come next."""
        return self._filtered(np.arange(len(logits)), logits)

    def _filtered(self, tokens: Numbers, logits: Floats) -> Floats:
        self._weights.check_thread()
        candidates = np.empty(len(tokens), _CANDIDATE)
        candidates["id"], candidates["logit"], candidates["p"] = tokens, logits, 0
        pointer = candidates.ctypes.data_as(llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(pointer, len(tokens), -1, False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        filtered = np.empty(len(logits), np.float32)
        filtered[:] = candidates["logit"]
        return filtered

    def accept(self, token: int) -> None:
        """Go on past `token`, which was checked with `allows` or sampled from `mask`.

        Raises:
            GrammarRejected: it may not come next; the state is as before.
        """
        if not self.allows(token):
            raise GrammarRejected("A token outside the grammar was chosen.")
        llama_cpp.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        if self._sampler is not None:
            self._weights.check_thread()
            llama_cpp.llama_sampler_free(self._sampler)
            self._sampler = None


class LlamaEmbedding:
    """An embedding model; one text at a time (batches are slower on a CPU).

    Belongs to the thread that made it; any other gets RuntimeError.

    Attributes:
        window: most tokens of a text, at most `EMBEDDING_WINDOW`.
        dimensions: numbers in a vector.
        metadata: the file's scalar entries as text.
    """

    def __init__(self, path: Path, threads: int) -> None:
        """Load `path`, whose header has been read and, if unknown, probed.

        Raises:
            ModelFileInvalid, ModelError: as `LlamaContext`.
        """
        self._weights = weights = _Weights(path, check_weights=False)
        # n_ubatch below a text's length aborts, so that both are the window.
        self.window = max(1, min(weights.trained_context, EMBEDDING_WINDOW))
        try:
            self._context: llama_cpp.llama_context_p | None = _open_context(
                weights, tokens=self.window, batch=self.window, threads=threads, embeddings=True
            )
        except ModelError:
            weights.close()
            raise
        self._memory = llama_cpp.llama_get_memory(self._context)
        self.metadata = weights.metadata()
        self.dimensions = int(llama_cpp.llama_model_n_embd(weights.model))
        if llama_cpp.llama_pooling_type(self._context) in (
            llama_cpp.LLAMA_POOLING_TYPE_NONE,
            llama_cpp.LLAMA_POOLING_TYPE_RANK,
        ):
            self.close()
            raise ModelFileInvalid(
                f"The model file “{path.name}” is not an embedding model.",
                hint="Choose a model made for embeddings.",
            )

    def close(self) -> None:
        if self._context is not None:
            self._weights.check_thread()
            llama_cpp.llama_free(self._context)
            self._context = None
            self._weights.close()

    def embed(self, text: str, max_tokens: int) -> Floats:
        """Unit vector of `text`, cut to `max_tokens` tokens with its closing token kept.

        Raises:
            ModelError: llama.cpp failed or gave no usable numbers.
        """
        # Far more text than can count is not tokenised.
        text = text[: self.window * _BYTES_PER_TOKEN_LIMIT]
        tokens = self._weights.tokenize(text, special=False, add_special=True)
        limit = max(2, min(max_tokens, self.window))
        if len(tokens) > limit:
            tokens = [*tokens[: limit - 1], tokens[-1]]
        return self._pooled(tokens) if tokens else self._pooled([0])

    def _pooled(self, tokens: Sequence[int]) -> Floats:
        if self._memory:
            llama_cpp.llama_memory_clear(self._memory, True)
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        with CapturedErrors() as lines:
            batch = llama_cpp.llama_batch_get_one(array, len(tokens))
            code = llama_cpp.llama_decode(self._context, batch)
            pointer = None if code else llama_cpp.llama_get_embeddings_seq(self._context, 0)
        if not pointer:
            raise ModelError(f"The text cannot be embedded: {telling(lines, f'error {code}')}.")
        vector = _floats(ctypes.addressof(pointer.contents), self.dimensions).copy()
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0.0:
            raise ModelFileInvalid(
                "The embedding model computes nonsense (its weights are damaged).",
                hint="Download the model again, or choose another one.",
            )
        return vector / np.float32(length)
