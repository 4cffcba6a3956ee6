"""The memory engine on a real disk: Markdown is the truth, the index only a way to it."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ModelError, StorageError, UserInputInvalid
from moltbot_desktop.memory.engine import STRONG_HIT, MarkdownMemory, open_memory
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.sdk.models import Embedder
from tests.fakes.memory import ConceptEmbedder

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
Opener = Callable[..., MarkdownMemory]

NOTES = """# About me

My dentist is Dr. Okafor, phone 555-0142.
My brother is called Tom and lives in Leeds.
I am allergic to peanuts.
The Wi-Fi password at home is bluebird-77.
We park the car in garage 12 on Elm Street.
I like hiking in the Alps and strong black tea.
"""

CHINESE = """# 我的事

我的车牌号是沪A12345
妈妈的生日是5月3日
我对花生过敏
家里的无线密码是 bluebird77
牙医王大夫的电话是 13800001111
女儿在实验小学上三年级
每周四晚上去打羽毛球
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    return tmp_path / "ws"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    engines: list[MarkdownMemory] = []

    def make(
        embedder: Embedder | None = None, *, index: str = "index", now: datetime = NOON
    ) -> MarkdownMemory:
        engine = open_memory(tmp_path / "ws", tmp_path / index, embedder, ManualClock(now))
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()


def best(memory: MarkdownMemory, question: str) -> str:
    hits = memory.search(question).hits
    return hits[0].snippet if hits else ""


def everything(workspace: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}


# ------------------------------------------------------------------ keeping


def test_a_days_file_is_plain_markdown(opened: Opener, workspace: Path) -> None:
    memory = opened()
    memory.store("My dentist is Dr. Okafor")
    memory.store("two\nlines", mark="web page")
    assert (workspace / "memory" / "2026-01-05.md").read_text() == (
        "# 2026-01-05\n\n"
        "- 12:00 · My dentist is Dr. Okafor\n"
        "- 12:00 · two <!-- mark: web page -->\n"
        "  lines\n"
    )


def test_what_a_person_wrote_stays_to_the_byte(opened: Opener, workspace: Path) -> None:
    file = workspace / "memory" / "2026-01-05.md"
    own = b"My day\r\n\r\n* [ ] call Anna\r\n   odd   spaces \t\r\n```\r\nno newline at the end"
    file.write_bytes(own)
    note = opened().store("The car is red")
    assert file.read_bytes() == own + b"\n- 12:00 \xc2\xb7 The car is red\r\n"
    assert note.line == 7


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "gbk", "utf-8-sig"])
def test_a_note_is_added_in_the_files_own_encoding(
    opened: Opener, workspace: Path, encoding: str
) -> None:
    file = workspace / "memory" / "2026-01-05.md"
    file.write_bytes("# 我的一天 and my day\n\n去医院\n".encode(encoding))
    before = file.read_bytes()
    memory = opened()
    note = memory.store("车牌号是沪A12345")
    assert file.read_bytes().startswith(before)
    text = "# 我的一天 and my day\n\n去医院\n- 12:00 · 车牌号是沪A12345\n"
    assert memory.get(note.path).text == text.removesuffix("\n")
    assert memory.get(note.path, start_line=note.line).text == "- 12:00 · 车牌号是沪A12345"
    assert best(memory, "车牌号") == "车牌号是沪A12345"


def test_the_owners_word_is_kept_beside_a_marked_one(opened: Opener) -> None:
    memory = opened()
    memory.store("Bob's number is 123", mark="mail from x")
    assert memory.store("Bob's number is 123", mark="page").already_known
    assert memory.search("Bob's number").hits[0].mark == "mail from x"
    own = memory.store("Bob's number is 123")
    assert not own.already_known
    assert memory.store("bob's NUMBER is  123.", mark="page").already_known


def test_an_excerpt_tells_the_marks_of_what_it_shows(opened: Opener) -> None:
    memory = opened()
    memory.store("mine")
    path = memory.store("theirs\nin two lines", mark="web page").path
    assert memory.get(path).mark == "web page"
    assert memory.get(path, start_line=3, lines=1).mark == ""
    assert memory.get(path, start_line=5, lines=1).mark == "web page"


