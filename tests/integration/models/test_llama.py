"""The wrapper of llama.cpp: prefix reuse, interruption, and every crash guarded."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from moltbot_desktop.core.errors import (
    ContextOverflow,
    GrammarRejected,
    ModelError,
    ModelFileInvalid,
)
from moltbot_desktop.models.llama import LlamaContext, LlamaEmbedding, LlamaParameters
from moltbot_desktop.models.stop_flag import Interrupted, StopFlag

BAD_GRAMMARS = {
    "empty": "",
    "blank": " \n ",
    "no root": 'start ::= "a"',
    "syntax": 'root ::= "a',
    "unknown rule": "root ::= nothing",
    "left recursion": 'root ::= root "a" | "a"',
    "huge repetition": 'root ::= ("a"{1,500}){1,500}',
    "deep nesting": "root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000,
    "bracket left open": 'root ::= ("a"',
    "bracket too many": 'root ::= "a")',
    "bad escape": 'root ::= "\\q"',
    "two megabytes": 'root ::= "' + "a" * 2**21 + '"',
    "quote in a name": 'root ::= a"b\na"b ::= "x"',
    "NUL": 'root ::= "a\0"',
    "lone surrogate": 'root ::= "\ud800',
    "words": "this is not a grammar",
}


def _evaluate(context: LlamaContext, tokens: list[int]) -> int:
    """Bring the context to `tokens`; how many tokens that took."""
    evaluated = 0
    while chunk := tokens[(kept := context.align(tokens)) : kept + context.batch_tokens]:
        context.advance(chunk)
        evaluated += len(chunk)
    return evaluated


def _tokens(context: LlamaContext, count: int, seed: int = 0) -> list[int]:
    return np.random.default_rng(seed).integers(300, 400, count).tolist()


def test_only_what_differs_from_the_last_prompt_is_evaluated(context: LlamaContext) -> None:
    prompt = _tokens(context, 200)
    assert _evaluate(context, prompt) == 200
    assert _evaluate(context, prompt) == 0
    assert _evaluate(context, [*prompt, 301, 302]) == 2
    assert _evaluate(context, prompt) == 1  # the last again, for its logits
    assert _evaluate(context, [*prompt[:150], *_tokens(context, 30, seed=1)]) == 30
    assert _evaluate(context, [*_tokens(context, 5, seed=2), *prompt]) == 205


def test_a_reused_prefix_gives_the_same_logits_as_a_clean_context(
    context: LlamaContext, chat_file: Path
) -> None:
    prompt = _tokens(context, 150)
    _evaluate(context, [*prompt[:90], *_tokens(context, 60, seed=3)])
    _evaluate(context, prompt)
    clean = LlamaContext(chat_file, LlamaParameters(1024, 1, batch_tokens=64), StopFlag())
    _evaluate(clean, prompt)
    np.testing.assert_allclose(context.logits(), clean.logits(), atol=1e-2)
    clean.close()


def test_after_an_interruption_the_context_goes_on_from_what_it_really_holds(
    chat_file: Path,
) -> None:
    stop = StopFlag()
    context = LlamaContext(chat_file, LlamaParameters(1024, 1, batch_tokens=64), stop)
    prompt = _tokens(context, 200)
    _evaluate(context, prompt[:100])
    stop.raise_flag()
    context.align(prompt)
    with pytest.raises(Interrupted):
        context.advance(prompt[100:164])
    assert context.held == tuple(prompt[: len(context.held)]) and len(context.held) <= 100
    with pytest.raises(ModelError):
        context.logits()
    stop.lower()
    _evaluate(context, prompt)
    clean = LlamaContext(chat_file, LlamaParameters(1024, 1, batch_tokens=64), StopFlag())
    _evaluate(clean, prompt)
    np.testing.assert_allclose(context.logits(), clean.logits(), atol=1e-2)
    clean.close()
    context.close()


def test_the_window_is_never_overrun(context: LlamaContext) -> None:
    assert context.window == 1024
    tokens = _tokens(context, 1024)
    _evaluate(context, tokens)
    with pytest.raises(ContextOverflow):
        context.advance([301])
    assert _evaluate(context, tokens[:500]) == 1


def test_the_window_is_what_was_asked_but_no_more_than_was_trained(chat_file: Path) -> None:
    context = LlamaContext(chat_file, LlamaParameters(10**6, 1), StopFlag())
    assert context.window == 8192
    context.close()


def test_more_tokens_than_a_batch_are_refused_before_llama_sees_them(context: LlamaContext) -> None:
    for count in (0, 65):
        with pytest.raises(ValueError):
            context.advance([301] * count)


def test_a_foreign_thread_is_refused(context: LlamaContext) -> None:
    errors: list[str] = []

    def ask() -> None:
        for use in (
            lambda: context.advance([301]),
            lambda: context.align([301]),
            lambda: context.tokenize("a", special=False),
            context.logits,
            context.close,
        ):
            try:
                use()
            except RuntimeError as error:
                errors.append(str(error))

    stranger = threading.Thread(target=ask)
    stranger.start()
    stranger.join()
    assert len(errors) == 5 and all("foreign thread" in error for error in errors)


@pytest.mark.parametrize("name", BAD_GRAMMARS)
def test_a_bad_grammar_is_refused_with_a_reason(name: str, context: LlamaContext) -> None:
    with pytest.raises(GrammarRejected) as caught:
        context.grammar(BAD_GRAMMARS[name])
    assert len(caught.value.message) > 30
    _evaluate(context, [301, 302])


def test_a_grammar_allows_exactly_what_it_says(context: LlamaContext) -> None:
    grammar = context.grammar('root ::= "ab" | "ac"')
    a, b, c, d = (context.tokenize(letter, special=False)[0] for letter in "abcd")
    end = next(iter(context.end_tokens))
    assert grammar.allows(a) and not grammar.allows(b) and not grammar.allows(end)
    grammar.accept(a)
    masked = grammar.mask(np.zeros(context.vocabulary_size, np.float32))
    assert {token for token in (a, b, c, d, end) if np.isfinite(masked[token])} == {b, c}
    grammar.accept(c)
    assert grammar.allows(end) and not grammar.allows(a)
    grammar.close()
    grammar.close()


def test_a_token_outside_the_grammar_is_an_error_and_not_the_end_of_the_process(
    context: LlamaContext,
) -> None:
    grammar = context.grammar('root ::= "ab"')
    with pytest.raises(GrammarRejected):
        grammar.accept(context.tokenize("z", special=False)[0])
    grammar.close()


@pytest.mark.parametrize(
    "text", ["", "a\0b", "\ud800 lone", "你好 🎉 \u200b", "x" * 20_000, "\n" * 500], ids=range(6)
)
def test_any_text_is_tokenised_and_comes_back(text: str, context: LlamaContext) -> None:
    tokens = context.tokenize(text, special=False)
    assert all(0 <= token < context.vocabulary_size for token in tokens)
    written = b"".join(map(context.piece, tokens)).decode()
    assert written == text.encode("utf-8", "replace").decode()


def test_text_far_beyond_the_window_is_refused_without_being_tokenised(
    context: LlamaContext,
) -> None:
    with pytest.raises(ContextOverflow):
        context.tokenize("a" * 10_000_000, special=False)


def test_control_tokens_are_read_only_where_they_are_meant(context: LlamaContext) -> None:
    assert len(context.tokenize("<|im_start|>", special=True)) == 1
    plain = context.tokenize("<|im_start|>", special=False)
    assert len(plain) > 1
    assert context.control_texts == {"<s>", "<|im_start|>", "<|im_end|>"}
    assert "<tool_call>" in context.defined_texts
    assert [context.piece(token) for token in context.end_tokens] == [b"<|im_end|>"]


def test_broken_weights_are_an_error_in_place_of_babble(chat_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "nan.gguf"
    data = bytearray(chat_file.read_bytes())
    data[-4096:] = b"\xff" * 4096
    broken.write_bytes(data)
    with pytest.raises(ModelFileInvalid):
        LlamaContext(broken, LlamaParameters(256, 1, check_weights=True), StopFlag())
    context = LlamaContext(broken, LlamaParameters(256, 1), StopFlag())
    _evaluate(context, [301, 302])
    with pytest.raises(ModelFileInvalid, match="nonsense"):
        context.logits()
    context.close()


def test_the_reason_of_llama_cpp_is_in_the_error(chat_file: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(chat_file.read_bytes().replace(b"llama", b"zzzzz"))
    with pytest.raises(ModelFileInvalid, match="unknown model architecture: 'zzzzz'"):
        LlamaContext(strange, LlamaParameters(256, 1), StopFlag())


def test_nothing_is_written_to_the_terminal(chat_file: Path) -> None:
    """Also not while a load or a grammar fails; a windowed program may have no terminal."""
    script = f"""
