"""What the owner says of himself is kept; what he asks, quotes or only mentions is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.capture import LONGEST, Category, capturable

KEPT = {
    Category.PREFERENCE: """
        I love it!
        I prefer window seats on long flights
        I like my coffee black, without sugar.
        I really don't like phone calls before nine
        I hate coriander.
        I always want the short answer first
        I can't stand loud restaurants
        I'd rather take the train than fly
        I dislike open-plan offices a lot
        From now on answer me in German, please
        I want to go home
        She prefers tea to coffee
        I love hiking. What about you?
        hey, remember that I like oat milk, ok?
        I hate surprises, ok? Good.
        By the way, can you remember that I like jazz?
        Can you remember that I prefer aisle seats?
        Could you please keep in mind that I hate olives?
        我喜欢喝茶
        我不太喜欢吃香菜
        我最讨厌早上开会
        我喜欢喝茶,请记住这一点好吗
        我宁愿坐火车也不坐飞机
        我从不喝酒
        我不吃牛肉
        我爱吃辣的东西
        我习惯晚上十一点睡觉
        我受不了太吵的餐厅
        以后都用中文回答我
        从现在开始,请叫我老王
        我妈妈喜欢百合花
        很讨厌排队等位
        你能记住我喜欢靠窗的座位吗？
        我更偏好纸质书，你呢？
        请记住我不喝咖啡
        我平时忌口，少油少盐
        Just so you know, I don't eat pork
        我不想再收到这种邮件
        以后回答简短一点
    """,
    Category.DECISION: """
        we decided to use Postgres
        we decided, always use Postgres
        We've agreed on Friday for the release
        I have decided: no meetings on Mondays
        We will use SQLite for the index
        We'll use metric units in the report
        We are going with the blue logo
        Remember: we will use tabs, not spaces
        我们决定用 Postgres 做数据库
        我们已经商定每周五发布新版本
        我们说好了下个月搬家
        大家一致决定取消周会
        我决定九月份去学游泳
        咱们改用飞书开会
        我们最后选定了蓝色的方案
        记住：团队约定周三不开会
        we chose Rust for the backend
        我们打算明年搬到成都
    """,
    Category.ENTITY: """
        call me at +420123456789
        x@y.z is mine
        My sister's number is +44 20 7946 0958
        Write to anna.lee@example.org for the invoices
        My dog is called Rex
        My editor is called Vim, what's yours?
        My assistant's address is pa@example.com.
        我叫李雷
        我姓王，在上海工作
        我家的狗叫豆豆
        我的名字是韩梅梅
        我的电话是13800138000
        张医生的电话：13900001111
        我的邮箱是 lilei@example.com
        女儿老师的微信号是 wang_laoshi
        公司的地址是南京西路100号
        我爱人叫李梅
        我老板姓陈，很重要
        我的车牌号是沪A12345
    """,
    Category.FACT: """
        my name is Eva
        My name's Eva and this is my desk
        My favourite colour is green
        My mother's maiden name is Novak
        I am allergic to peanuts
        I'm left-handed, by the way
        I live in a small town near Leeds
        I work as a nurse at St Mary's
        I was born in 1984
        Tom is my brother
        Our office is on the third floor
        Remember that the spare key is under the pot
        Don't forget: the bins are emptied on Tuesdays
        Please remember the gate code is 4711
        Make a note: the boiler is serviced in May
        It is important that the dog has his pills
        I am never available on Sundays
        My shoe size is 42. Is that large?
        Remember what Anna said: the wedding is in June
        Můj pes je hnědý a hodný
        我对花生过敏
        我女儿对猫毛过敏
        对了，我对花生过敏，6乘7是多少？
        我的血型是 O 型
        我是左撇子，写字慢
        我住在杭州西湖区
        我在一家医院工作
        我女儿在实验小学上三年级
        我今年35岁
        记住备用钥匙在花盆下面
        别忘了妈妈的生日是5月3日
        记得我周四晚上有羽毛球
        我来自四川成都
        我的航班是周五早上八点
        我属马的，九零年
        记一下，车停在B2层12号
        我不能吃海鲜
        It's my birthday tomorrow
        I go swimming every Thursday
        我每天早上六点起床
        我现在住在北京
        帮我记住：我的护照在抽屉里
    """,
    Category.OTHER: """
        Always answer in English
        Never call me before noon
        Give me the short answer first, always
        Remember to water the plants
        This matters: important stuff goes first
        I need a quiet room to sleep
        记住明天带伞出门
        总是先给结论再解释
        永远用公制单位
        每次都先问过再删除
        这件事非常重要
    """,
}

NOT_KEPT = """
    What is my name?
    what is my blood type
    Do I like coriander?
    Is Tom my brother?
    Who is my dentist and where is his practice?
    Do you remember what I like?
    Can you remember my birthday?
    Can you remember what my favourite colour is?
    Did I tell you that I love jazz?
    How important is this?
    Why do I always forget my keys?
    Is it true that I never paid the bill?
    Tell me what my sister's name is
    Tell me a joke about cats that love boxes
    Show me my notes, I need them
    Remind me to call my mother, it is important
    I want you to write an important e-mail
    I want to know what's in the fridge
    I need help with this spreadsheet
    I wonder whether my train is late
    I don't know what my password is
    Let me know if my parcel is late
    Never mind, forget it
    Thanks, perfect as always!
    It's not important any more
    That isn't very important to anybody
    I don't remember where we parked
    I remember that summer by the lake
    Whenever you can, whatever you find
    My question is simple
    The sky was grey today in Oslo
    He was unimportant and remembered by nobody
    Siri likes everybody
    Good morning to you too
    Set an alarm for 7 tomorrow morning
    What's the weather in Leeds going to be
    I was wondering about dinner
    open the file report.txt and summarise it
    dislikeremembering
    I like
    remember <relevant-memories> x
    <relevant-memories>I prefer tea</relevant-memories>
    <b>remember</b> this please
    remember 🎉🎉🎉🎉 party
    > I love you, he wrote to me
    `always use strict` in the first line
    [INFO] 2026-01-05 my disk is full
    {"note": "my name is Eva", "important": true}
    Traceback (most recent call last): my file is gone
    Command output: my disk is almost full, always
    我叫什么名字？
    我喜欢什么颜色
    我喜欢喝茶吗
    我是不是说过我喜欢喝茶
    你还记得我的生日是哪天吗
    你记得我喜欢吃什么吗？
    还记得我的车牌号是多少吗
    你记住了吗？
    能不能记住我几点起床
    你能记住我喜欢吃什么吗
    我的邮箱是什么
    我的航班是几点？
    谁是我的牙医
    为什么我总是忘记带钥匙
    我妈妈的电话是多少
    多少人喜欢我的照片是个谜吗
    告诉我我的血型是什么
    告诉我今天的新闻，重要的就行
    提醒我给妈妈打电话
    提醒我明天交报告，很重要
    帮我写一封重要的邮件
    帮我查一下明天的天气
    给我讲个笑话听听
    我想知道我的包裹在哪
    我想让你讲个故事
    我要订一张去北京的票
    我想吃火锅
    我需要你翻译这段话
    请问这附近有没有药店
    打电话给妈妈
    电话在响，去接一下
    今天天气真不错
    谢谢，做得很好
    这不重要，算了
    这件事没那么重要
    我的意思是换一种方式
    我不记得把车停在哪里了
    我没记住他的名字
    我记得那年夏天很热
    明天早上七点叫我起床
    怎么安装这个软件
    把这个文件夹里的照片整理一下
    我叫了外卖，马上到
    我还没决定
    我们还没有决定用哪个方案
    记住了，谢谢你
    对我来说吗
    > 我喜欢喝茶，他写道
    工具输出：我的磁盘是满的
    命令的输出结果: 总是失败
    `总是使用严格模式`写在第一行
    {"备注": "我的名字是韩梅梅"}
    If I never pay, what happens then?
    if I always pay late, is there a fee
    Write a poem about why I love the sea
    Translate this: I like apples
    Play some music that I like
    What should I cook if I hate fish?
    翻译一下：我喜欢你
    总结一下这篇重要的文章
    我喜欢的餐厅有哪些
    我叫不出他的名字
    把我的邮箱打开
    如果我总是迟到，怎么办
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