@pytest.mark.parametrize("text", ["", "  \n\t ", "\0\x1b", "x" * 20_001])
def test_nothing_or_far_too_much_is_refused(opened: Opener, workspace: Path, text: str) -> None:
    with pytest.raises(UserInputInvalid):
        opened().store(text)
    assert everything(workspace) == {}


def test_a_note_is_never_written_through_a_link_or_pipe(
    opened: Opener, workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    day = workspace / "memory" / "2026-01-05.md"
    memory = opened()
    day.symlink_to(outside)
    with pytest.raises(StorageError):
        memory.store("fact")
    day.unlink()
    os.mkfifo(day)
    with pytest.raises(StorageError):
        memory.store("fact")
    assert outside.read_text() == "mine"


def test_a_failed_note_is_told_and_leaves_the_file_as_it_was(
    opened: Opener, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.store("first")
    before = everything(workspace)

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(StorageError, match="full"):
        memory.store("second")
    monkeypatch.undo()
    assert everything(workspace) == before
    assert memory.search("second").hits == ()


# ------------------------------------------------------------------ finding


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is my dentist?", "Okafor"),
        ("what's my dentist's phone number", "555-0142"),
        ("Where does my brother live?", "Leeds"),
        ("Am I allergic to anything?", "peanuts"),
        ("wifi password", ""),  # written apart in the note: words cannot know
        ("What is the Wi-Fi password?", "bluebird"),
        ("Where do we park the cars?", "garage 12"),
        ("hikes", "hiking"),
        ("我的车牌号是什么？", "沪A12345"),
        ("车牌是多少", "沪A12345"),
        ("妈妈生日", "5月3日"),
        ("妈妈的生日是几月几号？", "5月3日"),
        ("我对什么过敏", "花生"),
        ("王大夫的电话", "13800001111"),
        ("女儿上几年级", "三年级"),
        ("哪天打羽毛球", "周四"),
    ],
)
def test_questions_in_english_and_chinese_find_their_note_first(
    opened: Opener, workspace: Path, question: str, answer: str
) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    (workspace / "memory" / "zh.md").write_text(CHINESE)
    found = best(opened(), question)
    if answer:
        assert answer in found
    else:
        assert "bluebird-77" in found  # "password" alone finds it


@pytest.mark.parametrize(
    ("question", "strong"),
    [
        ("Who is my dentist?", True),
        ("What's my brother's name?", True),
        ("我的车牌号是什么？", True),
        ("How tall is my brother?", False),
        ("What is the capital of France?", False),
        ("What is 12 plus 12?", False),
        ("What day is it today?", False),
        ("How are you?", False),
        ("中国的首都是哪里？", False),
        ("我的鞋子多大", False),
    ],
)
def test_only_a_place_that_has_what_is_asked_is_a_strong_hit(
    opened: Opener, workspace: Path, question: str, strong: bool
) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    (workspace / "memory" / "2026-01-05.md").write_text(CHINESE)
    hits = opened().search(question).hits
    assert any(hit.score >= STRONG_HIT for hit in hits) == strong
    assert not strong or hits[0].score >= STRONG_HIT


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("女儿老是生病", "女儿的老师叫什么"),
        ("爸爸的生意很忙", "爸爸的生日是哪天"),
        ("我们家的电费单在抽屉里", "我们家的电脑密码"),
    ],
)
def test_a_character_of_a_word_does_not_answer_for_it(
    opened: Opener, workspace: Path, note: str, question: str
) -> None:
    """It is found, since 牙科医生 is one way to say 牙医, but not quoted as the answer."""
    (workspace / "MEMORY.md").write_text(f"{note}\n")
    (hit,) = opened().search(question).hits
    assert hit.score < STRONG_HIT


def test_of_two_answers_the_newer_comes_first(opened: Opener, workspace: Path) -> None:
    folder = workspace / "memory"
    (folder / "2025-03-01.md").write_text("- My dentist is Dr. Okafor\n")
    (folder / "2025-11-01.md").write_text(
        "- Since this week my new dentist is Dr. Lee on Baker Street, phone 555-0199\n"
    )
    assert "Lee" in best(opened(), "Who is my dentist?")