import sys; sys.stderr_saved = sys.stderr
from pathlib import Path
from moltbot_desktop.models.llama import *
from moltbot_desktop.core.errors import MoltbotError
context = LlamaContext(Path({str(chat_file)!r}), LlamaParameters(256, 1), StopFlag())
context.advance([301]); context.logits()
for use in (lambda: context.grammar("root ::="), lambda: LlamaContext(
        Path("/nonexistent"), LlamaParameters(256, 1), StopFlag())):
    try: use()
    except MoltbotError: pass
context.close()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_closing_twice_is_safe_and_later_use_is_an_error(chat_file: Path) -> None:
    context = LlamaContext(chat_file, LlamaParameters(256, 1), StopFlag())
    context.close()
    context.close()
    with pytest.raises(ModelError):
        context.advance([301])


@pytest.mark.parametrize("text", ["the city", "", "你好", "\ud800", "a\0b", "word " * 3000])
def test_any_text_becomes_a_unit_vector(text: str, embedding_file: Path) -> None:
    model = LlamaEmbedding(embedding_file, 1)
    vector = model.embed(text, 256)
    assert len(vector) == model.dimensions == 32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    model.close()


def test_long_text_is_cut_with_its_closing_token_kept(embedding_file: Path) -> None:
    model = LlamaEmbedding(embedding_file, 1)
    words = " ".join(["the city is a file"] * 40)
    cut = model.embed(words, 12)
    same = model.embed("the city is a file the city is a file", 12)
    np.testing.assert_allclose(cut, same, atol=1e-4)
    model.close()


def test_an_embedding_model_is_no_chat_model(embedding_file: Path) -> None:
    with pytest.raises(ModelFileInvalid, match="writes text"):
        LlamaContext(embedding_file, LlamaParameters(256, 1), StopFlag())


def test_a_chat_model_is_no_embedding_model(chat_file: Path) -> None:
    with pytest.raises(ModelFileInvalid, match="not an embedding model"):
        LlamaEmbedding(chat_file, 1)