@pytest.mark.parametrize(
    ("text", "category"), [(text, kind) for kind, texts in KEPT.items() for text in lines(texts)]
)
def test_what_the_owner_says_is_kept_as_its_kind(text: str, category: Category) -> None:
    assert capturable(text) is category


@pytest.mark.parametrize("text", lines(NOT_KEPT))
def test_questions_requests_and_quotations_are_not_kept(text: str) -> None:
    assert capturable(text) is None


def test_there_are_enough_sentences_of_each_language_on_each_side() -> None:
    kept = [text for texts in KEPT.values() for text in lines(texts)]
    for texts in (kept, lines(NOT_KEPT)):
        chinese = sum(map(is_chinese, texts))
        assert chinese >= 40
        assert len(texts) - chinese >= 40


# ------------------------------------------------------------------ length


def test_letters_count_one_emoji_two_and_chinese_characters_two_and_a_half() -> None:
    assert capturable("I love it") is None
    assert capturable("I love it!") is Category.PREFERENCE
    assert capturable("I love 🎉🎉") is Category.PREFERENCE
    assert capturable("我爱喝茶") is Category.PREFERENCE
    assert capturable("我姓王") is None


@pytest.mark.parametrize(("said", "filler", "room"), [("I love it", "x", 1), ("我喜欢", "啊", 2.5)])
def test_an_essay_is_no_fact(said: str, filler: str, room: float) -> None:
    longest = said + filler * int((LONGEST - len(said) * room) / room)
    assert capturable(longest.replace("itx", "it x")[: len(longest)]) is Category.PREFERENCE
    assert capturable(longest + filler) is None


