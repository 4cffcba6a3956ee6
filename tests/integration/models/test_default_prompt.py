"""What every conversation begins with is small: a laptop reads some 40 tokens a second. Measured on
the prompt that the program itself makes, with all the tools it has, by the tokenizers of models.
"""

from __future__ import annotations

import asyncio

import pytest

from devtools.golden import golden_folder
from moltbot_desktop.models.llama import build_identity
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.models import GenerationRequest
from tests.fakes.default_prompt import TOKENIZERS, Tokenizer
from tests.fakes.default_prompt import first_prompt as first_prompt_of

# Looked up on import: inside a test the home is another.
GOLDEN = golden_folder()
OFFERED = {
    *("calc", "find_files", "find_tool", "memory_search", "memory_store"),
    *("open", "read", "reminder_add", "write"),
}
SWITCHED_ON = {
    "tools": {"web": {"fetch": {"enabled": True}}},
    "plugins": {"entries": {"weather": {"enabled": True}}},
}


@pytest.fixture(scope="module")
def first_prompt(tmp_path_factory: pytest.TempPathFactory) -> GenerationRequest:
    """Of a new conversation, web and weather switched on."""
    return asyncio.run(first_prompt_of(tmp_path_factory.mktemp("home"), SWITCHED_ON))


@pytest.fixture(scope="module")
def plain_prompt(tmp_path_factory: pytest.TempPathFactory) -> GenerationRequest:
    """Of a new conversation of somebody who has switched on nothing."""
    return asyncio.run(first_prompt_of(tmp_path_factory.mktemp("plain")))


def test_at_most_eight_tools_of_our_own_the_way_to_the_others_and_what_was_switched_on(
    first_prompt: GenerationRequest,
) -> None:
    names = [tool.name for tool in first_prompt.tools]
    assert set(names) == OFFERED | {"weather_query", "web_fetch"}
    assert len(OFFERED - {"find_tool"}) <= 8


# Llama 3.1's own template writes the tools as indented JSON: there is room for ours alone.
@pytest.mark.parametrize("model", TOKENIZERS)
def test_all_of_it_and_twenty_skills_stay_under_1500_tokens(
    model: str, first_prompt: GenerationRequest, plain_prompt: GenerationRequest
) -> None:
    asked = plain_prompt if model == "Llama 3.1" else first_prompt
    assert GOLDEN, "no real vocabularies; get them: python3 packaging/dev.py setup test"
    assert build_identity()  # and llama.cpp's log goes where ours goes
    vocabulary, template, bos, eos = TOKENIZERS[model]
    text = (GOLDEN / "templates" / f"{template}.jinja").read_text(encoding="utf-8")
    written = ChatTemplate(text, bos_token=bos, eos_token=eos)
    whole = written.render(asked.messages, asked.tools)
    assert "Who is my dentist?" in whole
    assert "shopping-list" in whole
    assert all(tool.name in whole for tool in asked.tools)
    count = Tokenizer(GOLDEN / f"ggml-vocab-{vocabulary}.gguf")
    assert 500 < count(whole) < 1_500
    count.close()