def test_a_day_can_be_asked_for(opened: Opener, workspace: Path) -> None:
    folder = workspace / "memory"
    (folder / "2026-01-04.md").write_text("- Repaired the fence\n")
    (folder / "2025-06-09.md").write_text("- Planted two trees\n")
    memory = opened()
    for question in ("What did I do yesterday?", "我昨天做了什么", "on 4 January"):
        hit = memory.search(question).hits[0]
        assert hit.snippet == "Repaired the fence"
        assert "date" in hit.why
    assert best(memory, "June 9th 2025") == "Planted two trees"


def test_the_same_fact_is_shown_once(opened: Opener, workspace: Path) -> None:
    for day in range(1, 5):
        (workspace / "memory" / f"2026-01-0{day}.md").write_text("- The car is in garage 12.\n")
    assert len(opened().search("garage").hits) == 1


def test_of_facts_that_say_the_same_the_newest_is_shown(opened: Opener, workspace: Path) -> None:
    folder = workspace / "memory"
    (folder / "2025-01-01.md").write_text("- I really prefer window seats on the train\n")
    (folder / "2025-06-01.md").write_text("- I prefer window seats on the train\n")
    (folder / "2025-07-01.md").write_text("- I prefer aisle seats on the plane\n")
    hits = opened().search("Do I really prefer window seats on the train?").hits
    assert [hit.path for hit in hits] == ["memory/2025-06-01.md", "memory/2025-07-01.md"]


def test_the_owners_word_is_shown_and_not_anothers_that_says_the_same(
    opened: Opener, workspace: Path
) -> None:
    folder = workspace / "memory"
    (folder / "2025-01-01.md").write_text("- I prefer window seats on the train\n")
    (folder / "2025-06-01.md").write_text(
        "- I prefer window seats on the train. <!-- mark: web page -->\n"
    )
    hits = opened().search("window seats on the train").hits
    assert all(hit.mark == "" for hit in hits if hit.path.endswith("01-01.md"))
    assert len(hits) == 1


def test_one_long_paragraph_does_not_fill_the_answer(opened: Opener, workspace: Path) -> None:
    sentence = "The garage was painted {} and the painter came on day {} for it. "
    colours = "blue red green grey white black brown pink".split()
    long = "".join(sentence.format(c, n) * 8 for n, c in enumerate(colours))
    (workspace / "memory" / "2025-01-01.md").write_text(long + "\n")
    (workspace / "memory" / "2025-01-02.md").write_text("- The garage has a new door\n")
    (workspace / "memory" / "2025-01-03.md").write_text("- We sold the old garage\n")
    paths = [hit.path for hit in opened().search("When was the garage painted?").hits]
    assert {"memory/2025-01-02.md", "memory/2025-01-03.md"} <= set(paths)
    # There is nothing else to show, so more of it is.
    assert len(paths) == 6


def test_a_hit_says_why_it_is_there(opened: Opener, workspace: Path) -> None:
    (workspace / "memory" / "2026-01-04.md").write_text(
        "**Anna:** I drink green tea all day\n\n"
        "**Bo:** And the kettle never rests\n\n"
        "**Anna:** My bicycle is broken\n"
    )
    (workspace / "memory" / "2025-03-01.md").write_text("- Nobody knows the wind\n")
    answer = opened().search("Which tea did Anna drink yesterday?", max_characters=1000)
    why = {hit.snippet.split()[-1]: hit.why for hit in answer.hits}
    assert why["day"] == ("keyword", "name", "date")
    assert why["rests"] == ("date",)
    assert why["broken"] == ("keyword", "name", "date")  # the name stands there, too
    assert "wind" not in why
    near = opened().search("green tea", max_characters=1000).hits
    assert [hit.why for hit in near][:2] == [("keyword",), ("nearby",)]


