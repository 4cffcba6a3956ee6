"""Measures a GGUF file through llama.cpp, the way the program uses it.

Three ways of decoding are compared: free greedy decoding, greedy decoding under the program's own
pointer mask (moltbot_desktop.models.starter), and the mask with a confidence gate that only acts on
a call whose least likely token, among those the mask allows, still has a given probability. "As
used" is the whole program with this file (`as_used.py`).
"""

import argparse
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import gguf
import llama_cpp
import numpy as np
from numpy.typing import NDArray

from moltbot_desktop.models.starter import PointerMask, StarterLayout
from starter_model.as_used import as_used
from starter_model.cases import Case, Derivable, read
from starter_model.tools import TOOLS
from starter_model.vocabulary import END, FIRST_BYTE, Vocabulary

CALL: Final = re.compile(r"<tool_call>\n<function=(\w+)>\n(.*)</function>\n</tool_call>", re.DOTALL)
PARAMETER: Final = re.compile(r"<parameter=(\w+)>\n(.*?)\n</parameter>\n", re.DOTALL)
GATES: Final = (0.0, 0.5, 0.7, 0.8, 0.9)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """The tool and the arguments of a call; an empty tool if the text is none."""
    match = CALL.fullmatch(text)
    if not match:
        return "", {}
    return match[1], {name: value.strip() for name, value in PARAMETER.findall(match[2])}


@dataclass
class Outcome:
    """What the model did with a case."""

    case: Case
    text: str
    confidence: float
    tool: str = ""
    args: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tool, self.args = parse(self.text)

    @property
    def right_tool(self) -> bool:
        return self.tool == self.case.tool

    def right_argument(self, name: str) -> bool:
        return self.right_tool and self.args.get(name) in self.case.args[name]

    @property
    def exact(self) -> bool:
        names = set(self.args) == set(self.case.args)
        return self.right_tool and names and all(map(self.right_argument, self.args))


class Model:
    """A GGUF file, its vocabulary and its mask."""

    def __init__(self, path: Path, threads: int) -> None:
        self.path = path
        self.llama = llama_cpp.Llama(
            str(path), n_ctx=1024, n_threads=threads, n_threads_batch=threads, verbose=False
        )
        reader = gguf.GGUFReader(path)
        tokens: list[str] = reader.fields["tokenizer.ggml.tokens"].contents()
        pieces = [token for token in tokens[FIRST_BYTE + 256 :] if not token.startswith("<unused")]
        self.vocabulary = Vocabulary(pieces)
        tools = reader.fields["moltbot.starter.tools"].contents()
        self.layout = StarterLayout.from_vocab(tokens, tools)
        self.tokens = tokens

    def generate(
        self, prompt: list[int], user: str, masked: bool, limit: int = 160
    ) -> tuple[str, float]:
        """Greedy decoding: the text and the smallest probability of a chosen token."""
        ids = self.vocabulary.encode(user)
        mask = PointerMask(self.layout, ids, [self.tokens[i] for i in ids]) if masked else None
        least = [1.0]

        def choose(sequence: NDArray[Any], scores: NDArray[Any]) -> NDArray[Any]:
            allowed = mask.allowed([int(i) for i in sequence[len(prompt) :]]) if mask else None
            if allowed is not None:
                narrowed = np.full_like(scores, -np.inf)
                chosen = list(allowed)
                narrowed[chosen] = scores[chosen]
                scores = narrowed
            likely = np.exp(scores - scores.max())
            least.append(float(likely.max() / likely.sum()))
            return scores

        made: list[int] = []
        processors = llama_cpp.LogitsProcessorList([choose])
        for token in self.llama.generate(
            prompt, temp=0.0, top_k=1, repeat_penalty=1.0, logits_processor=processors
        ):
            if token == END or len(made) >= limit:
                break
            made.append(token)
        return self.vocabulary.decode(made), min(least[: len(made) + 2])

    def request(self, case: Case, masked: bool) -> Outcome:
        """The model's answer to a request."""
        prompt = self.vocabulary.prompt(case.user)
        return Outcome(case, *self.generate(prompt, " " + case.user, masked))


