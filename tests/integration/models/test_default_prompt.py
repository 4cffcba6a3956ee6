"""What every conversation begins with is small: a laptop reads some 40 tokens a second."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devtools.golden import golden_folder
from moltbot_desktop.agent import prompt
from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.models.llama import build_identity
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.models import PromptStyle
from moltbot_desktop.tools.find_tool import FindTool
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.default_prompt import TOKENIZERS, Tokenizer, default_prompt

# Looked up on import: inside a test the home is another.
GOLDEN = golden_folder()
KEY, WINDOW = SessionKey("agent:main:main"), 8_192


# Llama 3.1's own template writes the tools as indented JSON; half of it is spaces.
@pytest.mark.parametrize("model", sorted(TOKENIZERS.keys() - {"Llama 3.1"}))
def test_all_tools_and_twenty_skills_stay_under_1500_tokens(model: str, tmp_path: Path) -> None:
    assert GOLDEN, "no real vocabularies; get them: python3 packaging/dev.py setup test"
    assert build_identity()  # and llama.cpp's log goes where ours goes
    vocabulary, template, bos, eos = TOKENIZERS[model]
    text = (GOLDEN / "templates" / f"{template}.jinja").read_text(encoding="utf-8")
    now = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
    parts = prompt.PromptParts(default_prompt(tmp_path), (), "Who is my dentist?", now)
    messages = prompt.messages(parts, PromptStyle.FULL)
    more = FindTool(lambda *_: ()).spec, replace(BUILT_IN[0], name="cron", core=False)
    tools = FoundTools(lambda _: ()).offered((*BUILT_IN, *more), KEY, WINDOW)
    whole = ChatTemplate(text, bos_token=bos, eos_token=eos).render(messages, tools)
    count = Tokenizer(GOLDEN / f"ggml-vocab-{vocabulary}.gguf")
    missing = {tool.name for tool in BUILT_IN} - {tool.name for tool in tools}
    assert missing == {"memory_get", "move_file", "table_query"}
    assert "find_tool" in whole and all(tool.name in whole for tool in tools)
    assert 500 < count(whole) < 1_500
    count.close()
