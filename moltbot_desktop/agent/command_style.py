"""How the harness helps a model of `PromptStyle.COMMAND`.

The starter model is a command parser: it picks a tool and copies arguments. Everything else is
done here by fixed rules, so that a person never sees an invented answer:

- a call it is unsure about is shown as a question instead of run, unless it only looks;
- a result is told in the tool's own words;
- when it falls back on a question that memory answers, memory is quoted;
- when it falls back on something the calculator can read as it stands, that is calculated;
- a question is never kept as a fact, it is looked up, and a secret is kept after a yes only;
- a request to forget a note, which it was never taught, is read by rule;
- what it says about itself, this program and the time is said in this build's own words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.memory.capture import asks_to_remember, only_asks
from moltbot_desktop.memory.secrecy import looks_secret
from moltbot_desktop.sdk.schedule import Cron, Every
from moltbot_desktop.tools.arithmetic import CalcError, calculate, in_symbols
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.when import Doubt, Unclear

EASY_GATE = 0.7
"""Confidence for what costs nothing when it is wrong; see `starter_model.evaluate` for what other
values would do."""
HOPELESS = 0.3
_DOUBTFUL = 0.5
"""Between the two: shown as a question."""
EASY_TOOLS = frozenset(
    {
        # only look
        "memory_search", "memory_get", "reminder_list", "read", "find_files", "calc",
        # taken back with a word: a line in today's file, a reminder
        "memory_store", "reminder_add",
    }
)  # fmt: skip

_QUESTION_END = re.compile(r"[?？]\s*$|[吗呢么]\s*(?:[。.!！]\s*)?$")
_QUESTION_START = re.compile(
    r"\s*(?:(?:who|whose|what|what's|when|where|which|why|how|is|are|was|were|do|does|did|have|has"
    r"|can|could|tell me)\b|谁|什么|哪|几|多少|怎么|我的.*(?:是|在|叫)(?:谁|什么|哪|几|多少))",
    re.IGNORECASE,
)
_LONGEST_END = 40
"""Characters at the end of a text that say whether it is a question."""
_LONGEST_FORGET = 500
"""Characters; who asks is short, and the patterns take the square of a text."""
_LONGEST_SUM = 1_000
"""Characters; the calculator reads half as many."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SUM = re.compile(r"\d\s*[+*/×÷^%=]|\d\s+[-−]\s+\d|\d.*[^\W\d_]|[^\W\d_].*\d")
"""Digits with an operator or words around; not a bare number, a date or a phone number."""
_SPEAKER = re.compile(r"^(?!(?i:remember|note|save|memo|write|todo)|记|备忘)[^\s:：]{1,40}[:：]\s*")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=\S)|[。！？：](?=.)")
_CLAUSE = re.compile(r"[,，;；]\s*")
_TWO_NUMBERS = 2
_OPERATOR = re.compile(r"[-+*/^%]|sqrt|mod")
_POLITE = r"(?:[\s,，.!。！]*(?:please|thanks|thank you|thx|谢谢|请|麻烦了))*[\s.!。！]*"
_YES_WORD = (
    r"(?:yes|yeah|yep|yup|sure|of course|ok|okay|right|correct|exactly"
    r"|(?:please )?do (?:it|that|so)|go ahead|please do|that'?s (?:right|it|correct)|y"
    r"|是的?+|对的?+|没错|好的?+|可以的?+|行|嗯+|确认|确定|当然|就这样|没问题)[啊吧呀的了]?"
)
_NO_WORD = (
    r"(?:no|nope|nah|n|not that|don'?t|do not|cancel|never ?mind|stop|leave it|forget it"
    r"|不是?|不对|不要|不用|不行|不可以|别|算了|取消|否)[啊吧呀的了]?"
)
_YES = re.compile(rf"\s*{_YES_WORD}(?:[\s,，.!。！]+{_YES_WORD})*{_POLITE}", re.IGNORECASE)
_NO = re.compile(rf"\s*{_NO_WORD}(?:[\s,，.!。！]+{_NO_WORD})*{_POLITE}", re.IGNORECASE)