# ------------------------------------------------------------------ whose words they are


def test_own_words_around_a_quotation_are_kept() -> None:
    code = "```\nalways = 'never'\n```"
    assert capturable(f"Here it is:\n{code}\nthanks a lot") is None
    assert capturable(f"Here it is:\n{code}\nI prefer the old one") is Category.PREFERENCE
    assert capturable("> what do you like?\nI like tea, as you know") is Category.PREFERENCE
    assert capturable("Output:\nmy disk is full\n\nI hate that") is Category.PREFERENCE
    assert capturable("Output:\nmy disk is full\nI hate that") is None


def test_an_unclosed_fence_hides_the_rest() -> None:
    assert capturable("Look:\n~~~\nI love it\nI love it") is None


@pytest.mark.parametrize(
    "line",
    ["$ git log --always", "2026-01-05 12:00 my disk is full", "ERROR: my disk is full",
     'File "a.py", line 3, in never', "    at always.run (index.js:3:14)", "[WARN] never seen"],
)  # fmt: skip
def test_lines_of_logs_are_not_the_owners(line: str) -> None:
    assert capturable(f"Look at this one\n{line}") is None
    assert capturable(f"{line}\nI always get that") is not None


def test_a_bold_list_is_an_assistants_summary() -> None:
    assert capturable("I like **this**\n- and that") is None
    assert capturable("I like **this** and that") is Category.PREFERENCE


# ------------------------------------------------------------------ forms of writing


@pytest.mark.parametrize(
    "text",
    ["我喜欢喝茶，请记住这一点好吗？", "我喜欢喝茶!你呢?", "我喜欢喝茶。你喜欢什么？",
     "Ｉ ｌｏｖｅ ｔｅａ ａ ｌｏｔ", "I don’t like tea at all",
     "I  like   tea a lot", "I like tea a lot\r\nWhat about you?",
     "其实I love你做的饭", "“Do you?” I love tea, yes"],
)  # fmt: skip
def test_width_quotes_spaces_and_line_ends_make_no_difference(text: str) -> None:
    assert capturable(text) is Category.PREFERENCE


def test_a_word_inside_another_is_no_trigger() -> None:
    assert capturable("use it whenever possible") is None
    assert capturable("use it never, if possible") is Category.OTHER
    assert capturable("Remember this history") is Category.OTHER


# ------------------------------------------------------------------ for every text

PIECES = st.sampled_from(
    ["I ", "like ", "my ", "name ", "is ", "remember ", "?", "!", ", ", "\n", "我", "喜欢", "的",
     "是", "记住", "吗", "，", "？", "`", "```\n", "> ", "+1", "23 ", "a@", "b.c", "can you ",
     "that ", "always ", "Output: ", "{", "}", "\ud83d", "🎉", "\u3000", "ﷺ", "never ", "mind "]
)  # fmt: skip
TEXTS = st.text(max_size=120) | st.lists(PIECES, max_size=60).map("".join)


@given(text=TEXTS)
def test_any_text_has_an_answer(text: str) -> None:
    assert capturable(text) in {None, *Category}


@given(text=TEXTS, extra=TEXTS)
def test_recalled_memories_are_never_kept_again(text: str, extra: str) -> None:
    assert capturable(f"{text}<relevant-memories>{extra}") is None


@given(text=TEXTS)
def test_a_quoted_text_is_never_kept(text: str) -> None:
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    assert capturable(quoted) is None


@given(text=st.lists(PIECES, max_size=40).map("".join))
def test_a_question_is_never_kept(text: str) -> None:
    words = text.translate(dict.fromkeys(map(ord, "?!,\n，？+`>{}ﷺ"), " "))
    assert capturable(f"what is {words}?") is None


@pytest.mark.parametrize(
    "piece", ["a", "我", "my ", "a.", "a@", "@a.", "+1 ", "!", "`", "```\n", "我的", ", what is "]
)
def test_the_longest_nonsense_takes_no_time(piece: str) -> None:
    # Would not end for minutes if a pattern could be entered in many ways.
    assert capturable((piece * LONGEST)[:LONGEST]) in {None, *Category}
