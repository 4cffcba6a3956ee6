"""Texts of many countries, in the encodings they are kept in, read as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.decoding import as_text, decode, source_text

RUSSIAN = "Купить молоко и хлеб, позвонить маме в субботу."
POLISH = "Proszę kupić chleb i mleko, a potem zadzwonić do babci. Dziękuję, że pamiętałeś."
CZECH = "Schůzka je přesunuta na úterý v deset hodin, nezapomeňte vzít všechny důležité doklady."
GREEK = "Η συνάντηση μεταφέρθηκε την Τρίτη. Μην ξεχάσετε τα έγγραφα που είναι στο γραφείο."
TURKISH = "Toplantı salı gününe ertelendi, lütfen belgeleri almayı unutmayın. Görüşürüz."
HEBREW = "שלום, מה שלומך היום? הפגישה נדחתה ליום שלישי."
ARABIC = "مرحبا، كيف حالك اليوم؟ تم تأجيل الاجتماع إلى يوم الثلاثاء."
THAI = "สวัสดีครับ วันนี้อากาศดีมาก อย่าลืมนำเอกสารมาด้วย"
TAIWAN = "會議改到星期二，請不要忘記帶文件，謝謝大家。"
JAPANESE = "会議は火曜日に変更されました。書類を忘れないでください。"
KOREAN = "회의가 화요일로 변경되었습니다. 서류를 잊지 마세요."
CHINESE = "会议改到星期二，请不要忘记带文件。"
FRENCH = "Réunion déplacée à mardi, café à 10 heures"


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        (RUSSIAN, "cp1251 koi8-r iso8859-5 cp866 mac-cyrillic utf-32-le utf-16-be"),
        ("Сьогодні гарна погода, ходімо до парку. Її ще немає.", "cp1251 koi8-u"),
        (POLISH, "cp1250 iso8859-2 cp852 utf-16-le"),
        (CZECH, "cp1250 iso8859-2"),
        ("Bitte überprüfe die Rechnung; die Größe stimmt nicht für das Büro.", "cp1252 iso8859-15"),
        (FRENCH, "cp1252 iso8859-1"),
        (GREEK, "cp1253 iso8859-7"),
        (TURKISH, "cp1254 iso8859-9"),
        (HEBREW, "cp1255 iso8859-8"),
        (ARABIC, "cp1256 iso8859-6"),
        (THAI, "cp874 tis-620"),
        (TAIWAN, "big5 cp950 utf-16-be utf-32-be"),
        (JAPANESE, "cp932 euc-jp iso2022-jp utf-16-le"),
        (KOREAN, "euc-kr cp949 iso2022-kr utf-16-be utf-32-le"),
        (CHINESE, "gb2312 gbk gb18030 utf-16-le utf-16-be utf-32"),
        ("记得买牛奶", "gbk"), ("李梅", "gbk"), ("测试 test 123", "gbk"), ("테스트", "euc-kr"),
        ("買牛奶", "utf-32-le"), ("明天\n", "utf-16-le"), ("记得买牛奶\n", "utf-16-be"),
    ],
)  # fmt: skip
def test_a_text_is_read_as_it_was_written(text: str, encodings: str) -> None:
    for encoding in encodings.split():
        assert decode(text.encode(encoding)) == text, encoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "koi8-r"), (GREEK, "cp1253"), (TAIWAN, "big5"), (KOREAN, "euc-kr"),
        (JAPANESE, "euc-jp"), (CHINESE + "\n", "utf-16-be"), (HEBREW, "cp1255"),
    ],
)  # fmt: skip
def test_a_sentence_is_no_guess_and_is_written_back_byte_for_byte(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    source = source_text(data)
    assert source is not None and source.sure and source.said() == source.encoding
    assert source.encode(source.text) == data


def test_a_word_is_a_guess_and_says_so() -> None:
    for word, encoding in (("węgiel", "cp1250"), ("Käse", "cp850"), ("李梅", "gbk")):
        source = source_text(word.encode(encoding))
        assert source is not None and "may be wrong" in source.said()


def test_of_the_usual_encoding_nothing_is_said() -> None:
    for text in ("plain", "naïve", "会议"):
        source = source_text(text.encode())
        assert source is not None and source.said() == ""


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\x00" + bytes(40), b"\x89PNG\r\n\x1a\n" + bytes(range(64)) * 3]
)
def test_what_programs_write_is_no_text(data: bytes) -> None:
    assert as_text(data) is None


def test_the_colours_of_a_terminal_are_no_japanese() -> None:
    assert decode("\x1b[1;31mrot\x1b[0m, Grün und mehr Wörter".encode()) is not None


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    source = source_text(data)
    assert source is None or source.encode(source.text) == data
    assert decode(data) is None or isinstance(decode(data), str)