_POLITE_START = (
    r"\s*(?:(?:please|kindly|can you|could you|would you|will you|hey|ok|okay|now|just|moltbot)"
    r"[\s,:]+)*"
)
_THING = r"\s+(?:an?|the|my|our|me|us|this|that|these|those|all|some|it|one|two|three|\d+)\b"
_UNREACHABLE = re.compile(
    rf"{_POLITE_START}(?:(?:delete|erase|rename)\s+\S"
    r"|(?:remove|translate|book|buy|order|pay|transfer|send|print"
    rf"|turn (?:on|off|up|down)|switch (?:on|off)){_THING}"
    rf"|(?:copy|move|convert|compress|unzip|upload|email)(?:{_THING}|\s+\S+\.[a-z]\w{{1,4}}\b)"
    rf"|(?:open|unlock){_THING}(?:\s+\w+)?\s+(?:doors?|windows?|gate|curtains?|blinds?|fridge|oven"
    r"|umbrella|bottle)(?:\s+please)?[\s.!]*\Z)"
    r"|(?:请|麻烦|帮我|给我|你|能不能|可以|[\s，,])*"
    r"(?:把.{1,20}?)?(?:删除|删掉|删了|重命名|翻译|翻成|译成|发微信|发短信|发邮件|打印|打电话"
    r"|复制到|移动到|转成|解压|上传)(?!.{0,8}?[是叫在])"
    r"|(?:请|麻烦|帮我|给我|把|你|[\s，,])*打?开(?:一?下)?.{0,4}?"
    r"(?:大门|房门|车门|库门|门锁|窗户?|窗帘|灯|空调|风扇|暖气|电视机|冰箱|热水器)"
    r"(?:吧|呗|一下|谢谢|好吗|[\s，,。！!])*\Z"
    r"|.{0,20}[：:，,]?帮我(?:翻译|翻成|译成)|给.{1,5}?(?:转账|转\d|发微信|发短信|打电话)",
    re.IGNORECASE,
)
"""Wishes for which there is no tool, however much the rest sounds like one."""
_MISTAKEN_FOR = frozenset({"memory_store", "memory_search", "read", "find_files", "open"})
_NO_OPENING = re.compile(
    # What names a file, a folder or an opening is about that: "Close Encounters.mkv".
    r"(?!.*(?:\bopen\b|打开|\.[a-z]\w{1,3}(?![A-Za-z0-9])|\bfolder\b|文件夹|目录))(?:"
    rf"{_POLITE_START}(?:(?:close|quit|exit|shut down|uninstall|reinstall|minimi[sz]e)\s+\S"
    r"|(?:i|we)(?:['’]ve|\s+have|\s+just)?\s+(?:\w+\s+)?(?:started|begun|began)\s)"
    r"|(?:请|麻烦|帮我|给我|你|能不能|可以|[\s，,])*(?:把.{1,20}?)?"
    r"(?:关掉|关闭|关了|关上|退出|卸载|重装|最小化)(?!.{0,8}?[是叫在]))",
    re.IGNORECASE,
)
"""What else is done with a program, and what is told ("I've started learning Spanish")."""
_NO_PICTURE = re.compile(
    r"(?!.*(?:shot|picture|capture|image|截|拍|看|显示))(?:"
    rf"{_POLITE_START}(?:lock|unlock|share|record|cast|mirror|clean|wipe|dim|brighten|rotate|split"
    r"|blank)\s+(?:(?:the|my|this|your|our|whole|entire)\s+){0,2}(?:screen|display|monitor)s?\b"
    r"|.*?(?:锁屏|锁住?屏幕|解锁|录屏|录制?屏幕|投屏|分屏|共享屏幕|擦屏幕|屏幕.{0,3}调[亮暗]|调[亮暗]屏幕))",
    re.IGNORECASE | re.DOTALL,
)
"""What else is done with a screen."""
_FORGET = re.compile(
    rf"{_POLITE_START}(?:forget|(?:delete|remove|erase)(?=\s+(?:the (?:note|memory|fact)"
    r"|(?:what|everything|all) i (?:said|told you))\b))\s+"
    r"(?:the (?:note|memory|fact)s?\s+|(?:what|everything|all) i (?:said|told you)\s+)?"
    r"(?:(?:about|that)\s+)?(?P<english>.+?)(?:[\s,]+please)?"
    r"|(?:请|麻烦|帮我|给我|你|[\s，,])*(?:忘掉|忘记|删掉笔记|删除笔记)[:：\s]*(?:关于)?(?P<chinese>.+?)"
    r"(?:的(?:事情?|笔记|记忆))?吧?"
    r"|(?:请|麻烦|帮我|给我|你|[\s，,])*把(?:关于)?(?P<ba>.+?)(?:的(?:事情?|笔记|记忆))?(?:忘掉|忘记|忘了)吧?",
    re.IGNORECASE,
)
_NO_NOTE = re.compile(
    r"(?:(?:about |all )?(?:it|this|that|them|everything|all)|the rest|to .*|how .*|what .*|why .*"
    r"|了?吗?|它|这个|那个|这件事|一切|所有.*|[我你他她]?(?:怎么|什么|谁|哪).*)",
    re.IGNORECASE,
)
"""What stands behind "forget" and names no note: "forget it", "forget to call Anna"."""
_NO_TASK = re.compile(
    r"(?:\b(?:an?|the|me|my|to|for|of|at|on|set|add|make|create|reminder|reminders|remind|alarm|timer"
    r"|please|it|that|this)\b|[请给我你帮设定加个一下的来要提醒闹钟铃把去]|[\s,，.。:：])+",
    re.IGNORECASE,
)
"""What is left of a request for a reminder when it does not say of what."""

