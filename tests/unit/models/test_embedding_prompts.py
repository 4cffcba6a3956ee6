"""What stands before a text that is embedded."""

from __future__ import annotations

import pytest

from moltbot_desktop.models.embedding_prompts import NO_PROMPTS, EmbeddingPrompts, prompts_for

TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("minilm-l6-v2-q8_0", "", ""),
        ("unheard-of", "", ""),
        ("bge-small-zh-v1.5-f16", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-large-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3-Q8_0", "", ""),
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5_base_v2", "query: ", "passage: "),
        ("multilingual-e5-large-instruct-q8_0", TASK + "Query: ", ""),
        ("Qwen3-Embedding-0.6B-Q8_0", TASK + "Query:", ""),
        ("embeddinggemma-300M-Q8_0", "task: search result | query: ", "title: none | text: "),
        ("Embedding Gemma 300m", "task: search result | query: ", "title: none | text: "),
        ("nomic-embed-text-v1.5", "search_query: ", "search_document: "),
    ],
)
def test_each_family_gets_its_own_words(name: str, query: str, passage: str) -> None:
    found = prompts_for(name)
    assert (found.query, found.passage) == (query, passage)
    assert prompts_for("model", name) == found


def test_the_tag_changes_with_the_words_and_is_empty_without_any() -> None:
    assert NO_PROMPTS.tag == ""
    tags = {
        EmbeddingPrompts(*words).tag
        for words in (("q",), ("", "q"), ("q", "p"), ("qp",), ("", "", 512))
    }
    assert len(tags) == 5 and "" not in tags
