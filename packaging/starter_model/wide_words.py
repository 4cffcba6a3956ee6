"""Writes phrases/wide.txt: tens of thousands of words, so that the borders of a word that nobody
wrote into words.txt are learnt as well.

English ones are WordNet's (lemmas that its texts use at least once), Chinese ones those of jieba's
dictionary that are frequent enough, both by part of speech. What the list `heldout` asks about
stays out. To make the file anew:

    apt-get install wordnet-base && pip download --no-deps --no-binary :all: jieba==0.42.1
    python3 -m starter_model.wide_words --wordnet /usr/share/wordnet --jieba .../jieba/dict.txt
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from starter_model.fillers import PHRASES

HELD_OUT: Final = PHRASES.parents[2] / "tests" / "data" / "starter" / "heldout.jsonl"
LEMMA: Final = re.compile("[a-z]{3,13}(_[a-z]{3,10})?")
HAN: Final = re.compile("[\u4e00-\u9fff]+")
SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟"
    "汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
# Section: parts of speech in jieba's dictionary, the least frequency, the lengths.
CHINESE: Final[dict[str, tuple[str, int, tuple[int, ...]]]] = {
    "zh noun": ("n nz", 120, (2, 3, 4)),
    "zh verb": ("v vn", 150, (1, 2)),
    "zh adj": ("a b", 80, (2, 3)),
    "zh name": ("nr nrt", 3, (2, 3)),
    "zh place": ("ns", 100, (2, 3)),
}
ENGLISH: Final = ("noun", "verb", "adj")
HEADER: Final = """\
# Written by wide_words.py. English: WordNet 3.0 Copyright 2006 by Princeton University.  All rights
# reserved. Chinese: jieba 0.42.1, Copyright (c) 2013 Sun Junyi. Their licences: LICENSES.md beside this.
"""


def held_out(path: Path) -> set[str]:
    """Every word of the values of a list, and every run of two to four Chinese characters."""
    found = set[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        for values in json.loads(line).get("args", {}).values():
            for value in values:
                found.update((value, *re.findall("[a-z]+", value.lower())))
                found.update(
                    run[i : i + size]
                    for run in HAN.findall(value)
                    for size in (2, 3, 4)
                    for i in range(len(run) - size + 1)
                )
    return found


def lemmas(index: Path) -> Iterator[str]:
    """Lemmas of a WordNet index file with a sense that was met in its texts (wndb(5WN))."""
    for line in index.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split()
        pointers = int(fields[3])
        if int(fields[pointers + 5]) and LEMMA.fullmatch(fields[0]):
            yield fields[0].replace("_", " ")


def chinese(dictionary: Path, tags: str, least: int, lengths: tuple[int, ...]) -> Iterator[str]:
    """Words of jieba's dictionary ("word frequency tag" in each line)."""
    for line in dictionary.read_text(encoding="utf-8").splitlines():
        word, frequency, tag = line.split()
        right = tag in tags.split() and int(frequency) >= least and len(word) in lengths
        if right and HAN.fullmatch(word) and ("nr" not in tags or word[0] in SURNAMES):
            yield word


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--jieba", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=PHRASES / "wide.txt")
    options = parser.parse_args()
    out = held_out(HELD_OUT)
    pools = {f"en {kind}": lemmas(options.wordnet / f"index.{kind}") for kind in ENGLISH}
    pools |= {name: chinese(options.jieba, *wanted) for name, wanted in CHINESE.items()}
    text = HEADER
    for name, pool in pools.items():
        words = sorted({word for word in pool if not out & {word, *word.split()}})
        text += f"[{name}]\n" + ", ".join(words) + "\n"
    options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