_WEATHER = re.compile(r"\b(?:weather|forecast)\b|天气|气温", re.IGNORECASE)

_ABOUT_ITSELF = {
    "beyond": ("That is beyond my small built-in model", "这超出了我这个内置小模型的能力"),
    "abilities": ("I can remember facts and find them again", "我可以记住事情并帮你找回"),
    "clock": ("Let me look at the clock", "我看一下钟"),
    "calendar": ("Let me look at the calendar", "我看一下日历"),
    "ask_when": ("When should I remind you?", "什么时候提醒你？"),
}
"""How the sentences begin that the model was trained to say and cannot know the rest of, by key of
`PHRASES`: what this build can do, where its settings are, the time, the date; and that an answer
to its question is understood without repeating the request."""


_RUNNING_ON = re.compile(
    r"(?=\s*[\w(（])"  # not behind a comma, a full stop or a quote
    r"(?:[^.!?;。！？；\n]|[.!?](?=[^\s.!?\"'”’)]))+"
)
"""The rest of a sentence, from the middle of it."""
_FURTHER = re.compile(
    r"[\s,]+(?:and|then|but)\s+(?:also\s+|then\s+)?"
    r"(?:tell|remind|show|set|open|find|search|read|list|calculate|what|when|how)\b"
    r"|[，,]?(?:然后|并且|顺便|再(?:帮|给|告诉|提醒))",
    re.IGNORECASE,
)
"""Where something else is asked for."""
_LONGEST_REST = 200
"""Characters; who says more than that after a whole fact says something else."""
_OPENING = re.compile(
    r"(?:^|(?<=[.!?。！？\n]))[\"“]?"
    rf"(?:{_POLITE_START}"
    r"(?:remember|note|keep in mind|bear in mind|don'?t forget|do not forget) that\s+"
    r"|(?:请|麻烦|帮我|给我|你|好的?|[\s，,])*+(?:要|得|来)?记住[了：:，,\s]*+)(?=[^\s，,：:])",
    re.IGNORECASE,
)
"""How a request to keep something begins where no more of the asking can follow."""
_WORD_OR_SIGN = re.compile(r"[A-Za-z0-9:.]++|[^\sA-Za-z0-9:.]")
_LONGEST_TIME = 60
"""Characters that the words for a repeated time may go on for."""
_NO_EDGE = frozenset("for to of the a an please 的 给 请 吧".split())
"""Words that no time begins or ends with."""
_MOST_WORDS = 30
"""Of a request that only says when to remind; more say of what."""
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
"""Whether words name a repetition does not depend on the day."""
_SENTENCE_ENDS = re.compile(r"[.!?]\s|[。！？；\n]")
_STILL_OPENING = re.compile(
    r"[：:\"“”]|这(?:件|个|一点|些|条)|以下|下面|一下|[^.!?。！？]*\bthat\s*$", re.IGNORECASE
)
"""Behind it all the same: "remember that for me: ...", 记住这件事……"""
_ONLY_ASKED = re.compile(
    r"(?:[\s,，、]*(?:please|thanks?(?: you)?(?: (?:so|very) much)?|cheers|ok(?:ay)?|alright|"
    r"(?:will|would|can|could) you|if you (?:can|could|would|don't mind)|got it|"
    r"for (?:me|later|us|next time|future reference)|in (?:your|my|the) (?:memory|notes?|mind)|"
    r"(?:in)?to (?:your |my |the )?(?:memory|notes?)|as a note|down|somewhere|"
    r"(?:so|and) (?:i )?(?:don't|do not|won't) forget(?: (?:it|that|this))?|"
    r"吧|哦|噢|喔|啊|呀|哈|好(?:吗|不好)|(?:可以|行|成)(?:吗|不)|谢谢(?:你|您|啦|了)?|多谢|麻烦(?:你|您)?了?|"
    r"一下|这(?:件事|个|一点|事)|的事情?|别忘了?(?:哦|啊|它)?|"
    r"(?:给我|帮我|替我|都)?(?:记|存|保存|收|写|备注?)(?:住|下来?|好|着|牢|起来|一下|[到进在]\w{1,6}))"
    r")++[\s,，]*$",
    re.IGNORECASE,
)
"""At the end of a request to keep something: how one asks, not what is to be kept."""


