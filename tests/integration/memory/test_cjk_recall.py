"""Chinese, Japanese, Korean and mixed questions find their notes by words alone.

tests/data/memory/cjk.jsonl holds short notes as people tell them to an assistant and, with each,
the questions it answers; `hard` questions share next to no word with their note or are written in
the other Chinese script, and count like the rest. The notes lie among 300 sentences of daily life
that answer none of the questions but share their small words and many of their nouns. No embedder
takes part: what is measured is what every machine has.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.engine import STRONG_HIT, MarkdownMemory, open_memory

DATA = Path(__file__).parents[2] / "data" / "memory" / "cjk.jsonl"
ASKED_AT = datetime(2026, 6, 3, 9, 0, tzinfo=UTC)
FIRST_DAY = date(2026, 4, 1)
DAYS = 24
LEAST_OVERALL = 0.95
LEAST_PER_LANGUAGE = 0.90
LEAST_QUESTIONS = {"zh": 80, "ja": 40, "ko": 40, "mixed": 40}

# Sentences of daily life: one part of each row, glued with the first text.
DAILY = {
    "zh": (
        "",
        "昨天 今天早上 上周末 前天晚上 下班以后 午休的时候 刚才".split(),
        "同事小杨 邻居老吴 表哥 大学室友 对门的阿姨 我和老同学".split(),
        """在公园里散步，遇到了好几只小狗 说新开的面馆味道不错，就是要排队 去超市买了牛奶和鸡蛋
        在电影院看了一部科幻片 聊起小时候住的院子 打电话来问周末有没有空 把雨伞忘在出租车上了
        去医院看望一位老人 换了新手机，密码自己都忘了 抱怨地铁太挤，什么时候能好一点
        做了一桌菜，大家都吃得很开心 想报名学画画，还没决定去哪里 說這家咖啡廳的蛋糕很好吃
        搬家的時候丟了一箱舊書 在车站等了半个小时的车""".split(),
    ),
    "ja": (
        "",
        "昨日は 今朝は 先週末に 昼休みに 仕事の帰りに 雨の中".split(),
        "同僚の中村さんと 隣のおばさんと 大学の友達と いとこと 近所の人と".split(),
        """公園を散歩して写真を撮った 新しいラーメン屋に並んだけどおいしかった
        スーパーで牛乳と卵を買った 映画を見て感想を話した 電車が遅れてどこにも行けなかった
        子どものころの話をした 電話で長く話した 病院の待合室でずっと待っていた
        どこのケーキが一番好きか言い合った 駅前で傘をなくして困った カラオケで夜まで歌った
        何を食べるか決められなかった 部屋の掃除をしてゴミを三袋出した いつか旅行しようと話した
        番号札を取って銀行で並んだ""".split(),
    ),
    "ko": (
        " ",
        "어제 오늘_아침에 지난_주말에 점심시간에 퇴근길에 비_오는_날".split(),
        "직장_동료와 옆집_아저씨와 대학_친구랑 사촌_동생과 이웃_사람과".split(),
        """공원을_산책하면서_사진을_찍었다 새로_생긴_국숫집에_줄을_섰다 마트에서_우유와_달걀을_샀다
        영화를_보고_한참_이야기했다 버스가_늦게_와서_고생했다 어릴_때_살던_동네_이야기를_했다
        전화로_한_시간이나_수다를_떨었다 병원_대기실에서_오래_기다렸다 어디로_놀러_갈지_고민했다
        우산을_잃어버려서_비를_맞았다 노래방에서_밤까지_노래를_불렀다 뭘_먹을지_정하지_못했다
        방_청소를_하고_쓰레기를_버렸다 언제_한번_여행을_가자고_했다 은행에서_번호표를_뽑고_기다렸다
        """.split(),
    ),
    "mixed": (
        " ",
        "今天 昨日は 어제 刚才 さっき".split(),
        "在_Starbucks cafeで Zoom_会议里 YouTube_で KakaoTalk_으로 用_iPad".split(),
        """看了一集_vlog，没什么意思 新しい_app_を試してみた 친구랑_meme_을_주고받았다
        和_Kevin_讨论了_project_的进度 Tom_と_coffee_を飲んだ Lisa_한테_email_을_썼다
        听了一个_podcast，讲怎么早起 T-shirt_を二枚注文した 음악_playlist_를_새로_만들었다
        下载了_PDF_还没看 game_の_update_を待っていた OK_라고_답장했다""".split(),
    ),
}
EACH = 75


@dataclass(frozen=True)
class Asked:
    """One question and the note that answers it."""

    language: str
    question: str
    note: str
    hard: bool


def asked() -> list[Asked]:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    return [
        Asked(row["language"], question, row["note"], kind == "hard")
        for row in rows
        for kind in ("questions", "hard")
        for question in row[kind]
    ]


def notes() -> list[str]:
    return list(dict.fromkeys(one.note for one in asked()))


def daily_sentences(chance: random.Random) -> list[str]:
    """`EACH` sentences a language, all different, the same ones in every run."""
    found: list[str] = []
    for glue, *parts in DAILY.values():
        every = [glue.join(some).replace("_", " ") for some in itertools.product(*parts)]
        found += chance.sample(every, EACH)
    return found


def fill(workspace: Path, lines: Sequence[str]) -> None:
    """`lines` as bullets of several days' files."""
    (workspace / "memory").mkdir(parents=True)
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(days=number)
        bullets = "".join(f"- {line}\n" for line in lines[number::DAYS])
        file = workspace / "memory" / f"{day.isoformat()}.md"
        file.write_text(f"# {day.isoformat()}\n\n{bullets}", encoding="utf-8")
        written = datetime(day.year, day.month, day.day, 20, tzinfo=UTC).timestamp()
        os.utime(file, (written, written))  # else each search would doubt and read them anew


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MarkdownMemory]:
    folder = tmp_path_factory.mktemp("cjk")
    chance = random.Random(20260105)
    lines = notes() + daily_sentences(chance)
    chance.shuffle(lines)
    fill(folder / "ws", lines)
    opened = open_memory(folder / "ws", folder / "index", None, ManualClock(ASKED_AT))
    yield opened
    opened.close()


