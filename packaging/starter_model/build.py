"""Builds the starter model with one command: generate, train, export, check, evaluate.

    python packaging/starter_model/build.py

Takes some seven hours on two CPU cores. It can be interrupted at any time; the same command goes
on from the last checkpoint. Needs the packages of requirements.txt and the
program itself, which the last step asks.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def stage(name: str, *arguments: str | int | Path) -> None:
    """Runs a module of this package; the package and the program are importable in it."""
    paths = [str(REPOSITORY / "packaging"), str(REPOSITORY)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", f"starter_model.{name}", *map(str, arguments)]
    print("==", *command[2:], flush=True)
    subprocess.run(command, env=environment, cwd=REPOSITORY, check=True)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "starter_model")
    parser.add_argument(
        "--output", type=Path, default=REPOSITORY / "resources" / "models" / "starter-q8_0.gguf"
    )
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    vocabulary, checkpoint = options.work / "vocabulary.json", options.work / "checkpoint.pt"
    lists = REPOSITORY / "tests" / "data" / "starter"
    stage("generate", "--vocabulary", vocabulary, "--sample", options.work / "sample.jsonl")
    stage(
        "train",
        "--vocabulary",
        vocabulary,
        "--checkpoint",
        checkpoint,
        "--threads",
        options.threads,
    )
    stage("export", "--checkpoint", checkpoint, "--output", options.output)
    stage("check", options.output, "--checkpoint", checkpoint)
    report = options.work / "report.json"
    names = (
        *("newcomers", "outsiders", "strangers", "latecomers", "heldout"),
        *("natural", "second", "third"),
    )
    found = [lists / f"{name}.jsonl" for name in names]
    stage("evaluate", options.output, *found, "--report", report)


if __name__ == "__main__":
    main()
