"""Each text is counted once, and none is kept for it."""

from __future__ import annotations

import asyncio
import tracemalloc
from unittest.mock import patch

from moltbot_desktop.agent.token_counts import TokenCounts
from tests.fakes.chat_model import says
from tests.fakes.windowed_model import WindowedModel


def test_a_text_is_counted_once_for_each_model() -> None:
    model, counts = WindowedModel(8_192, lambda _: says("")), TokenCounts()

    async def scene() -> None:
        with patch.object(model, "count_tokens", wraps=model.count_tokens) as counted:
            for text in ("tea", "茶", "tea", "half of an emoji \ud83d", "half of an emoji \ud83d"):
                assert await counts.of_text(model, text) == counts.known(model.info.name, text)
            assert [call.args[0] for call in counted.call_args_list] == [
                "tea",
                "茶",
                "half of an emoji \ud83d",
            ]
        assert counts.known("another model", "tea") is None
        assert counts.known(model.info.name, "coffee") is None

    asyncio.run(scene())


def test_long_texts_are_not_kept() -> None:
    """Results of tools are long, and thousands of counts are kept."""
    model, counts = WindowedModel(8_192, lambda _: says("")), TokenCounts()

    async def scene() -> int:
        await counts.of_text(model, "the first")
        tracemalloc.start()
        try:
            for number in range(20):
                await counts.of_text(model, f"{number} " + "x" * 100_000)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert asyncio.run(scene()) < 100_000
    assert counts.known(model.info.name, "19 " + "x" * 100_000) is not None
