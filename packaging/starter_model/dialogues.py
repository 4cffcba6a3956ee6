"""Random one-request dialogues: a phrasing with filled slots, and the call or the answer.

Arguments are recorded as positions in the request, never searched for afterwards, so that a value
that occurs twice still points to the right place. Everything depends on the seed alone.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from starter_model import replies
from starter_model.fillers import Fillers, sections
from starter_model.tools import SLOT_ARGUMENT, TOOLS, argument_names

SLOT: Final = re.compile(r"<(\w+)>")
WORD: Final = re.compile("[A-Za-z]{4,}")
BRACKET: Final = re.compile(r"\(([^()]*)\)")
# Free text that users sometimes put in quotes; the quotes are not part of the argument.
QUOTABLE: Final = {"fact", "topic", "todo", "content", "pattern", "thing", "app"}
# Slots whose first letter must not be changed at the start of a sentence.
EXACT: Final = {
    "path",
    "textpath",
    "doc",
    "memfile",
    "url",
    "command",
    "pattern",
    "ftype",
    "folder",
}
# Clauses of a Chinese question, and the question word behind them, which is looked for as well
# ("我把车停哪儿了": without its end it says nothing).
CLAUSES: Final = {"ziclause", "zwclause", "askclause", "carclause", "lentclause"}
ASKED: Final = re.compile(
    "(?:哪(?:里|儿|家|天|位|去|个(?:地方|位置|角落|柜子|人|家伙)?)?|什么(?:地方|东西)?|啥|谁|多少|几[个点]|多大|何处)了?"
)
OPERATORS: Final = (
    ("+", ("plus", "and", "added to", "+"), ("加", "加上", "＋")),
    ("-", ("minus", "less", "-", "−"), ("减", "减去", "减掉")),
    ("*", ("times", "multiplied by", "x", "×", "*"), ("乘", "乘以", "×", "乘上", "x")),
    ("/", ("divided by", "over", "÷", "/"), ("除以", "÷", "/")),
    ("^", ("to the power of", "to the"), ("的",)),
)
POLITE: Final = {
    "en": (
        [
            "please ",
            "please ",
            "(can|could|would|will) you (please |)",
            "hey, ",
            "ok, ",
            "ok now ",
            "hi, ",
            "hello, ",
            "I'd like you to ",
            "assistant, ",
            "moltbot, ",
            "hey moltbot, ",
            "hey moltbot, please ",
            "now ",
            "just ",
            "quickly ",
            "kindly ",
            "then ",
            "Moltbot: ",
            "oh, ",
            "so, ",
            "alright, ",
        ],
        [" please", ", please", ", thanks", ", thank you", ".", ".", ".", "!", " thanks", " :)"],
    ),
    "zh": (
        [
            "请",
            "麻烦",
            "请你",
            "你好，",
            "嘿，",
            "好的，",
            "那个，",
            "助手，",
            "你帮我",
            "麻烦你",
            "现在",
            "可以",
            "帮我",
            "嗨，",
            "劳驾，",
            "对了，",
            "Moltbot，",
            "给我",
            "喂，",
            "哎，",
            "小助手，",
        ],
        [
            "，谢谢",
            "。",
            "吧",
            "，好吗",
            "，谢谢你",
            "！",
            "。",
            "，麻烦了",
            "，拜托",
            "哦",
            "，谢啦",
        ],
    ),
}
TOOL_WEIGHTS: Final = {
    "memory_store": 1.7,
    "memory_search": 1.8,
    "memory_get": 0.6,
    "reminder_add": 1.8,
    "reminder_list": 0.4,
    "read": 0.9,
    "write": 1.1,
    "find_files": 1.2,
    "calc": 0.9,
    "web_fetch": 0.8,
    "open": 1.5,
    "exec": 0.8,
    "screenshot": 0.4,
    "weather_query": 1.0,
}
CHAT_SHARE: Final = 0.24


@dataclass
class Dialogue:
    """One request and everything the model has to say to it."""

    user: str
    zh: bool
    kind: str
    tool: str = ""
    # Name, value, and the position of the value in `user` (-1: not a copy).
    args: list[tuple[str, str, int]] = field(default_factory=list)
    answer: str = ""


def expand(template: str, rng: random.Random) -> str:
    """Chooses one alternative in every bracket, innermost first."""
    while match := BRACKET.search(template):
        chosen = rng.choice(match[1].split("|"))
        template = template[: match.start()] + chosen + template[match.end() :]
    return template


class Writer:
    """Writes dialogues in one language."""

    def __init__(self, rng: random.Random, zh: bool) -> None:
        self.rng = rng
        self.zh = zh
        self.language = "zh" if zh else "en"
        self.fillers = Fillers(rng, zh)
        self.phrasings = sections(self.language)
        self.methods = {"from": "start", "num": "start", "dd": "lines"}

    # --- sums --------------------------------------------------------------------------------
    def sum(self, slot: str) -> tuple[str, str]:
        """The text of a sum and the expression to calculate."""
        f, pick = self.fillers, self.rng.choice
        a, b, c = f.amount(), f.amount(), f.amount()
        if slot == "percentof":
            percent = f"{a}{pick(['%', '%', ' percent'])}"
            if self.zh:
                return f"{b}的{a}%", f"{b}*{a}%"
            return f"{percent} of {b}", f"{a}% * {b}"
        if slot == "divide":
            return f"{a} {pick(['by', 'by', 'into'])} {b}", f"{a} / {b}"
        if slot == "multiply":
            return f"{a} {pick(['by', 'by', 'and', 'with'])} {b}", f"{a} * {b}"
        if slot == "subtract":
            return f"{a} from {b}", f"{b} - {a}"
        if slot == "times":
            word, sign = pick([("times", "*"), ("times", "*"), ("divided by", "/"), ("plus", "+")])
            return f"{a} {word} {b}", f"{a} {sign} {b}"
        if slot == "addup":
            if f.chance(0.3):
                return f"{a}, {b} and {c}", f"{a} + {b} + {c}"
            return f"{a} {pick(['and', 'to', 'plus', 'with'])} {b}", f"{a} + {b}"
        sign, english, chinese = pick(OPERATORS)
        second = pick("+-*/")
        if sign == "^" and f.chance(0.6):
            sign, english, chinese = OPERATORS[2]
        kind = self.rng.random()
        if kind < 0.24:
            text = a + sign + b
        elif kind < 0.38:
            text = f"{a} {sign} {b}"
        elif kind < 0.48:
            text = f"({a}{sign}{b}){second}{c}"
        elif kind < 0.53:
            text = f"({a} {sign} {b}) {second} {c}"
        elif kind < 0.60:
            text = f"{a}{sign}{b}{second}{c}"
        elif kind < 0.64:
            text = f"{a} {sign} {b} {second} {c}"
        elif self.zh and sign == "^":
            return f"{a}的{b}次方", f"{a}^{b}"
        elif self.zh and kind < 0.7:
            signs = {"+": "加", "-": "减", "*": "乘以", "/": "除以"}
            return f"{a}{pick(chinese)}{b}{signs[second]}{c}", f"{a}{sign}{b}{second}{c}"
        elif self.zh:
            return a + pick(chinese) + b, a + sign + b
        elif kind < 0.7:
            signs = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
            return (
                f"{a} {pick(english)} {b} {signs[second]} {c}",
                f"{a} {sign} {b} {second} {c}",
            )
        else:
            return f"{a} {pick(english)} {b}", f"{a} {sign} {b}"
        return text, text

    # --- templates ---------------------------------------------------------------------------
    def noise(self, template: str) -> str:
        """Unknown words around the request, so that unknown words alone decide nothing."""
        f, rng = self.fillers, self.rng
        if f.chance(0.08) and not template.lstrip().startswith("<"):
            if self.zh:
                template = (
                    f.one(lambda: f.characters(1, 4), lambda: f.chinese(1, 1)) + "，" + template
                )
            else:
                lead = f.one(lambda: f.daily(1, 4), f.invented).replace(",", "")
                template = lead + rng.choice([", ", ", ", " so ", ": ", " - "]) + template
        if not self.zh and f.chance(0.08):
            template = self.mistype(template)
        if not self.zh and f.chance(0.07):
            parts = template.split(" ")
            places = [i for i, part in enumerate(parts) if re.fullmatch("[A-Za-z']+", part)]
            if len(places) >= 4:
                place = rng.choice(places[:-1])
                parts[place : place + 1] = [] if f.chance(0.5) else [f.invented()]
                template = " ".join(parts)
        if self.zh and f.chance(0.08):
            places = [m.start() for m in re.finditer("[\u4e00-\u9fff]", template)]
            if len(places) >= 6:
                place = rng.choice(places)
                wrong = self.rng.choice(["", f.characters(1, 1)])
                template = template[:place] + wrong + template[place + 1 :]
        return template

    def mistype(self, template: str) -> str:
        """A slip of the fingers in a word that is no argument, or its apostrophe left out."""
        rng = self.rng
        if "'" in template and rng.random() < 0.5:
            return template.replace("'", "", 1)
        outside = [m for m in WORD.finditer(template) if template[m.start() - 1 : m.start()] != "<"]
        if not outside:
            return template
        match = rng.choice(outside)
        word, place = match[0], rng.randrange(1, len(match[0]) - 1)
        first, second = word[place], word[place + 1]
        wrong = rng.choice([second + first, first, second, first + first + second])
        word = word[:place] + wrong + word[place + 2 :]
        return template[: match.start()] + word + template[match.end() :]

    def polite(self, template: str) -> str:
        """A polite word in front (never before a leading argument) or behind."""
        before, after = POLITE[self.language]
        if self.fillers.chance(0.28) and not template.startswith("<"):
            template = expand(self.rng.choice(before), self.rng) + template
        if self.fillers.chance(0.16) and template[-1] not in "?？.。！!吗呢么":
            template += self.rng.choice(after)
        return template

    def fill(self, template: str, tool: str) -> tuple[str, list[tuple[str, str, int]]]:
        """Fills the slots and says where the arguments stand."""
        template = re.sub(" +", " ", template).strip()
        arguments = SLOT_ARGUMENT.get(tool, {})
        text, last, places = "", 0, dict[str, tuple[int, int]]()
        computed: dict[str, str] = {}
        clause = False
        for match in SLOT.finditer(template):
            slot = match[1]
            text += template[last : match.start()]
            last = match.end()
            if slot in SLOT_ARGUMENT["calc"]:
                value, computed["expression"] = self.sum(slot)
            else:
                value = str(getattr(self.fillers, self.methods.get(slot, slot))())
            quotes = ("", "")
            if slot in QUOTABLE and '"' not in value and self.fillers.chance(0.06):
                quotes = self.rng.choice(
                    [("“", "”"), ("「", "」"), ('"', '"'), ("《", "》")]
                    if self.zh
                    else [('"', '"'), ("'", "'"), ("“", "”")]
                )
            around = template[match.start() - 1 : match.start()] + template[last : last + 1]
            if around and around[-1] in "\"”'`":
                quotes = ("", "")
            text += quotes[0]
            if slot in arguments:
                places[arguments[slot]] = (len(text), len(text) + len(value))
            text += value + quotes[1]
            clause = clause or slot in CLAUSES
        text += template[last:]
        exact = template.startswith("<") and SLOT.match(template)[1] in EXACT  # type: ignore[index]
        if not self.zh and not exact and self.fillers.chance(0.4):
            text = text[0].upper() + text[1:]
        args = []
        for name in argument_names(tool) if tool else ():
            if name in computed:
                start = text.find(computed[name])
                args.append((name, computed[name], start))
            elif name in places:
                start, end = places[name]
                if clause and (asked := ASKED.match(text, end)):
                    end = asked.end()
                args.append((name, text[start:end], start))
        return text, args

    # --- dialogues ---------------------------------------------------------------------------
    def request(self, tool: str, template: str | None = None) -> Dialogue:
        """A request for a tool, without result."""
        template = expand(template or self.rng.choice(self.phrasings[tool]), self.rng)
        template = self.noise(template)
        user, args = self.fill(self.polite(template), tool)
        return Dialogue(user=user, zh=self.zh, kind="call", tool=tool, args=args)

    def chat(self) -> Dialogue:
        """A request that needs no tool."""
        name = chat_section(self.rng, self.phrasings)
        template = expand(self.rng.choice(self.phrasings[name]), self.rng)
        if name.startswith("ask "):
            template = self.polite(template)
        user, _ = self.fill(template, "")
        return Dialogue(user=user, zh=self.zh, kind=name, answer=fixed_answer(name, self.language))


def chat_section(rng: random.Random, sections: Iterable[str]) -> str:
    """A section of requests that need no tool: what is out of scope, lacks an argument, is talk."""
    share = rng.random()
    lead = "other" if share < 0.5 else "ask " if share < 0.75 else "chat "
    return rng.choice([name for name in sections if name.startswith(lead)])


def fixed_answer(section: str, language: str) -> str:
    """What is said to requests of a section that need no tool."""
    kind, _, name = section.partition(" ")
    if kind == "other":
        return replies.FALLBACK[language]
    return (replies.ASK if kind == "ask" else replies.CHAT)[language][name]


def dialogue(rng: random.Random) -> Dialogue:
    """A random dialogue."""
    writer = Writer(rng, zh=rng.random() < 0.5)
    if rng.random() < CHAT_SHARE:
        return writer.chat()
    tool = rng.choices(list(TOOLS), [TOOL_WEIGHTS[name] for name in TOOLS])[0]
    return writer.request(tool)
