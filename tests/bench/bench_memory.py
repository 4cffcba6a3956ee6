"""Figures of memory, beside the reference's and beside other ways to do it. Asserts nothing.

    python3 packaging/dev.py bench memory -- --data DIR
    python tests/bench/bench_memory.py [--data DIR] [--only SECTION] [--quick]

DIR holds conversations with questions (memory_quality.py says in what shape); without it nothing
is told about quality. The embedding model is the one that comes with the program unless --embedder
names another file, or "none". All of it takes some minutes; --quick looks at small sizes only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from moltbot_desktop.models.catalogue import EMBEDDING_FILE  # noqa: E402
from moltbot_desktop.models.embedding import load_embedder  # noqa: E402
from moltbot_desktop.models.thread import ModelThread  # noqa: E402
from moltbot_desktop.sdk.models import Embedder  # noqa: E402
from tests.bench.memory_index import embedding, from_the_shell, unchanged_files  # noqa: E402
from tests.bench.memory_quality import quality  # noqa: E402
from tests.bench.memory_speed import vector_stage, whole_search  # noqa: E402
from tests.bench.memory_trouble import TIMES, in_a_process  # noqa: E402
from tests.bench.memory_watching import saved_note  # noqa: E402
from tests.bench.models_figures import tell  # noqa: E402

SIZES = (1_000, 10_000, 100_000)
FILES = 10_000
QUICK = 1_000
NO_MODEL = "none"
_JOIN_SECONDS = 10


@contextmanager
def opened_embedder(name: str, base: Path) -> Iterator[Embedder | None]:
    """The model in file `name` ("": the bundled one); None without one."""
    path = Path(name) if name else ROOT / "resources" / "models" / EMBEDDING_FILE
    if name == NO_MODEL or not path.exists():
        tell("memory: embedding model", "none", "", "searches go by words")
        yield None
        return
    thread = ModelThread()
    thread.start()
    try:
        # One thread: what is measured beside it would suffer from more, and so would its figure.
        yield load_embedder(thread, path, threads=1, state_dir=base)
    finally:
        thread.stop()
        thread.join(_JOIN_SECONDS)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of conversations with questions")
    parser.add_argument("--embedder", default="", help="an embedding model's file, or none")
    parser.add_argument("--index", type=Path, help="keep the conversations' indexes there")
    parser.add_argument(
        "--only",
        choices=["quality", "speed", "files", "shell", "indexing", "watching", "trouble"],
    )
    parser.add_argument("--quick", action="store_true", help=f"sizes up to {QUICK:,} only")
    return parser.parse_args()


def main() -> None:
    """Every section, or one."""
    given = options()
    sizes = [size for size in SIZES if size <= QUICK or not given.quick]
    files = QUICK if given.quick else FILES

    def told_quality(folder: Path, model: Embedder | None) -> None:
        if given.data is None:
            tell("memory: evidence found", "not measured", "", "add --data DIR")
        else:
            quality(given.data.absolute(), given.index or folder, model)

    def speeds(folder: Path, model: Embedder | None) -> None:
        vector_stage(sizes, folder)
        whole_search(sizes, folder, model)

    sections: dict[str, Callable[[Path, Embedder | None], None]] = {
        "quality": told_quality,
        "speed": speeds,
        "files": lambda folder, _: unchanged_files(files, folder),
        "shell": lambda folder, _: from_the_shell(folder),
        "indexing": embedding,
        "watching": lambda folder, _: saved_note(folder, files),
        "trouble": lambda *_: in_a_process(TIMES // 10 if given.quick else TIMES),
    }
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        with opened_embedder(given.embedder, base) as model:
            for section, measure in sections.items():
                if given.only in (None, section):
                    (base / section).mkdir()
                    measure(base / section, model)


if __name__ == "__main__":
    main()
