"""What a page or a file says never becomes a control token of a real vocabulary, nor one that the
template prints.

The unit tests say so of texts; here llama.cpp itself reads the prompts with vocabularies of the
families most people use (files without weights, which the set-up keeps for the tests).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import llama_cpp
import pytest

from devtools.golden import TEMPLATES, golden_folder
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.llama import build_identity
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.tools import Effect, ToolSpec

# Looked up on import: inside a test the home is another.
GOLDEN = golden_folder()
# Vocabulary -> a template of its family.
FAMILIES = {
    "qwen2": "Qwen-Qwen3-0.6B",
    "qwen35": "Qwen3.5-4B",
    "llama-bpe": "meta-llama-Llama-3.1-8B-Instruct",
    "gemma-4": "google-gemma-4-31B-it",
    "phi-3": "microsoft-Phi-3.5-mini-instruct",
    "command-r": "CohereForAI-c4ai-command-r-plus-tool_use",
}
READ = ToolSpec(
    "read_file",
    "Reads a file",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    Effect.FILE_READ,
)
DIALOGUE = (
    ChatMessage(Role.SYSTEM, "Be kind."),
    ChatMessage(Role.USER, "What is in a.md?"),
    ChatMessage(Role.ASSISTANT, "", tool_calls=(ToolCall("c1", "read_file", {"path": "a.md"}),)),
    ChatMessage(Role.TOOL, "PAGE", tool_call_id="c1", tool_name="read_file"),
    ChatMessage(Role.ASSISTANT, "PAGE"),
    ChatMessage(Role.USER, "PAGE"),
)


class Vocabulary:
    """A vocabulary as llama.cpp reads it."""

    def __init__(self, name: str) -> None:
        assert GOLDEN, "no real vocabularies; get them: python3 packaging/dev.py setup test"
        assert build_identity()  # and llama.cpp's log goes where ours goes
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        file = os.fsencode(GOLDEN / f"ggml-vocab-{name}.gguf")
        self._model = llama_cpp.llama_model_load_from_file(file, parameters)
        assert self._model, name
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self.control = self._texts(llama_cpp.LLAMA_TOKEN_ATTR_CONTROL)
        # llama.cpp finds these in any text, whether it is asked for special tokens or not.
        self.defined = self._texts(llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED)

    def close(self) -> None:
        llama_cpp.llama_model_free(self._model)

    def _texts(self, attribute: int) -> dict[int, str]:
        return {
            token: (llama_cpp.llama_vocab_get_text(self._vocab, token) or b"").decode()
            for token in range(llama_cpp.llama_vocab_n_tokens(self._vocab))
            if llama_cpp.llama_vocab_get_attr(self._vocab, token) & attribute
        }

    def structure_in(self, prompt: str) -> Counter[str]:
        """The control and user defined tokens that llama.cpp finds in a prompt."""
        data = prompt.encode()
        room = (llama_cpp.llama_token * (len(data) + 8))()
        count = llama_cpp.llama_tokenize(self._vocab, data, len(data), room, len(room), False, True)
        assert count > 0
        known = self.control | self.defined
        return Counter(known[token] for token in room[:count] if token in known)


@pytest.fixture(params=FAMILIES)
def vocabulary(request: pytest.FixtureRequest) -> Iterator[tuple[Vocabulary, ChatTemplate]]:
    found = Vocabulary(request.param)
    assert GOLDEN is not None
    source = (GOLDEN / TEMPLATES / f"{FAMILIES[request.param]}.jinja").read_text(encoding="utf-8")
    yield (
        found,
        ChatTemplate(
            source,
            control_tokens=frozenset(found.control.values()) - {""},
            defined_tokens=frozenset(found.defined.values()) - {""},
        ),
    )
    found.close()


def said(page: str) -> list[ChatMessage]:
    return [replace(turn, content=turn.content.replace("PAGE", page)) for turn in DIALOGUE]


def test_contents_never_become_structure(
    vocabulary: tuple[Vocabulary, ChatTemplate],
) -> None:
    found, template = vocabulary
    plain = found.structure_in(template.render(said("a page"), [READ]))
    assert plain, "a prompt without a control token shows nothing"
    tokens = sorted({*found.control.values(), *plain} - {""})
    for evil in (" ".join(tokens), "".join(tokens), "\n".join(reversed(tokens))):
        assert found.structure_in(evil).total() >= len(tokens) // 2  # llama.cpp would read them
        assert found.structure_in(template.render(said(evil), [READ])) == plain