def about_itself(answer: str) -> str:
    """The key of `agent.texts.PHRASES` to say instead, or "" for any other answer."""
    for key, beginnings in _ABOUT_ITSELF.items():
        if answer.strip().startswith(beginnings):
            return key
    return ""


def of_the_usual_place(answer: str, request: str) -> ToolCall | None:
    """The call to make instead of asking for the city: `weather_query` knows whether the settings
    name a place, and asks by itself where they do not."""
    asks = answer.strip().startswith(("In which city", "哪个城市"))
    if not asks or not _WEATHER.search(request):
        return None
    return ToolCall("weather", "weather_query", {})


def at_the_time_said(answer: str, request: str) -> ToolCall | None:
    """The call to make instead of asking of what and when to remind, where the request says when
    and nothing else ("set a reminder for 6pm"): `reminder_add` asks of what, and keeps the time."""
    asks = answer.strip().startswith(("What should I remind you of", "要提醒什么"))
    words = list(_WORD_OR_SIGN.finditer(request)) if asks else []
    if not 0 < len(words) <= _MOST_WORDS:
        return None
    edges = [one for one in words if one[0].lower() not in _NO_EDGE]
    spans = [(a.start(), z.end()) for at, a in enumerate(edges) for z in edges[at:]]
    for begin, end in sorted(spans, key=lambda span: span[0] - span[1]):
        around = f"{request[:begin]} {request[end:]}"
        if _NO_TASK.fullmatch(around) and not isinstance(
            parse_schedule(request[begin:end], _ANY_DAY), Unclear
        ):
            return ToolCall("remind", "reminder_add", {"when": request[begin:end], "text": ""})
    return None


def does_not_know(answer: str) -> bool:
    """Whether the model gave up or asked back, so that memory may know better."""
    return about_itself(answer) == "beyond" or _ends_as_question(answer)


def asks_back(answer: str) -> bool:
    """Whether the model asks for what a request lacks; nothing else that it says is a question."""
    return "?" in answer or "？" in answer


def is_question(text: str) -> bool:
    return _ends_as_question(text) or bool(_QUESTION_START.match(text))


def _ends_as_question(text: str) -> bool:
    return bool(_QUESTION_END.search(text.rstrip()[-_LONGEST_END:]))


