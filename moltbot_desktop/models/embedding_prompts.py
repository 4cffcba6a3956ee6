"""What embedding models want to stand before a text. The one table of them.

A model that was trained with ``query: `` and does not get it finds noticeably less, and says
nothing. The words are the models' own, from their cards. Whatever changes here changes the
vectors: `EmbeddingPrompts.tag` is part of an embedder's `model_id`, so an index made with other
words is made anew.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_TASK = "Given a web search query, retrieve relevant passages that answer the query"
_BGE_ENGLISH = "Represent this sentence for searching relevant passages: "
_BGE_CHINESE = "为这个句子生成表示以用于检索相关文章："


@dataclass(frozen=True)
class EmbeddingPrompts:
    """Prefixes of one family of models.

    Attributes:
        query, passage: stand before a question and before a text that is indexed.
        max_tokens: most tokens of a text the local model is given; None for what its file or the
            program's default says.
    """

    query: str = ""
    passage: str = ""
    max_tokens: int | None = None

    @property
    def tag(self) -> str:
        """ "" for a model without prefixes, else a short name of these."""
        if self == NO_PROMPTS:
            return ""
        text = f"{self.query}\0{self.passage}\0{self.max_tokens}"
        return hashlib.sha256(text.encode()).hexdigest()[:8]


NO_PROMPTS = EmbeddingPrompts()

# Names as they stand in files and configurations, with everything but letters and digits as "-".
# The first row that fits counts. 512: what the local context takes (models/llama.py).
_FAMILIES: tuple[tuple[str, EmbeddingPrompts], ...] = (
    (r"qwen3-embedding", EmbeddingPrompts(f"Instruct: {_TASK}\nQuery:", "", 512)),
    (
        r"embedding-?gemma",
        EmbeddingPrompts("task: search result | query: ", "title: none | text: ", 512),
    ),
    (r"\be5-.*instruct", EmbeddingPrompts(f"Instruct: {_TASK}\nQuery: ", "", 512)),
    (r"\be5-(small|base|large)", EmbeddingPrompts("query: ", "passage: ", 512)),
    (
        r"bge-(small|base|large)-zh",
        EmbeddingPrompts(_BGE_CHINESE, "", 512),
    ),
    (r"bge-(small|base|large)-en", EmbeddingPrompts(_BGE_ENGLISH, "", 512)),
    (r"bge-m3", EmbeddingPrompts(max_tokens=512)),
    (r"nomic-embed-text", EmbeddingPrompts("search_query: ", "search_document: ", 512)),
)


def prompts_for(*names: str) -> EmbeddingPrompts:
    """Prefixes for a model by any of its names (of its file, in its header, at its provider);
    none for one that is not in the table, like MiniLM."""
    plain = [re.sub(r"[^a-z0-9]+", "-", name.lower()) for name in names]
    for pattern, prompts in _FAMILIES:
        if any(re.search(pattern, name) for name in plain):
            return prompts
    return NO_PROMPTS
