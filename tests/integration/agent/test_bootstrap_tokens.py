"""The workspace's files stay within their share of the window by real vocabularies too."""

from __future__ import annotations

import pytest

from devtools.golden import golden_folder
from moltbot_desktop.agent.bootstrap import OWNER_FILES, bootstrap_segments, share_of
from moltbot_desktop.models.llama import build_identity
from tests.fakes.default_prompt import TOKENIZERS, Tokenizer

GOLDEN = golden_folder()
TEXTS = {
    "English": "Answer in two sentences; look with memory_search before you say no. ",
    "Chinese": "回答要简短温和，说没有之前先查记忆。日期写成2026年3月1日。",
    "lists": "- a\n- [ ] b: 12:30, x_y_z/Q9.md\n",
    "figures": "4711 0815 3.14159 2026-03-01T09:00:00Z ",
}


@pytest.mark.parametrize("model", sorted(TOKENIZERS))
def test_full_files_cost_no_more_than_their_share(model: str) -> None:
    assert GOLDEN, "no real vocabularies; get them: python3 packaging/dev.py setup test"
    assert build_identity()
    count = Tokenizer(GOLDEN / f"ggml-vocab-{TOKENIZERS[model][0]}.gguf")
    for kind, text in TEXTS.items():
        texts = dict.fromkeys(OWNER_FILES, text * 1_000)
        for window in (2_048, 4_096, 8_192, 32_768):
            segments = bootstrap_segments(texts, window=window, most_characters=20_000)
            whole = "\n\n".join(segment.text for segment in segments)
            assert count(whole) <= share_of(window), (kind, window)
    count.close()