def score(outcomes: list[Outcome]) -> dict[str, int]:
    """Counts over outcomes of one language."""
    count: Counter[str] = Counter()
    for outcome in outcomes:
        case = outcome.case
        if not case.tool:
            count["chat"] += 1
            count["false calls"] += bool(outcome.tool)
            count["right replies"] += bool(case.answer) and outcome.text.strip() == case.answer
            continue
        count["requests"] += 1
        count["right tool"] += outcome.right_tool
        count["exact"] += outcome.exact
        count["arguments"] += len(case.args)
        count["right arguments"] += sum(map(outcome.right_argument, case.args))
    return dict(count)


def gates(outcomes: list[Outcome]) -> dict[str, dict[str, int]]:
    """What happens when only calls of a given confidence are acted on."""
    result = {}
    for gate in GATES:
        acted = [one for one in outcomes if one.tool and one.confidence >= gate]
        result[str(gate)] = {
            "acted on": sum(bool(one.case.tool) for one in acted),
            "exact": sum(one.exact for one in acted if one.case.tool),
            "false calls": sum(not one.case.tool for one in acted),
        }
    return result


def per_tool(outcomes: list[Outcome]) -> dict[str, str]:
    """Whole calls exact, by tool."""
    result = {}
    for tool in TOOLS:
        chosen = [one for one in outcomes if one.case.tool == tool]
        if chosen:
            result[tool] = f"{sum(one.exact for one in chosen)}/{len(chosen)}"
    return result


def measure(model: Model, cases: list[Case], misses: bool) -> dict[str, Any]:
    """All figures of one list."""
    report: dict[str, Any] = {}
    derivable = Derivable()
    for lang in ("en", "zh"):
        own = [case for case in cases if case.lang == lang]
        figures: dict[str, Any] = {}
        figures["free"] = score([model.request(case, masked=False) for case in own])
        outcomes = [model.request(case, masked=True) for case in own]
        figures["mask"] = score(outcomes)
        fresh = [one for one in outcomes if one.case.tool and not derivable(one.case)]
        figures["mask, phrasing not derivable from training"] = score(fresh)
        figures["gates"] = gates(outcomes)
        figures["as used"] = as_used(own, model.path)
        figures["per tool"] = per_tool(outcomes)
        if misses:
            figures["misses"] = [
                [one.case.user, one.case.tool, one.case.args, one.tool, one.args or one.text]
                for one in outcomes
                if not (one.exact if one.case.tool else not one.tool)
            ]
        report[lang] = figures
    return report


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2f}" if whole else "-"


def table(report: dict[str, Any]) -> str:
    """The figures as the Markdown table of the model card."""
    lines = [
        "| list | decoding | right tool | right arguments | whole call exact | false calls |",
        "|---|---|---|---|---|---|",
    ]
    for name, lists in report.items():
        for lang, figures in lists.items():
            for mode, count in figures.items():
                if "right tool" not in count:
                    continue
                total = count["requests"]
                chat = f"{count['false calls']}/{count['chat']}" if "chat" in count else ""
                right = _share(count["right arguments"], count["arguments"])
                lines.append(
                    f"| {name} {lang} | {mode} | {_share(count['right tool'], total)} | {right} "
                    f"| {_share(count['exact'], total)} | {chat} |"
                )
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("lists", type=Path, nargs="+")
    parser.add_argument("--report", type=Path, help="writes the figures as JSON")
    parser.add_argument("--misses", action="store_true", help="lists what went wrong")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    model = Model(options.model, options.threads)
    report = {path.stem: measure(model, read(path), options.misses) for path in options.lists}
    text = json.dumps(report, ensure_ascii=False, indent=1)
    if options.report:
        options.report.write_text(text + "\n", encoding="utf-8")
    print(text if options.misses or not options.report else table(report))


if __name__ == "__main__":
    main()