def own_sum(text: str) -> str:
    """The sum in symbols that a request, its last sentence, or all of it that has a number in it,
    is from end to end; else "". "再减5" behind a comma goes on with what stood before it."""
    if len(text) > _LONGEST_SUM:
        return ""
    *_, last = _SENTENCE.split(text.strip())
    if found := _whole_sum(text) or _whole_sum(last):
        return found
    *before, end = _CLAUSE.split(text.strip())
    alone = len(_NUMBER.findall(end)) >= _TWO_NUMBERS and not any(map(_NUMBER.search, before))
    return sum_in_words(end) if before and alone else ""


def sum_in_words(text: str) -> str:
    """The sum in symbols that all of a request is, said in words: a sum whatever a model makes of
    it. "2026/11/21" has no word and is more likely a date. In a group a name stands before it."""
    if len(text) > _LONGEST_SUM:
        return ""
    said = _SPEAKER.sub("", text.strip())
    return _whole_sum(said) if _LETTER.search(said) else ""


def _whole_sum(text: str) -> str:
    symbols = in_symbols(text) if _SUM.search(text) else ""
    if not _OPERATOR.search(symbols):
        return ""
    try:
        calculate(symbols)
    except CalcError:
        return ""
    return symbols


def with_own_sum(call: ToolCall, request: str) -> ToolCall:
    """A calculation as the person said it where the calculator can read all of the request, which
    memory need not be searched for then; one that uses a number oftener than the person did is not
    believed: “6 times 7” as 7 * 7."""
    if call.name not in {"calc", "memory_search"}:
        return call
    if own := own_sum(request):
        return ToolCall(call.id, "calc", {"expression": own}, confidence=1.0)
    if call.name != "calc":
        return call
    said = Counter(_NUMBER.findall(request))
    used = Counter(_NUMBER.findall(str(call.arguments.get("expression", ""))))
    return call if used <= said else replace(call, confidence=min(call.confidence, HOPELESS))


def is_out_of_reach(call: ToolCall, request: str) -> bool:
    """Whether `request` wants what no tool does, so that `call` is a misunderstanding: "delete
    a.txt" must not show it, and "book a table" is nothing to remember."""
    if call.name == "screenshot":
        return bool(_NO_PICTURE.match(request[:_LONGEST_FORGET]))
    if call.name == "open" and _NO_OPENING.match(request):
        return True
    return call.name in _MISTAKEN_FOR and bool(_UNREACHABLE.match(request))


def looked_up(call: ToolCall, request: str) -> ToolCall:
    """A question that would be kept as a fact ("what am I allergic to?") is looked up instead."""
    if call.name == "memory_store" and is_question(request) and only_asks(request):
        return ToolCall(call.id, "memory_search", {"query": request.strip()})
    return call


def asked_about(call: ToolCall, request: str) -> ToolCall:
    """A secret that was only mentioned ("my wifi password is ...") is kept in a file of plain text
    only after a yes; who says "remember" has decided."""
    if call.name == "memory_store" and looks_secret(request) and not asks_to_remember(request):
        return replace(call, confidence=min(call.confidence, _DOUBTFUL))
    return call


def with_all_of_it(call: ToolCall, request: str) -> ToolCall:
    """A fact that is to be kept, from where its sentence begins to where it ends: the model may
    begin or stop in the middle of one, and what it left out would be lost ("the wifi password
    hangs" of "... in the cupboard", "two lamps" of "remember that box 19 holds a rope, two lamps").

    Of a reminder that comes again, each time: "every Monday and Thursday at 9", not "every Monday".

    Where the rest is only how one asks ("..., please", "for me", 好吗), or begins behind a comma or
    a quote, the model was right to stop. Who begins with "remember that" has decided: a fact from
    there on is not asked about.
    """
    if call.name == "reminder_add":
        return _each_time(call, request)
    fact = str(call.arguments.get("text", "")).strip()
    if call.name != "memory_store" or not fact or request.count(fact) != 1:
        return call
    return _as_decided(_to_its_end(_from_its_beginning(call, fact, request), request), request)