def places(memory: MarkdownMemory, question: str) -> list[str]:
    return [hit.snippet for hit in memory.search(question, max_results=10).hits]


def test_the_set_is_what_it_says_it_is() -> None:
    everything = asked()
    per_language = Counter(one.language for one in everything)
    assert len(notes()) >= 90
    assert len({one.question for one in everything}) == len(everything) >= 200
    assert all(per_language[name] >= least for name, least in LEAST_QUESTIONS.items())
    assert sum(one.hard for one in everything) <= 0.1 * len(everything)
    for one in everything:  # a question that quotes its note would prove nothing
        assert bare(one.question) not in bare(one.note), one
    distractors = daily_sentences(random.Random(1))
    assert len(set(distractors)) == EACH * len(DAILY) >= 300
    assert not set(distractors) & set(notes())


def bare(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def test_nineteen_of_twenty_questions_find_their_note_among_the_first_ten(
    memory: MarkdownMemory,
) -> None:
    everything = asked()
    missed = [one for one in everything if one.note not in places(memory, one.question)]
    count, lost = Counter(o.language for o in everything), Counter(o.language for o in missed)
    recall = {name: 1 - lost[name] / count[name] for name in count}
    told = "\n".join(f"{one.language}: {one.question} -> {one.note}" for one in missed)
    assert 1 - len(missed) / len(everything) >= LEAST_OVERALL, f"{recall}\n{told}"
    assert min(recall.values()) >= LEAST_PER_LANGUAGE, f"{recall}\n{told}"


@pytest.mark.parametrize(
    "question",
    [
        "我的血型是什么",
        "图书馆几点关门",
        "滅火器什麼時候過期",
        "私の血液型は何ですか",
        "ガスの検針はいつだっけ",
        "日本の首相は誰ですか",
        "내 혈액형이 뭐야",
        "대한민국의 수도는 어디야?",
        "도서관은 몇 시에 닫지",
        "我的 Dropbox 密码是什么",
    ],
)
def test_what_no_note_tells_is_not_answered(memory: MarkdownMemory, question: str) -> None:
    hits = memory.search(question).hits
    assert all(hit.score < STRONG_HIT for hit in hits), hits[:1]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("健保卡号码的后四码", "8830"),
        ("歯医者っていつだっけ", "第二木曜"),
        ("치과가 어디에 있어?", "미소치과"),
        ("회의실이 몇 층이었지", "7층"),
        ("Costco会员卡号是多少", "1118-4420"),
    ],
)
def test_what_a_note_tells_is_answered_by_it(
    memory: MarkdownMemory, question: str, answer: str
) -> None:
    best = memory.search(question).hits[0]
    assert best.score >= STRONG_HIT
    assert answer in best.snippet