def test_a_budget_is_filled_and_never_exceeded(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(
        "".join(f"- The garage number {n} is painted. It has a door.\n" for n in range(100))
    )
    memory = opened()
    for budget in (1, 30, 200, 1000):
        hits = memory.search("garage door", max_characters=budget).hits
        assert sum(len(hit.snippet) for hit in hits) <= budget
        assert hits
    assert sum(len(hit.snippet) for hit in hits) > 900


def test_a_changed_removed_or_added_file_is_seen_by_the_next_search(
    opened: Opener, workspace: Path
) -> None:
    memory = opened()
    file = workspace / "memory" / "a.md"
    file.write_text("The car is red\n")
    assert best(memory, "car") == "The car is red"
    file.write_text("The car is tan\n")  # the same size, within the same second
    assert best(memory, "car") == "The car is tan"
    file.rename(workspace / "memory" / "b.md")
    assert memory.search("car").hits[0].path == "memory/b.md"
    (workspace / "memory" / "b.md").unlink()
    assert memory.search("car").hits == ()


@pytest.mark.parametrize(("seconds_before", "seen"), [(0.5, "tan"), (60, "red")])
def test_an_equal_stamp_proves_a_file_unchanged_only_when_it_is_old(
    opened: Opener, workspace: Path, seconds_before: float, seen: str
) -> None:
    file = workspace / "MEMORY.md"
    file.write_text("The car is red\n")
    when = NOON.timestamp() - seconds_before
    os.utime(file, (when, when))
    memory = opened()
    assert best(memory, "car") == "The car is red"
    file.write_text("The car is tan\n")
    os.utime(file, (when, when))
    assert best(memory, "car") == f"The car is {seen}"


def test_indexing_never_changes_a_memory_file(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes(b"\xff\xfea\x00\r\x00\n\x00")
    (workspace / "memory" / "bad.md").write_bytes(bytes(range(256)) * 20)
    (workspace / "memory" / "crlf.md").write_bytes(b"- a\r\n\r\n\r\n- b")
    (workspace / "memory" / "empty.md").write_bytes(b"")
    before = everything(workspace)
    memory = opened(ConceptEmbedder("a b"))
    memory.refresh()
    memory.search("a")
    memory.status()
    memory.close()
    assert everything(workspace) == before


# ------------------------------------------------------------------ meaning


def test_without_an_embedder_words_are_searched_and_the_note_says_so(
    opened: Opener, workspace: Path
) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    memory = opened()
    assert "words only" in memory.search("dentist").note
    assert "字词" in memory.search("牙医").note
    assert not memory.status().vectors


def test_meaning_finds_what_words_do_not(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    memory = opened(ConceptEmbedder("dentist teeth", "car parking"))
    answer = memory.search("teeth")
    assert answer.note == ""
    assert "Okafor" in answer.hits[0].snippet
    assert answer.hits[0].why == ("meaning",)
    assert answer.hits[0].score < STRONG_HIT
    assert memory.status().model == "concepts-1"


def test_no_text_is_embedded_twice_even_by_a_rebuild(
    opened: Opener, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    embedder = ConceptEmbedder("dentist")
    memory = opened(embedder)
    memory.refresh()
    assert len(embedder.asked) == len(set(embedder.asked)) == 6
    memory.store("A new fact")
    memory.refresh()
    assert len(embedder.asked) == 7
    memory.close()
    for path in (tmp_path / "index").glob("index-*"):
        path.unlink()
    again = opened(embedder)
    again.refresh()
    assert len(embedder.asked) == 7
    assert "Okafor" in best(again, "dentist")


def test_another_model_embeds_anew(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    first = opened(ConceptEmbedder("dentist teeth"))
    first.refresh()
    first.close()
    embedder = ConceptEmbedder("brother sibling", "x", "y", model_id="other")
    second = opened(embedder)
    assert "Tom" in best(second, "sibling")
    second.close()
    third = opened()  # without one the vectors wait
    assert "Okafor" in best(third, "dentist")


def test_a_failing_embedder_leaves_words(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(NOTES)
    embedder = ConceptEmbedder("dentist teeth")
    embedder.failing = ModelError("the model went away")
    memory = opened(embedder)
    answer = memory.search("dentist")
    assert "Okafor" in answer.hits[0].snippet
    assert "the model went away" in answer.note
    embedder.failing = None
    assert memory.search("dentist").note == ""
    assert "Okafor" in best(memory, "teeth")


def test_an_embedder_that_cannot_tell_its_size_stops_nothing(
    opened: Opener, workspace: Path
) -> None:
    class Away(ConceptEmbedder):
        away = True

        @property
        def dimensions(self) -> int:
            if self.away:
                raise ModelError("nobody there")
            self.model_id = "concepts-1:sized"  # whole once the size is known
            return super().dimensions

    (workspace / "MEMORY.md").write_text(NOTES)
    first = opened(Away("dentist teeth"))
    Away.away = False
    first.refresh()
    first.close()
    Away.away = True
    memory = opened(Away("dentist teeth"))
    status = memory.status()
    assert status.model == "concepts-1"  # the name, without asking anybody
    assert "Okafor" in best(memory, "teeth")  # the vectors of before serve
    memory.store("My cat is called Mia")
    assert "Mia" in best(memory, "cat") and "nobody there" in memory.status().note
    Away.away = False
    memory.refresh()
    assert memory.status().model == "concepts-1:sized"


def test_vectors_are_kept_under_the_embedders_whole_id(
    opened: Opener, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half an id would drop every vector at each start."""

    class Learns(ConceptEmbedder):
        @property
        def dimensions(self) -> int:
            self.model_id = "concepts-1:sized"
            return super().dimensions

    real, kept_under = IndexStore.prepare_vectors, set()

    def watched(store: IndexStore, model: str, dimensions: int) -> None:
        kept_under.add(model)
        real(store, model, dimensions)

    monkeypatch.setattr(IndexStore, "prepare_vectors", watched)
    (workspace / "MEMORY.md").write_text(NOTES)
    opened(Learns("dentist teeth")).refresh()
    assert kept_under == {"concepts-1:sized"}


def test_many_notes_are_embedded_a_few_at_a_time(opened: Opener, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("".join(f"- fact number {n}\n" for n in range(60)))
    clock = ManualClock(NOON)

    class Slow(ConceptEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            clock.advance(0.1 * len(texts))
            return super().embed_passages(texts)

    embedder = Slow("fact")
    memory = open_memory(workspace, workspace.parent / "slow", embedder, clock)
    answer = memory.search("fact 3")
    assert 0 < len(embedder.asked) < 40
    assert "not yet read for meaning" in answer.note
    assert memory.refresh().note == ""
    assert len(embedder.asked) > 60
    memory.close()


def test_an_embedder_that_cannot_chinese_is_not_asked_about_it(
    opened: Opener, workspace: Path
) -> None:
    (workspace / "memory" / "zh.md").write_text(CHINESE)
    memory = opened(ConceptEmbedder("dentist"))
    for hit in memory.search("车牌号").hits:
        assert "meaning" not in hit.why


# ------------------------------------------------------------------ threads


def test_many_threads_may_ask_and_store_at_once(opened: Opener, workspace: Path) -> None:
    memory = opened(ConceptEmbedder("fact"))
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for at in range(5):
                memory.store(f"fact {number} {at}")
                memory.search(f"fact {number}")
                memory.status()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    text = (workspace / "memory" / "2026-01-05.md").read_text()
    assert text.count("- 12:00 · fact") == 20
    assert memory.status().chunks == 20


def test_a_closed_memory_says_so(opened: Opener) -> None:
    memory = opened()
    memory.close()
    memory.close()
    with pytest.raises(StorageError, match="closed"):
        memory.search("x")


def test_a_forgotten_fact_stands_in_no_file_any_more(workspace: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    memory = open_memory(workspace, index, ConceptEmbedder("dentist teeth"), ManualClock(NOON))
    memory.store("My dentist is Dr. Okaforsky")
    memory.store("The garage is on Elm Street")
    memory.refresh()
    assert any(b"kaforsky" in path.read_bytes() for path in index.rglob("*") if path.is_file())
    memory.forget(memory.search("Who is my dentist?").hits[0])
    held = [path for path in index.rglob("*") if path.is_file() and _holds(path, b"kaforsk")]
    memory.close()
    assert held == []
    assert not any(_holds(path, b"kaforsk") for path in workspace.rglob("*.md"))
    assert any(_holds(path, b"Elm Street") for path in workspace.rglob("*.md"))


def _holds(path: Path, words: bytes) -> bool:
    return words in path.read_bytes()