def _each_time(call: ToolCall, request: str) -> ToolCall:
    when = str(call.arguments.get("when", "")).strip()
    if not when or request.count(when) != 1 or not _repeats(when):
        return call
    behind = request[request.index(when) + len(when) :][:_LONGEST_TIME]
    ends = (one.end() for one in _WORD_OR_SIGN.finditer(behind))
    longer = [when + behind[:end] for end in ends if _repeats(when + behind[:end])]
    return replace(call, arguments={**call.arguments, "when": longer[-1]}) if longer else call


def _repeats(when: str) -> bool:
    found = parse_schedule(when, _ANY_DAY)
    return isinstance(found, Cron | Every) or (
        isinstance(found, Unclear) and found.doubt in (Doubt.TIME_OF_DAY, Doubt.CONTRADICTION)
    )


def _from_its_beginning(call: ToolCall, fact: str, request: str) -> ToolCall:
    if len(request) > _LONGEST_FORGET:
        return call
    start = request.index(fact)
    opening = [one.end() for one in _OPENING.finditer(request) if one.start() <= start]
    if not opening or opening[-1] == start or not start - _LONGEST_REST <= opening[-1]:
        return call
    if opening[-1] > start:  # the asking was taken for a part of it
        text = request[opening[-1] : start + len(fact)]
    else:
        left_out = request[opening[-1] : start]
        if _SENTENCE_ENDS.search(left_out) or _STILL_OPENING.search(left_out):
            return call
        text = left_out + fact
    return replace(call, arguments={**call.arguments, "text": text}) if text.strip() else call


def _to_its_end(call: ToolCall, request: str) -> ToolCall:
    fact = str(call.arguments["text"]).strip()
    rest = request[request.index(fact) + len(fact) :]
    running = _RUNNING_ON.match(rest)
    if running is None or len(running[0]) > _LONGEST_REST:
        return call
    more = _ONLY_ASKED.sub("", _FURTHER.split(running[0])[0]).rstrip()
    if not more.strip():
        return call
    return replace(call, arguments={**call.arguments, "text": fact + more})


def _as_decided(call: ToolCall, request: str) -> ToolCall:
    opening = _OPENING.match(request) if len(request) <= _LONGEST_FORGET else None
    if opening is None or call.confidence == 1.0 or only_asks(request):
        return call
    if request.startswith(str(call.arguments["text"]), opening.end()):
        return replace(call, confidence=1.0)
    return call


def with_a_task(call: ToolCall) -> ToolCall:
    """A reminder without the words that only ask for one ("set a reminder for 6"): what is to be
    done is then missing, and the tool asks."""
    task = str(call.arguments.get("text", ""))
    if call.name != "reminder_add" or not _NO_TASK.fullmatch(task):
        return call
    return replace(call, arguments={**call.arguments, "text": ""}, confidence=1.0)


def to_forget(text: str) -> tuple[ToolCall, ...]:
    """The call for a request that asks to forget a note; none for any other."""
    if len(text) > _LONGEST_FORGET:
        return ()
    found = _FORGET.fullmatch(text.strip().rstrip(".!。！ "))
    if not found:
        return ()
    what = (found["english"] or found["chinese"] or found["ba"]).strip()
    if _NO_NOTE.fullmatch(what) or what[-1] in "?？":
        return ()
    return (ToolCall("forget", "memory_forget", {"query": what}),)


def says_yes(text: str) -> bool:
    return bool(_YES.fullmatch(text))


def says_no(text: str) -> bool:
    return bool(_NO.fullmatch(text))


def sure_enough(call: ToolCall, gate: float, missing: Collection[str] = ()) -> bool:
    """Whether `call` may run without asking back.

    Looking into memory never asks: it is what happens anyway to a question the model cannot
    answer. A call of a `missing` tool only gets told so.
    """
    if call.name == "memory_search":
        return True
    easy = call.name in EASY_TOOLS or call.name in missing
    return call.confidence >= (min(gate, EASY_GATE) if easy else gate)


def hopeless(call: ToolCall, gate: float) -> bool:
    """Whether the model is so unsure that asking "did I get that right?" would only puzzle."""
    return call.confidence < min(gate, HOPELESS)
