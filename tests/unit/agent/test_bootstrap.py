"""The workspace's files in the prompt: who reads which, and never more than their share."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.bootstrap import (
    Audience,
    audience_of,
    bootstrap_segments,
    files_for,
    is_private,
    share_of,
)
from moltbot_desktop.core.ids import SessionKey

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("key", "audience"),
    [
        ("agent:main:main", Audience.OWNER),
        ("agent:work:main:thread:9", Audience.OWNER),
        ("agent:main:cli", Audience.OWNER),
        ("agent:main:cli:thread:2", Audience.OWNER),
        ("agent:main:cron:daily", Audience.OWNER),
        ("agent:main:telegram:dm:42", Audience.OTHERS),
        ("agent:main:dm:anna", Audience.OTHERS),
        ("agent:main:telegram:work:dm:42", Audience.OTHERS),
        ("agent:main:discord:group:7:thread:3", Audience.OTHERS),
        ("agent:main:slack:channel:c1", Audience.OTHERS),
        ("agent:main:some:new:kind", Audience.OTHERS),
        ("nonsense", Audience.OTHERS),
        ("agent:main:subagent:x", Audience.SUBAGENT),
    ],
)
def test_a_conversation_is_the_owners_only_when_it_is_known_to_be(
    key: str, audience: Audience
) -> None:
    assert audience_of(SessionKey(key)) is audience


def test_memory_and_notes_of_two_days_are_for_the_owner_alone() -> None:
    owner, others = files_for(Audience.OWNER, TODAY), files_for(Audience.OTHERS, TODAY)
    assert owner[-3:] == ("MEMORY.md", "memory/2026-02-28.md", "memory/2026-03-01.md")
    assert "USER.md" in owner
    assert others == ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md")
    assert files_for(Audience.SUBAGENT, TODAY) == ("AGENTS.md", "TOOLS.md")


@pytest.mark.parametrize(
    "text", ["", " \n", "# Soul\n\n## Who\n", "<!-- write\nhere -->\n# A", "- [ ]\n-\n---\n"]
)
def test_a_file_that_says_nothing_costs_nothing(text: str) -> None:
    assert bootstrap_segments({"SOUL.md": text}, window=2048, most_characters=20_000) == ()


def test_short_files_stand_whole_and_in_order() -> None:
    texts = {"AGENTS.md": "Be kind.", "USER.md": "Ben.", "MEMORY.md": "- tea", "memory/x.md": "n"}
    segments = bootstrap_segments(texts, window=8192, most_characters=20_000)
    assert [(one.name, one.text) for one in segments] == [
        ("AGENTS.md", "## AGENTS.md\nBe kind."),
        ("USER.md", "## USER.md\nBen."),
        ("memory", "## MEMORY.md\n- tea\n\n## memory/x.md\nn"),
    ]
    assert is_private(segments) and not is_private(segments[:1])


def test_a_long_file_keeps_head_and_tail_and_leaves_room_to_a_short_one() -> None:
    long = "first words " + "x" * 60_000 + " last words"
    segments = bootstrap_segments(
        {"AGENTS.md": long, "SOUL.md": "Short."}, window=4096, most_characters=20_000
    )
    first, second = (one.text for one in segments)
    assert "first words" in first and first.endswith(" last words")
    assert "AGENTS.md goes on" in first
    assert second == "## SOUL.md\nShort."


@given(
    st.dictionaries(
        st.sampled_from("AGENTS.md SOUL.md USER.md MEMORY.md memory/2026-03-01.md".split()),
        st.text(alphabet="abc 猫了。\n#-<!>", max_size=6000),
        max_size=5,
    ),
    st.sampled_from([2048, 4096, 8192, 16_384, 131_072]),
)
def test_the_files_stay_within_their_share_of_the_window(
    texts: dict[str, str], window: int
) -> None:
    segments = bootstrap_segments(texts, window=window, most_characters=5_000)
    letters = sum(len(one.text) for one in segments if one.text.isascii())
    others = sum(
        sum(character >= "\x80" for character in one.text)
        for one in segments
        if not one.text.isascii()
    )
    # A real tokenizer needs at most about one token a Han character and three a word.
    assert letters / 4 + others <= share_of(window) + 40
    for one in segments:
        assert len(one.text) <= 5_200 * (3 if one.name == "memory" else 1)
