"""Questions keep what they ask about, in English, Chinese, Japanese and Korean."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.segment import Word, index_text, query_words

CJK = "车牌号媽藥裡予約歯医者飲食のはがをいつどこカギー々약은치과비밀번호언제가 ・A1 3楼12、"

EASTERN = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def terms(text: str) -> set[str]:
    return set(index_text(text).split())


def solid(question: str) -> list[str]:
    """The words that count in full or nearly so."""
    return [word.text for word in query_words(question) if word.weight > 0.5]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who is my dentist?", ["dentist"]),
        ("What's my dentist’s phone number?", ["dentist", "phone", "number"]),
        ("我的车牌号是什么？", ["车牌号"]),
        ("妈妈的生日是哪天", ["妈妈", "生日"]),
        ("我对什么过敏？", ["对", "过敏"]),
        ("我家的地址在哪里", ["家", "地址"]),
        ("Wi-Fi 密码是多少", ["wi", "fi", "密码"]),
        ("how are you?", []),
        ("你好吗", []),
        ("...!?", []),
        ("ＤＥＮＴＩＳＴ", ["dentist"]),
    ],
)
def test_a_question_is_about_its_content_words(question: str, words: list[str]) -> None:
    assert [word.text for word in query_words(question)] == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("媽媽的藥放在哪裡？", ["妈妈", "药放"]),
        ("請問房東的電話是多少", ["房东", "电话"]),
        ("甚麼時候換機油來著", ["换机油"]),
    ],
)
def test_traditional_chinese_is_asked_like_simplified(question: str, words: list[str]) -> None:
    assert [word.text for word in query_words(question)] == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("歯医者の予約っていつだっけ？", ["歯医者", "予约"]),
        ("エアコンの修理は誰に頼めばいいですか", ["えあこん", "修理", "頼め"]),
        ("納豆にからしを入れる？", ["纳豆", "らし", "入れ"]),
        ("Zoomの定例は何曜日でしたっけ", ["zoom", "定例"]),
        ("会議室は何階？", ["会议室"]),
        ("ガス・電気", ["がす", "电気"]),
        ("どこにいますか", []),
        ("いつですか？", []),
        ("どうすればいい？", []),
        ("何だっけ", []),
    ],
)
def test_japanese_is_about_its_han_and_katakana(question: str, words: list[str]) -> None:
    assert solid(question) == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("치과는 언제 예약했지?", ["치과", "예약"]),
        ("비밀번호가 뭐였더라", ["비밀번호"]),
        ("할머니께서는 무엇을 못 드시지", ["할머니", "못", "드시"]),
        ("회의실이 몇 층이야", ["회의실", "층이"]),
        ("약은 어디에 있어요?", ["약은"]),
        ("Netflix는 누구랑 같이 봐", ["netflix", "같이", "봐"]),
        ("뭐야?", []),
        ("언제인지 알려 주세요", []),
    ],
)
def test_korean_words_lose_their_particles(question: str, words: list[str]) -> None:
    assert solid(question) == words


@pytest.mark.parametrize("particle", ["", *"은는이가을를에의도만", "에서", "까지", "한테는"])
def test_a_korean_noun_shows_whole_whatever_is_glued_to_it(particle: str) -> None:
    (word,) = query_words(f"냉장고{particle}")
    assert shown(word, "어제 냉장고 문을 고쳤다") == 1


def test_a_korean_syllable_is_found_with_another_particle() -> None:
    (word,) = query_words("약은")
    assert shown(word, "약은 서랍에") == 1
    assert shown(word, "약을 먹는다") == 0.5
    assert shown(word, "은행에 간다") == 0


def test_the_stem_of_a_japanese_verb_is_found_in_every_form() -> None:
    (word,) = query_words("飲む")
    assert shown(word, "薬を飲む") == 1
    assert shown(word, "薬を飲んだ") == 0.5


def shown(word: Word, note: str) -> float:
    """Share of the word's characters that the note's terms cover."""
    indexed = terms(note)
    seen = {
        at
        for token, span in zip(word.tokens, word.spans, strict=True)
        if token in indexed
        for at in range(*span)
    }
    return len(seen) / word.length


def test_words_for_a_kind_of_answer_count_little() -> None:
    weights = {word.text: word.weight for word in query_words("the name of 我的牙医的名字 2")}
    assert weights == {"name": 0.25, "牙医": 1.0, "名字": 0.25, "2": 0.0}
    for question in ("父の名前は", "아버지 이름이 뭐야"):
        assert [word.weight for word in query_words(question)][-1] == 0.25


def test_names_are_recognised_by_their_capital() -> None:
    assert [word.name for word in query_words("When did Anna visit NASA?")] == [True, False, False]


def test_chinese_is_indexed_in_characters_and_pairs() -> None:
    assert index_text("车牌号A1").split() == ["车", "牌", "号", "车牌", "牌号", "A1"]
    (word,) = query_words("车牌号")
    assert (word.tokens, word.extra) == (("车牌", "牌号"), ("车", "牌", "号"))


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("办公室在 3 楼", "3楼"),
        ("办公室在三楼", "３楼"),
        ("5月3日体检", "五月"),
        ("회의실은 12층", "12 층"),
        ("媽媽的藥", "妈妈的药"),
        ("カギの番号", "かぎ"),
        ("ｴｱｺﾝの修理", "エアコン"),
    ],
)
def test_either_way_of_writing_finds_the_other(note: str, question: str) -> None:
    wanted = {token for word in query_words(question) if word.weight for token in word.tokens}
    assert wanted and wanted <= terms(note)


@pytest.mark.parametrize("text", ["A3楼", "12345号", "2.5米", "10:30开", "7-11店"])
def test_a_number_that_is_part_of_another_thing_counts_nothing(text: str) -> None:
    asked = {token for word in query_words(text) for token in word.tokens}
    assert all(term.isascii() or len(term) == 1 for term in asked | terms(text))


@given(text=st.text(st.characters(max_codepoint=0x7F)))
def test_english_is_indexed_as_it_is(text: str) -> None:
    assert index_text(text) == text


@given(text=st.text() | st.text(alphabet=CJK, max_size=40))
def test_every_pair_a_question_looks_for_is_in_the_index_of_its_own_text(text: str) -> None:
    indexed = terms(text)
    for word in query_words(text):
        assert len(word.tokens) == len(word.spans)
        if EASTERN.search(word.text):
            assert {*word.tokens, *word.extra} <= indexed
        assert all(0 <= first < last <= word.length for first, last in word.spans)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("O'Brien phone", ["brien", "phone"]),
        ("d’Artagnan sword", ["artagnan", "sword"]),
        ("Anna's bike", ["anna", "bike"]),
        ("I don't trust dogs", ["trust", "dogs"]),
    ],
)
def test_an_apostrophe_ends_a_word_or_joins_a_name(question: str, words: list[str]) -> None:
    assert [word.text for word in query_words(question)] == words
