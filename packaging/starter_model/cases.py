"""Evaluation cases: requests with the calls that count as right.

Four lists are committed under tests/data/starter. `heldout.jsonl` is made by this file from
phrasings and words that training never uses. Three are written by hand: `natural.jsonl` before the
training phrasings, `second.jsonl` before phrases/more_*.txt (which was written knowing what went
wrong on it), and `third.jsonl` after all training data was fixed.
"""

import argparse
import json
import random
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from starter_model import dialogues
from starter_model.dialogues import POLITE, SLOT, Writer
from starter_model.fillers import sections
from starter_model.tools import SLOT_ARGUMENT, TOOLS

SEED: Final = 20261121
REQUESTS_PER_PHRASING: Final = 3
CHAT_PER_LANGUAGE: Final = 60
# A slot of a sum in the over-wide test whether training could have produced a request.
SUM: Final = r"[-0-9.+*/()%^x×÷−＋ ]+[^\n]*?"


@dataclass
class Case:
    """A request and what should come of it; `tool` is empty where no tool is meant."""

    user: str
    lang: str
    tool: str = ""
    # Every accepted value of every argument.
    args: dict[str, list[str]] = field(default_factory=dict)
    now: str = ""
    result: str = ""
    answer: str = ""
    quoted: list[str] = field(default_factory=list)

    @property
    def prompt(self) -> str:
        return f"{self.now}\n{self.user}" if self.now else self.user


def from_dialogue(dialogue: dialogues.Dialogue) -> Case:
    """A generated dialogue as a case."""
    return Case(
        user=dialogue.user,
        lang="zh" if dialogue.zh else "en",
        tool=dialogue.tool,
        args={name: [value] for name, value, _ in dialogue.args},
        now=dialogue.now,
        result=dialogue.result,
        answer=dialogue.answer,
        quoted=dialogue.quoted,
    )


def held_out() -> list[Case]:
    """The held-out list: every test phrasing several times, and small talk."""
    rng = random.Random(SEED)
    cases = []
    for zh in (False, True):
        writer = Writer(rng, "test", zh)
        made = []
        for tool in TOOLS:
            for template in writer.phrasings[tool]:
                for _ in range(REQUESTS_PER_PHRASING if TOOLS[tool] else 2):
                    made.append(writer.request(tool, template))
                    writer.add_result(made[-1])
        made += [writer.chat() for _ in range(CHAT_PER_LANGUAGE)]
        for dialogue in made:
            if not dialogue.now and rng.random() < 0.3:
                dialogue.now = dialogues.now_line(rng)
        cases += [from_dialogue(dialogue) for dialogue in made]
    return cases


def read(path: Path) -> list[Case]:
    """Reads a list of cases, one JSON object a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


def write(path: Path, cases: list[Case]) -> None:
    """Writes a list of cases."""
    with path.open("w", encoding="utf-8") as file:
        for case in cases:
            fields = {key: value for key, value in asdict(case).items() if value or key == "tool"}
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")


def _pattern(template: str) -> str:
    """A regular expression for everything a phrasing can produce, and a little more."""
    result, last = "", 0
    for match in SLOT.finditer(template):
        result += _literal(template[last : match.start()])
        result += SUM if match[1] in SLOT_ARGUMENT["calc"] else ".+?"
        last = match.end()
    return result + _literal(template[last:])


def _literal(text: str) -> str:
    escaped = "".join(
        "(?:" if char == "(" else char if char in "|)" else re.escape(char) for char in text
    )
    return escaped.replace(r"\ ", r"\s*")


class Derivable:
    """Tells whether a training phrasing could also have produced a request (an over-wide test)."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[str, str], list[re.Pattern[str]]] = {}
        for lang in ("en", "zh"):
            before, after = POLITE[lang]
            front = "(?:" + "|".join(_pattern(word) for word in before) + ")?"
            back = "(?:" + "|".join(map(re.escape, after)) + ")?"
            for tool in TOOLS:
                self.patterns[lang, tool] = [
                    re.compile(front + _pattern(template) + back, re.IGNORECASE)
                    for template in sections(f"train_{lang}")[tool]
                    + sections(f"more_{lang}").get(tool, [])
                    if template not in ("<ownfact>", "<statement>")
                ]

    def __call__(self, case: Case) -> bool:
        return any(p.fullmatch(case.user) for p in self.patterns[case.lang, case.tool])


def main() -> None:
    """Command line: writes the held-out list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    write(parser.parse_args().output, held_out())


if __name__ == "__main__":
    main()
