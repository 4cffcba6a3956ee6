"""Questions that say when: notes of that time come first, and no answer is lost for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.engine import STRONG_HIT, MarkdownMemory, open_memory

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)  # a Saturday
Writer = Callable[..., None]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    return tmp_path / "ws"


@pytest.fixture
def memory(workspace: Path, tmp_path: Path) -> Iterator[MarkdownMemory]:
    engine = open_memory(workspace, tmp_path / "index", None, ManualClock(NOW))
    yield engine
    engine.close()


@pytest.fixture
def write(workspace: Path) -> Writer:
    def one(days_ago: int, *notes: str) -> None:
        day = NOW.date() - timedelta(days=days_ago)
        text = "".join(f"- {note}\n" for note in notes)
        (workspace / "memory" / f"{day}.md").write_text(text, encoding="utf-8")

    return one


def ago(day: date) -> int:
    return (NOW.date() - day).days


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What shoes did I buy last week?", date(2026, 11, 11)),
        ("What shoes did I buy yesterday?", date(2026, 11, 20)),
        ("Which shoes did I buy three days ago?", date(2026, 11, 18)),
        ("What shoes did I buy last month?", date(2026, 10, 14)),
        ("What shoes did I buy in May?", date(2026, 5, 6)),
        ("What shoes did I buy in May 2025?", date(2025, 5, 7)),
        ("What shoes did I buy last summer?", date(2026, 7, 8)),
        ("What shoes did I buy last year?", date(2025, 5, 7)),
    ],
)
def test_the_note_of_the_time_asked_about_comes_first(
    memory: MarkdownMemory, write: Writer, question: str, day: date
) -> None:
    """Another note says the words of the question twice and better."""
    for at, when in enumerate(_DAYS):
        write(ago(when), "Rain all day", f"Bought shoes number {at}")
    write(ago(date(2024, 2, 2)), "I did buy shoes, the shoes I buy are what I buy")
    hits = memory.search(question).hits
    assert hits[0].path == f"memory/{day}.md"
    assert "date" in hits[0].why
    assert "shoes number" in hits[0].snippet


_DAYS = (
    date(2026, 11, 20), date(2026, 11, 18), date(2026, 11, 11), date(2026, 10, 14),
    date(2026, 7, 8), date(2026, 5, 6), date(2025, 5, 7),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("我上周买了什么鞋", date(2026, 11, 11)),
        ("昨天买的鞋", date(2026, 11, 20)),
        ("三天前买了哪双鞋", date(2026, 11, 18)),
        ("上个月买了什么鞋", date(2026, 10, 14)),
        ("上個月買了什麼鞋", date(2026, 10, 14)),
        ("五月买的鞋是哪双", date(2026, 5, 6)),
        ("去年五月买了什么鞋", date(2025, 5, 7)),
        ("今年夏天买的鞋", date(2026, 7, 8)),
        ("去年买了什么鞋", date(2025, 5, 7)),
    ],
)
def test_the_note_of_the_time_asked_about_comes_first_in_chinese(
    memory: MarkdownMemory, write: Writer, question: str, day: date
) -> None:
    for at, when in enumerate(_DAYS):
        write(ago(when), "下了一天雨", f"买了第{at}双鞋")
    write(ago(date(2024, 2, 2)), "我买鞋，买鞋，什么鞋都买")
    hits = memory.search(question).hits
    assert hits[0].path == f"memory/{day}.md"
    assert "date" in hits[0].why
    assert "双鞋" in hits[0].snippet


@pytest.mark.parametrize("question", ["What did I buy last week?", "上周我买了什么"])
def test_a_time_without_notes_hides_no_others(
    memory: MarkdownMemory, write: Writer, question: str
) -> None:
    write(300, "Did buy a bicycle 买了自行车")
    (hit,) = memory.search(question).hits
    assert "bicycle" in hit.snippet
    assert "date" not in hit.why


def test_a_month_nobody_wrote_in_this_year_is_that_of_another(
    memory: MarkdownMemory, write: Writer
) -> None:
    write(ago(date(2024, 5, 6)), "Planted tomatoes")
    (hit,) = memory.search("What did I plant in May?").hits
    assert "date" in hit.why


def test_a_note_of_another_time_does_not_answer_by_itself(
    memory: MarkdownMemory, write: Writer, workspace: Path
) -> None:
    write(300, "Ate lobster")
    (hit,) = memory.search("Who ate lobster yesterday?").hits
    assert hit.score < STRONG_HIT
    assert memory.search("Who ate lobster?").hits[0].score >= STRONG_HIT
    write(1, "Ate lobster with Anna")
    assert memory.search("Who ate lobster yesterday?").hits[0].score >= STRONG_HIT
    # What has no day may well be about yesterday.
    (workspace / "MEMORY.md").write_text("The code of the gate is 4411\n")
    assert memory.search("What was the gate code yesterday?").hits[0].score >= STRONG_HIT


def test_what_is_in_long_term_memory_does_not_age(
    memory: MarkdownMemory, write: Writer, workspace: Path
) -> None:
    """Of equal notes the newer comes first; MEMORY.md, dated headings or not, is none of them."""
    write(900, "The spare key hangs in the shed behind the door")
    write(30, "The spare key hangs in the cellar behind the door")
    (workspace / "MEMORY.md").write_text(
        "# 2020-01-01\n\n- The spare key hangs in the hall behind the door\n"
    )
    places = [hit.path for hit in memory.search("spare key").hits]
    assert places.index("MEMORY.md") < places.index(f"memory/{date(2024, 6, 4)}.md")
    assert len(places) == 3
