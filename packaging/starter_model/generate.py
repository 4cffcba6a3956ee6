"""Makes the vocabulary (and, to look at, a sample of the training dialogues).

The training data itself is never stored: train.py generates it from the seed as it goes.
"""

import argparse
import json
import random
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from starter_model import dialogues
from starter_model.fillers import LEVEL_ONE
from starter_model.vocabulary import LETTERS, MORE_CHARACTERS, PUNCTUATION, SPACE, Vocabulary

LETTER_PIECES: Final = 2600


def learn(texts: Iterable[str]) -> Vocabulary:
    """Learns the pieces of letters from texts; everything else is fixed."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(
        Regex(f"{SPACE}?[A-Za-z]+|[^A-Za-z]"), "isolated"
    )
    trainer = trainers.BpeTrainer(
        vocab_size=LETTER_PIECES + 7000, min_frequency=3, show_progress=False, max_token_length=14
    )
    tokenizer.train_from_iterator((text.replace(" ", SPACE) for text in texts), trainer)
    found = [piece for piece, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    letters = [SPACE, *map(chr, range(65, 91)), *map(chr, range(97, 123))]
    learned = [piece for piece in found if LETTERS.fullmatch(piece) and piece not in letters]
    pieces = letters + learned[:LETTER_PIECES]
    for extra in (PUNCTUATION, dict.fromkeys(LEVEL_ONE + MORE_CHARACTERS)):
        known = set(pieces)
        pieces += [piece for piece in extra if piece not in known]
    return Vocabulary(pieces)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--dialogues", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    made = [dialogues.dialogue(rng) for _ in range(options.dialogues)]
    texts = [f" {text}" for one in made for text in (one.user, one.answer) if text]
    options.vocabulary.parent.mkdir(parents=True, exist_ok=True)
    learn(texts).save(options.vocabulary)
    if options.sample:
        with options.sample.open("w", encoding="utf-8") as file:
            for one in made[:500]:
                file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
