"""What the harness does around a command model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.agent import command_style
from moltbot_desktop.core.messages import ToolCall
from starter_model import replies


@pytest.mark.parametrize(
    "text",
    [
        "Who is my dentist?",
        "where did I park",
        "我的车牌号是什么？",
        "谁是我的牙医",
        "我的生日是哪天",
        "你好吗",
    ],
)
def test_questions_are_seen(text: str) -> None:
    assert command_style.is_question(text)


@pytest.mark.parametrize("text", ["Remember that I like tea", "hello", "记住我喜欢茶", "thanks"])
def test_other_things_are_no_questions(text: str) -> None:
    assert not command_style.is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes!",
        "ok",
        "do it",
        "yes please",
        "Yes, that's right.",
        "sure, do it",
        "是",
        "好的。",
        "对",
        "好啊",
        "对啊",
        "可以的",
        "当然",
        "好的，谢谢",
    ],
)
def test_yes(text: str) -> None:
    assert command_style.says_yes(text)
    assert not command_style.says_no(text)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No.",
        "cancel",
        "no thanks",
        "no, leave it",
        "不",
        "不要",
        "算了",
        "不了",
        "不用，谢谢",
    ],
)
def test_no(text: str) -> None:
    assert command_style.says_no(text)
    assert not command_style.says_yes(text)


def test_a_longer_sentence_is_neither() -> None:
    for text in ("yes but remember milk instead", "no way to find my keys?", "好的，明天提醒我"):
        assert not command_style.says_yes(text)
        assert not command_style.says_no(text)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("What is 6*7?", "6*7"),
        ("6 * 7", "6 * 7"),
        ("what is 17.5 times 12", "17.5 * 12"),
        ("100 - 7", "100 - 7"),
        ("Tell me the result of 64 multiplied by 32", "64 * 32"),
        ("Give me 8.5% of 12000", "8.5% * 12000"),
        ("15 percent of 84 please", "15% * 84"),
        ("I bought 6 tickets. What is 6 times 18.75?", "6 * 18.75"),
        ("do the math: 1024 - 333 + 8", "1024 - 333 + 8"),
        ("(15+27)*3 =", "(15+27)*3"),
        ("12加30等于多少", "12+30"),
        ("12乘以12再加6", "12*12+6"),
        ("买了三样东西。12加30", "12+30"),
        ("3的平方", "3^2"),
        ("Add 105 and 1000", "105 + 1000"),
        ("please add up 2, 3.5 and 4", "2 + 3.5 + 4"),
        ("Subtract 7 from 30.", "30 - 7"),
        ("multiply 12 by 3", "12 * 3"),
        ("divide 100 by 8, please", "100 / 8"),
        ("by the way, I'm allergic to nuts, what's 6 times 7?", "6 * 7"),
        ("对了，我对花生过敏，6乘7是多少？", "6*7"),
    ],
)
def test_a_request_that_is_a_sum_is_read_as_one(text: str, symbols: str) -> None:
    assert command_style.own_sum(text) == symbols


@pytest.mark.parametrize(
    "text",
    [
        *("2026-11-21", "555-0142", "42", "3 apples", "hello", "call 12", "give me 5"),
        *("what is 12?", "I have 6 boxes with 7 in each", "", ":", "。"),
        *("add 2 eggs and 3 apples to the list", "take 5 from the shelf", "divide 10 by two of us"),
        *("100元打八折，再减5加3是多少", "先算5加3，再乘2", "who was there on Monday, 3/4?"),
    ],
)
def test_other_numbers_are_no_sums(text: str) -> None:
    assert command_style.own_sum(text) == ""


def test_a_request_that_is_a_sum_in_words_is_known_as_one() -> None:
    assert command_style.sum_in_words("Add 105 and 1000") == "105 + 1000"
    assert command_style.sum_in_words("12加30等于多少") == "12+30"
    assert command_style.sum_in_words("ada: Add 125 and 1000") == "125 + 1000"
    assert command_style.sum_in_words("note: add 125 and 1000") == ""
    for other in (
        "2026/11/21",
        "6*7",
        "who is 5 and 6",
        "I bought 6. What is 6 times 2?",
        "1 +" * 999,
    ):
        assert command_style.sum_in_words(other) == ""


def test_what_costs_nothing_needs_less_confidence() -> None:
    assert command_style.sure_enough(ToolCall("1", "memory_search", {}, 0.01), 0.7)
    for easy in ("memory_get", "memory_store", "reminder_add"):
        assert command_style.sure_enough(ToolCall("1", easy, {}, 0.8), 0.9)
        assert not command_style.sure_enough(ToolCall("1", easy, {}, 0.6), 0.9)
    assert not command_style.sure_enough(ToolCall("1", "write", {}, 0.8), 0.9)
    assert command_style.sure_enough(ToolCall("1", "write", {}, 0.1), 0.0)
    assert command_style.sure_enough(ToolCall("1", "exec", {}, 0.8), 0.9, missing={"exec"})


STORE = ToolCall("1", "memory_store", {"text": "x"})
READ = ToolCall("1", "read", {"path": "a.txt"})


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Delete the file a.txt",
            "delete a.txt",
            "please remove all my notes",
            "can you rename this to b.txt",
        ),
        *("book a table for two", "buy 10 shares of Apple", "ok, send me the report"),
        *("copy plan.docx to the stick", "move all photos to D:", "把a.docx转成pdf", "解压b.zip"),
        *("turn off the light", "删除 a.txt", "请把a.txt删掉", "帮我把这个文件重命名"),
        *("open the garage door please", "open a window", "开一下车库门", "帮我打开客厅的灯"),
        *("这句话帮我翻成日文：今天辛苦了", "发微信告诉爸爸晚饭八点开始", "给老妈转500块钱"),
    ],
)
def test_a_wish_without_a_tool_is_out_of_reach(text: str) -> None:
    assert command_style.is_out_of_reach(STORE, text)
    assert command_style.is_out_of_reach(READ, text)
    assert not command_style.is_out_of_reach(ToolCall("1", "reminder_add", {}), text)


@pytest.mark.parametrize(
    "text",
    [
        *("my order number is 5512", "order number 5512 is paid", "remember to buy a lamp"),
        *("the book is on the shelf", "print jobs go to room 3", "read sent.txt", "I send a card"),
        *(
            "copy shop opens at 9",
            "move in date is June 3",
            "上传密码是77",
            "find the unzip manual",
        ),
        *("open the window manager", "open Doors.pdf", "打开窗口管理器", "打开门锁说明书"),
        *("打印机密码是1234", "翻译软件的账号叫abc", "我给老妈买了手机", "读一下删除记录.txt"),
    ],
)
def test_words_that_only_sound_so_are_not(text: str) -> None:
    assert not command_style.is_out_of_reach(STORE, text)


OPEN = ToolCall("1", "open", {"target": "x"})
SCREENSHOT = ToolCall("1", "screenshot", {})


@pytest.mark.parametrize(
    "text",
    [
        *("close Chrome", "please quit the editor", "uninstall Zoom"),
        *("I've started learning Portuguese", "we just started a book club"),
        *("把微信关掉", "帮我卸载迅雷", "退出浏览器"),
    ],
)
def test_what_else_is_done_with_a_program_does_not_open_it(text: str) -> None:
    assert command_style.is_out_of_reach(OPEN, text)
    assert not command_style.is_out_of_reach(ToolCall("1", "exec", {}), text)


@pytest.mark.parametrize(
    "text",
    [
        *("open the update manager", "start the installer", "get the close-up.jpg up"),
        *(
            "I need the calculator",
            "open what I started.docx",
            "打开下载文件夹",
            "打开安装说明.pdf",
        ),
        *("更新日志.txt打开一下", "下载文件夹打开", "downloads, open them"),
        *("download folder, open it", "open and close Chrome", "Kill Bill.mkv", "下载文件夹"),
        *(
            "Close Encounters.mkv",
            "安装包.exe",
            "更新说明.pdf给我看",
            "install guide",
            "download folder",
        ),
        *("we started a document, show report.docx", "exit plan.pdf", "关闭清单.xlsx给我看看"),
    ],
)
def test_programs_and_documents_are_opened(text: str) -> None:
    assert not command_style.is_out_of_reach(OPEN, text)


@pytest.mark.parametrize(
    "text",
    [
        *("lock the screen", "can you share my screen with Bo", "record the whole screen"),
        *("dim the display a bit", "锁屏", "屏幕调暗一些", "帮我录屏三分钟", "把屏幕投屏到电视"),
    ],
)
def test_what_else_is_done_with_a_screen_is_no_picture_of_it(text: str) -> None:
    assert command_style.is_out_of_reach(SCREENSHOT, text)


@pytest.mark.parametrize(
    "text",
    [
        *("send me a screenshot", "print the screen", "take a picture of the lock screen please"),
        *("what is on my lock screen", "say what the shared screen shows", "看看屏幕上投屏的内容"),
        *("share a screenshot of my display", "截个屏", "屏幕截图发我", "把屏幕拍下来"),
    ],
)
def test_a_picture_of_the_screen_is_within_reach(text: str) -> None:
    assert not command_style.is_out_of_reach(SCREENSHOT, text)


@pytest.mark.parametrize(
    "task", ["a reminder for", "reminder", "an alarm", "设一个", "给我设个", "的提醒"]
)
def test_a_reminder_of_nothing_asks_of_what(task: str) -> None:
    call = ToolCall("1", "reminder_add", {"when": "6pm", "text": task}, confidence=0.5)
    asking = command_style.with_a_task(call)
    assert asking.arguments == {"when": "6pm", "text": ""}
    assert asking.confidence == 1.0


@pytest.mark.parametrize(
    "text",
    [
        *("what am I allergic to?", "Where did I park", "hi! do I like tea?"),
        *("我对什么过敏？", "我的车在哪吗"),
    ],
)
def test_a_question_is_looked_up_and_not_kept(text: str) -> None:
    call = command_style.looked_up(STORE, text)
    assert (call.name, call.arguments) == ("memory_search", {"query": text})


@pytest.mark.parametrize(
    "text",
    [
        *("I am allergic to peanuts", "Could you remember that I park on level 3?"),
        *("I moved to Berlin. Do you know it?", "我什么都吃", "能记住我对花生过敏吗？"),
    ],
)
def test_what_states_something_is_kept(text: str) -> None:
    assert command_style.looked_up(STORE, text) is STORE


@pytest.mark.parametrize(
    "text",
    ["my wifi password is hunter2", "我的银行卡密码是 123456", "4539 1488 0343 6467 is my card"],
)
def test_a_secret_that_was_only_mentioned_is_asked_about(text: str) -> None:
    call = command_style.asked_about(replace(STORE, confidence=1.0), text)
    assert not command_style.sure_enough(call, 0.9)
    assert not command_style.hopeless(call, 0.9)


@pytest.mark.parametrize(
    "text", ["remember that my wifi password is hunter2", "记住我的密码是 123456", "I like tea"]
)
def test_what_is_to_be_remembered_is_kept_at_once(text: str) -> None:
    assert command_style.asked_about(STORE, text) is STORE


@pytest.mark.parametrize(
    "task", ["call Anna", "set the table", "buy a timer clock", "给我妈打电话"]
)
def test_a_reminder_of_something_keeps_it(task: str) -> None:
    call = ToolCall("1", "reminder_add", {"when": "6pm", "text": task})
    assert command_style.with_a_task(call) is call


@pytest.mark.parametrize(
    ("request_", "what"),
    [
        ("Forget my dentist", "my dentist"),
        ("please forget that I like tea.", "I like tea"),
        ("Forget about the garage key, please", "the garage key"),
        ("delete the note about the garage", "the garage"),
        ("can you forget everything I told you about Anna", "Anna"),
        ("remove what I said about my boss!", "my boss"),
        ("忘掉我的牙医", "我的牙医"),
        ("请忘记我对花生过敏。", "我对花生过敏"),
        ("把车库钥匙的事忘了吧", "车库钥匙"),
        ("帮我忘掉关于安娜的笔记", "安娜"),
    ],
)
def test_a_request_to_forget_is_read_by_rule(request_: str, what: str) -> None:
    (call,) = command_style.to_forget(request_)
    assert (call.name, call.arguments, call.confidence) == ("memory_forget", {"query": what}, 1.0)


@pytest.mark.parametrize(
    "request_",
    [
        *("forget it", "Forget about it!", "forget everything", "Forget that."),
        *("don't forget my dentist", "never forget to call Anna", "forget to call Anna?"),
        *("I forget my password", "did you forget my name", "delete a.txt", "remove the milk"),
        *(
            "forget what I said?",
            "别忘记我的牙医",
            "不要忘了买牛奶",
            "我忘了密码",
            "忘了买牛奶",
            "忘了吗",
            "忘掉它",
        ),
        *("我忘记什么了", "提醒我别忘了开会", "forgetful"),
    ],
)
def test_what_only_sounds_like_forgetting_is_left_to_the_model(request_: str) -> None:
    assert command_style.to_forget(request_) == ()


@pytest.mark.parametrize(
    ("request_", "read", "kept"),
    [
        (
            "Remember that the wifi password hangs inside the kitchen cupboard",
            "the wifi password hangs",
            "the wifi password hangs inside the kitchen cupboard",
        ),
        (
            "Remember I parked on level 3.5 of the grey garage, please. Thanks!",
            "I parked on level",
            "I parked on level 3.5 of the grey garage",
        ),
        ("note that Anna likes tea and remind me at 6", "Anna likes", "Anna likes tea"),
        ("记住箱子里有两盏灯和那顶好帐篷", "箱子里有两盏灯和那顶", "箱子里有两盏灯和那顶好帐篷"),
        ("帮我把药放在抽屉最下层记下来吧", "药放在抽屉", "药放在抽屉最下层"),
        ("记住她每天写日记", "她每天", "她每天写日记"),
        ("记住车停在地下二层，然后告诉我时间", "车停在地下", "车停在地下二层"),
        (
            "Hi! Remember that box 19 holds a rope, two lamps and the good tent. Thanks",
            "two lamps",
            "box 19 holds a rope, two lamps and the good tent",
        ),
        ("please note that Anna, my sister, likes tea", "likes tea", "Anna, my sister, likes tea"),
        ("请记住：箱子里有毯子、两盏灯", "两盏灯", "箱子里有毯子、两盏灯"),
        ("记住17号箱子里有毯子", "记住17号箱子里有毯子", "17号箱子里有毯子"),
    ],
)
def test_a_fact_is_kept_as_far_as_its_sentence_goes(request_: str, read: str, kept: str) -> None:
    call = command_style.with_all_of_it(replace(STORE, arguments={"text": read}), request_)
    assert call.arguments == {"text": kept}


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ("Remember that box 19 holds a rope, two lamps", "two lamps"),
        ("记住17号箱子里有蓝色的绳子、船的备用钥匙", "船的备用钥匙"),
        ("请记住：箱子里有毯子", "箱子里有毯子"),
    ],
)
def test_who_says_remember_that_has_decided(request_: str, read: str) -> None:
    unsure = replace(STORE, arguments={"text": read}, confidence=0.5)
    assert command_style.with_all_of_it(unsure, request_).confidence == 1.0


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ("I think box 19 holds a rope", "box 19 holds a rope"),
        ("记住这件事：箱子里有毯子", "箱子里有毯子"),
        ("记住了吗？", "吗"),
    ],
)
def test_who_does_not_say_so_is_asked(request_: str, read: str) -> None:
    unsure = replace(STORE, arguments={"text": read}, confidence=0.5)
    assert command_style.with_all_of_it(unsure, request_).confidence == 0.5


@pytest.mark.parametrize(
    ("request_", "read"),
    [
        ("Remember my locker code is 4471.", "my locker code is 4471"),
        ("Remember my locker code is 4471 for me please", "my locker code is 4471"),
        ("Remember that Anna likes tea, will you?", "Anna likes tea"),
        ('Remember "the key is blue" for later', "the key is blue"),
        ("Save I park on level 3 to memory", "I park on level 3"),
        ("Anna likes tea. Tea is what Anna likes", "Anna"),  # which of the two was read?
        ("记住我的车位是B12哦", "我的车位是B12"),
        ("把我的车位是B12记下来，谢谢", "我的车位是B12"),
        ("记住我的车位是B12好吗？", "我的车位是B12"),
        ("Remember that for me: Anna likes tea", "Anna likes tea"),
        ("记住这件事：安娜爱喝茶", "安娜爱喝茶"),
        ("Remember that I asked. Anna likes tea", "Anna likes tea"),
        ("I remember that well, but my code is 12", "my code is 12"),
        ("remember nothing of this", "elsewhere"),
        ("remember a" + " b" * 200, "a"),
    ],
)
def test_a_whole_fact_stays_as_it_was_read(request_: str, read: str) -> None:
    call = replace(STORE, arguments={"text": read})
    assert command_style.with_all_of_it(call, request_) is call


@pytest.mark.parametrize(
    ("request_", "when", "whole"),
    [
        (
            "Remind me every Monday and Thursday at 9 to water the plants",
            "every Monday",
            "every Monday and Thursday at 9",
        ),
        ("Remind me every day to take 2 pills", "every day", "every day"),
        (
            "Remind me every day at 8am and 8pm to take my pills",
            "every day at 8am",
            "every day at 8am and 8pm",
        ),
        ("每天早上8点和晚上8点提醒我吃药", "每天早上8点", "每天早上8点和晚上8点"),
        (
            "Remind me every day at 8 and 10 pm to feed the cat and the dog at night",
            "every day at 8",
            "every day at 8 and 10 pm",
        ),
        (
            "Remind me every day at 9 to feed the cat and the dog at night",
            "every day at 9",
            "every day at 9",
        ),
        (
            "Please remind me every day at 8:30 and 20:00 to look at the mail",
            "every day at 8:30",
            "every day at 8:30 and 20:00",
        ),
        ("每周一和周四早上9点提醒我浇花", "每周一", "每周一和周四早上9点"),
        ("每天8点半提醒我吃药", "每天8点", "每天8点半"),
        ("Remind me on Monday at 9 to call Anna", "on Monday", "on Monday"),
        ("Remind me every day at 9, and every day at 5", "every day", "every day"),
    ],
)
def test_a_reminder_comes_each_time_that_was_said(request_: str, when: str, whole: str) -> None:
    call = ToolCall("1", "reminder_add", {"when": when, "text": "x"})
    assert command_style.with_all_of_it(call, request_).arguments == {"when": whole, "text": "x"}


@pytest.mark.parametrize(
    ("request_", "when"),
    [
        ("set an alarm for 7:15am", "7:15am"),
        ("remind me tomorrow at 9", "tomorrow at 9"),
        ("a reminder every Monday at 8 please", "every Monday at 8"),
        ("提醒我明天下午三点", "明天下午三点"),
        ("设一个晚上八点的闹钟", "晚上八点"),
    ],
)
def test_a_reminder_that_only_says_when_keeps_the_time(request_: str, when: str) -> None:
    for asks in (replies.ASK["en"]["remind"], replies.ASK["zh"]["remind"]):
        call = command_style.at_the_time_said(asks, request_)
        assert call is not None
        assert call.name == "reminder_add"
        assert call.arguments == {"when": when, "text": ""}


@pytest.mark.parametrize(
    "request_",
    ["set a reminder", "remind me to sing at 6", "remind me later", "提醒我", "a" * 99, ""],
)
def test_without_a_time_or_with_more_it_is_asked_for_both(request_: str) -> None:
    assert command_style.at_the_time_said(replies.ASK["en"]["remind"], request_) is None


def test_another_question_of_the_model_is_not_about_a_reminder() -> None:
    assert command_style.at_the_time_said("Which file?", "set a reminder for 6pm") is None
