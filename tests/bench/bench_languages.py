"""Short notes in Chinese, Japanese, Korean and mixed, found by words alone: recall@10.

    packaging/dev.py bench languages

Notes, questions and the sentences of daily life around them are those of the test that holds the
figure (tests/integration/memory/test_cjk_recall.py); no embedding model takes part.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.engine import open_memory
from tests.bench.models_figures import tell
from tests.integration.memory.test_cjk_recall import (
    ASKED_AT,
    LEAST_OVERALL,
    asked,
    daily_sentences,
    fill,
    notes,
    places,
)

_SEEDS = (20260105, 1, 2)
"""Of the sentences around the notes; the first is the test's."""


def main() -> int:
    worst = 1.0
    for seed in _SEEDS:
        chance = random.Random(seed)
        lines = notes() + daily_sentences(chance)
        chance.shuffle(lines)
        with tempfile.TemporaryDirectory() as name:
            fill(Path(name, "ws"), lines)
            memory = open_memory(Path(name, "ws"), Path(name, "i"), None, ManualClock(ASKED_AT))
            everything = asked()
            found = [one for one in everything if one.note in places(memory, one.question)]
            memory.close()
        of, got = Counter(o.language for o in everything), Counter(o.language for o in found)
        each = ", ".join(f"{one} {got[one] / of[one]:.3f}" for one in sorted(of))
        share = len(found) / len(everything)
        worst = min(worst, share)
        note = f"{len(everything)} questions, {len(lines)} notes, seed {seed}; {each}"
        tell(
            "memory: short notes, Chinese, Japanese, mixed, recall@10",
            share,
            "share",
            note,
            "at least .95",
        )
    return 0 if worst >= LEAST_OVERALL else 1


if __name__ == "__main__":
    sys.exit(main())
