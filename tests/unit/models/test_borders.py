"""Where an argument may begin and end: what belongs together is never cut, what is right stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.models.borders import (
    Borders,
    address_borders,
    phone_numbers,
    question_borders,
    reminding,
    text_borders,
)


def fits(borders: Borders, text: str, value: str) -> bool:
    """Whether `value` may be copied from its first place in `text`."""
    begin = text.index(value)
    end = begin + len(value)
    if begin in borders.only_end:
        return borders.only_end[begin] == end
    return begin in borders.starts and end in borders.ends


@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        # A date with its month and its day, of either calendar.
        ("记住外婆生日是农历九月初六", "外婆生日是农历九月初六", "外婆生日是农历"),
        ("7月14号叫我", "7月14号", "7月"),
        ("二月廿五提醒我", "二月廿五", "月廿五"),
        ("明天下午叫我", "明天下午", "明天下"),
        ("再过20分钟叫我", "再过20分钟", "过20分钟"),
        # A measure word with what points at it, and a doubled word.
        ("搜那本菜谱", "那本菜谱", "本菜谱"),
        ("叫我放松放松", "放松放松", "放松放"),
        # What leads on to the next word, and what leans on the one before.
        ("我的尺码是多少", "我的尺码", "我的尺码是"),
        ("把车洗了叫我", "把车洗了", "把"),
        ("记住妈的药", "妈的药", "的药"),
        ("call the bank soon", "call the bank", "call the"),
        ("the vet is Tuesday at 4", "the vet", "the vet is"),
        ("ring Pia when it's dark", "ring Pia", "ring Pia when it"),
        ("pack bread and jam", "pack bread", "pack bread and"),
        ("stop the oven when it rings", "stop the oven", "stop the oven when"),
        ("at six remind me to sow", "at six", "at six remind me"),
        ("晚上六点提醒我浇花", "晚上六点", "晚上六点提醒我"),
        ("定个闹钟，浇花", "定个闹钟", "定个"),
        # How one asks for it, and what only announces it.
        ("每天早饭后催我吃钙片好不好", "吃钙片", "吃钙片好不好"),
        ("每天早饭后催我吃钙片好不好", "吃钙片", "吃钙片好"),
        ("往a.txt里面写上：买花", "买花", "上：买花"),
        ("生成a.txt，content 是 node_modules/", "node_modules/", "content 是 node_modules/"),
        ("请将'房租已转'保存为 a.txt", "房租已转", "请将'房租已转'"),
        ("写谢谢各位到a.txt", "谢谢各位", "谢各位"),
        ("给我存个便签买盐，行吗？", "买盐", "买盐，行吗"),
        ("把这串 A7-K29 写到 码.txt", "A7-K29", "这串 A7-K29"),
        ("弄个文档，名字值班表.txt", "名字值班表.txt", "，名字值班表.txt"),
        # Words that requests are full of.
        ("top这个命令的输出", "命令", "令"),
        ("存成文件名b.txt", "文件名b.txt", "名b.txt"),
        ("进入备份设置", "备份设置", "入备份设置"),
        ("叫我查看签证", "查看签证", "看签证"),
        # A command with its options, and with what it is joined to.
        ("run npm test --watch -v now", "npm test --watch -v", "npm test"),
        ("跑make -j 4这条", "make -j 4", "make"),
        ("run cd src && ls now", "cd src && ls", "cd src"),
        ("run cat x | sort now", "cat x | sort", "cat x"),
        # Quotes stand around a value, they do not begin one.
        ("put 'so long' in a.txt", "so long", "'so long'"),
    ],
)
def test_what_belongs_together_is_copied_whole(text: str, whole: str, cut: str) -> None:
    borders = text_borders(text)
    assert fits(borders, text, whole)
    assert not fits(borders, text, cut)


@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        ("你知道我对什么过敏吗？", "我对什么过敏", "我对"),
        ("我丈夫爱喝什么茶", "我丈夫爱喝什么茶", "我丈夫爱喝什"),
        ("我在哪家店配的眼镜", "我在哪家店配的眼镜", "我在哪"),
        ("护照什么时候到期", "护照什么时候到期", "护照"),
        # What only asks may be left out, as a whole.
        ("我的邮箱密码是啥", "我的邮箱密码", "我的邮箱密码是"),
        ("闺女的班主任姓什么来着", "闺女的班主任", "闺女的班主任姓"),
        ("小美的生日是几月几号？", "小美的生日", "小美的生"),
        ("关于搬家我说过什么", "搬家", "搬家我说"),
        ("孩子的英文名怎么拼", "孩子的英文名", "孩子的英文名怎"),
        ("我的旅馆最后定的是哪家", "我的旅馆", "我的旅馆最后定"),
        # Another clause asks nothing.
        ("我的护照号忘了，是什么", "我的护照号", "我的护照号忘了，是"),
    ],
)
def test_a_question_that_memory_answers_is_not_cut_off(text: str, whole: str, cut: str) -> None:
    borders = question_borders(text)
    assert fits(borders, text, whole)
    assert not fits(borders, text, cut)


def test_where_nothing_is_asked_a_question_has_the_borders_of_a_text() -> None:
    for text in ("搜一下装修", "翻翻记录，有没有健身卡", "anything on the boiler?"):
        assert question_borders(text) == text_borders(text)


@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        ("播放海风.mp3", "海风.mp3", "海"),
        ("名字叫菜谱.md", "菜谱.md", "谱.md"),
        ("把年度总结.pptx打开", "年度总结.pptx", "把年度总结.pptx"),
        ("打开旧桌面/年报_v2（终稿）.docx吧", "旧桌面/年报_v2（终稿）.docx", "年报_v2（终稿"),
        ("读a.org/wiki/黄山 的内容", "a.org/wiki/黄山", "a.org/wiki/"),
        ("念baike.b.com/item/李白/43里写的", "baike.b.com/item/李白/43", "baike.b.com/item/"),
        ("打开https://b.cn/?q=花，谢谢", "https://b.cn/?q=花", "https://b.cn/?q="),
        ("看https://b.cn/terms的退货条款", "https://b.cn/terms", "https://b.cn/terms的退货"),
        ("把D盘的mp4找出来", "mp4", "D盘"),
    ],
)
def test_chinese_names_of_files_and_pages_are_copied_whole(text: str, whole: str, cut: str) -> None:
    borders = address_borders(text)
    assert fits(borders, text, whole)
    assert not fits(borders, text, cut)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("昆明天气", "昆明"),  # 明天 stands in it and is not meant
        ("今天的士司机姓古", "的士司机姓古"),
        ("记住 - landlord: Ida", "landlord: Ida"),
        ("option a fits", "option a"),
        ("这本来就贵", "本来就贵"),
        ("检查看看", "检查"),
        ("把表填写入口找到", "表填写"),
        ("is that what it is", "what it is"),
        ("note 5 > 3", "note 5 > 3"),
        ("打开微信", "微信"),
        ("打开c.org/看看", "c.org/"),
        ("打开https://c.org/docs/concepts/扒个目录", "https://c.org/docs/concepts/"),
        ("打开c.org/zh/儿童保护", "c.org/zh/儿童保护"),
    ],
)
def test_what_only_looks_like_one_piece_may_still_be_cut(text: str, value: str) -> None:
    borders = address_borders(text) if "打开" in text else text_borders(text)
    assert fits(borders, text, value)


ALPHABET = "ab .,:'\"“”-&|>/\\()3月初那个是把的了天再过"


@settings(max_examples=150)
@given(st.text(ALPHABET, max_size=24))
def test_borders_lie_inside_the_request_and_every_begin_in_quotes_has_an_end(text: str) -> None:
    for borders in (text_borders(text), address_borders(text)):
        places = set(range(len(text) + 1))
        assert borders.starts <= places
        assert borders.ends <= places
        assert all(a < b <= len(text) for a, b in borders.only_end.items())
        assert borders.only_end.keys() <= borders.starts


@pytest.mark.parametrize(
    ("text", "whole", "cut"),
    [
        ("go to example.org", "example.org", "go to example.org"),
        ("I want eggs saved to list.md", "list.md", "eggs saved to list.md"),
        ("edit the budget, open plan.xlsx", "plan.xlsx", "budget, open plan.xlsx"),
        ("搜一下 Papers 下的 a_5.gif", "a_5.gif", "Papers 下的 a_5.gif"),
        ("行李.md 新建 写 袜子", "行李.md", "袜子"),
        # A name may have blanks, and stand behind a folder that has some.
        ("what is inside packing list.txt", "packing list.txt", "inside packing list.txt"),
        (
            "show ~/old trips/lake tour.txt",
            "~/old trips/lake tour.txt",
            "show ~/old trips/lake tour.txt",
        ),
        (r"the file D:\Scans\my lease.pdf please", r"D:\Scans\my lease.pdf", "the file"),
    ],
)
def test_where_a_name_has_an_ending_an_address_is_that_name(
    text: str, whole: str, cut: str
) -> None:
    borders = address_borders(text)
    assert fits(borders, text, whole)
    assert not fits(borders, text, cut)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # With a small word inside, behind what leads on to a name, or with a capital.
        ("what do we have in tools to borrow.txt", "tools to borrow.txt"),
        ("show me Notes for the Vet.md, will you", "Notes for the Vet.md"),
        ("a file called buy me.txt", "buy me.txt"),
        ("find Übersicht 2031.pdf", "Übersicht 2031.pdf"),
        ("look for *_draft.tex", "*_draft.tex"),
        # A path needs no ending, also beside a name that has one.
        ("put 10.0.0.7 nas.home into /etc/hosts", "/etc/hosts"),
        ("把10.0.0.7 nas.home写进/etc/hosts", "/etc/hosts"),
        (r"copy.txt is in D:\Backup\2031", r"D:\Backup\2031"),
    ],
)
def test_names_with_small_words_and_paths_may_be_copied(text: str, value: str) -> None:
    assert fits(address_borders(text), text, value)


def test_no_time_goes_on_over_what_is_to_be_done() -> None:
    text = " on Monday at 7 to feed number 8"
    assert text.index(" to feed") in reminding(text)
    for begins_alike in (" at 7 to tend the shop", " on 3 May to decorate", " at 2 to marinate it"):
        assert begins_alike.index(" to ") in reminding(begins_alike), begins_alike
    for time in (" at a quarter to nine", " from Monday to Friday", " 1 Aug to Sep 3", " 5 to 7"):
        assert not reminding(time), time


def test_a_line_of_code_may_end_with_its_semicolon() -> None:
    assert fits(
        text_borders('put print("hi"); in a.js'), 'put print("hi"); in a.js', 'print("hi");'
    )
    assert not fits(text_borders("save: tea; in a.txt"), "save: tea; in a.txt", "tea;")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("提醒我问妈妈身体好不好", "问妈妈身体好不好"),
        ("记住这句话的出处是论语", "这句话的出处是论语"),
        ("把好不好吃写进a.txt", "好不好吃"),
    ],
)
def test_what_is_no_asking_is_kept(text: str, value: str) -> None:
    assert fits(text_borders(text), text, value)


@pytest.mark.parametrize(
    ("text", "name", "cut"),
    [
        ("生成.gitignore.txt，内容是a", ".gitignore.txt", "生成.gitignore.txt"),
        ("帮我新增病人.txt：12床", "病人.txt", "新增病人.txt"),
        ("在学习计划.txt写上背单词", "学习计划.txt", "在学习计划.txt"),
    ],
)
def test_a_verb_that_begins_the_request_is_no_part_of_a_name(
    text: str, name: str, cut: str
) -> None:
    borders = address_borders(text)
    assert fits(borders, text, name)
    assert not fits(borders, text, cut)


@pytest.mark.parametrize(
    ("text", "name"),
    [("打开新建文本文档.txt", "新建文本文档.txt"), ("把新建计划.md给我看", "新建计划.md")],
)
def test_a_name_may_begin_with_a_verb(text: str, name: str) -> None:
    assert fits(address_borders(text), text, name)


def test_telephone_numbers() -> None:
    text = "吃完午饭提醒我回电话给 0912-553-870，2026-11-28 15:40 前"
    assert [text[a:b] for a, b in phone_numbers(text)] == [" 0912-553-870"]


def test_where_no_name_has_an_ending_an_address_is_any_words() -> None:
    for text, words in (
        ("open visual studio", "visual studio"),
        ("打开记事本", "记事本"),
        ("find 3.5 or so", "3.5 or so"),
    ):
        assert fits(address_borders(text), text, words)


@pytest.mark.timeout(60)  # the square of the length would be an hour
def test_borders_of_a_long_request() -> None:
    for text in (
        "a" * 20_000,
        "a." * 10_000,
        "几个" * 2_000,
        "他" * 20_000 + ".txt",
        "ab " * 7_000,
    ):
        assert 0 in address_borders(text).starts
        assert len(text) in question_borders(text).ends
