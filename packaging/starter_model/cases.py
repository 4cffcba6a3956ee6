"""Evaluation cases: requests with the calls that count as right (tests/data/starter).

What each list is, and how honest, stands in tests/data/starter/README.md. None of them is training
data; a word or phrasing that was made for the training after reading a list makes that list milder,
and the README says where that happened.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starter_model.dialogues import POLITE, SLOT
from starter_model.fillers import sections
from starter_model.tools import SLOT_ARGUMENT, TOOLS

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
    answer: str = ""


def read(path: Path) -> list[Case]:
    """Reads a list of cases, one JSON object a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


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
                    for template in sections(lang)[tool]
                    if template not in ("<ownfact>", "<statement>")
                ]

    def __call__(self, case: Case) -> bool:
        return any(p.fullmatch(case.user) for p in self.patterns[case.lang, case.tool])
