"""Trains the starter model: a fixed number of steps in phases, each with linear decay to zero.

The first phase sees the grammar alone, the others half written requests: they are few, and a
network that can already read learns from them how people ask, instead of learning them by heart.

The schedule counts steps, not minutes, and batch number n depends on the seeds alone, so that the
scripts always train the same thing however fast the machine is. A checkpoint holds the weights,
both optimizers and the step; `train` continues from it after an interruption.
"""

import argparse
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from starter_model import dialogues, written
from starter_model.network import Config, Network, initialize_copying
from starter_model.vocabulary import PAD, Vocabulary


def processor_flags() -> set[str]:
    """What /proc/cpuinfo says that the processor can do; nothing where there is no such file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {
        word for line in lines if line.startswith(("flags", "Features")) for word in line.split()
    }


Row = tuple[list[int], list[bool]]
POOL: Final = 3000
# Where the processor has no instructions for it, bfloat16 is emulated and ten times slower.
HAS_BFLOAT16: Final = bool({"avx512_bf16", "amx_bf16", "bf16"} & processor_flags())


@dataclass(frozen=True)
class Phase:
    """A part of a training with its own data and its own rise and fall of the learning rate.

    Attributes:
        steps: how many.
        seed: of its data.
        rate: its highest learning rate, relative to the plan's.
        warmup: steps until it is reached.
        hold: share of the steps after which it begins to fall.
        written: share of the dialogues that are written requests, the others are the grammar's.
        longest: longer dialogues (tokens) are left out.
        layers: of the network; where the phase before had fewer, it grows (`Network.deepen`).
        kept: share of the weights as they were at the phase's beginning, mixed into those at its
            end: one line leads from each to the other, on which both are right
            (Wortsman et al., arXiv 2109.01903).
    """

    steps: int
    seed: int
    rate: float
    warmup: int = 100
    hold: float = 0.0
    written: float = 0.0
    longest: int = 320
    layers: int = 5
    kept: float = 0.0

    def scale(self, step: int) -> float:
        """The learning rate of a step of this phase, relative to the plan's."""
        warm = min(1.0, (step + 1) / self.warmup)
        left = (self.steps - step) / (self.steps * (1 - self.hold))
        return self.rate * warm * min(1.0, left)

    def dialogue(self, rng: random.Random) -> dialogues.Dialogue:
        """A random dialogue of this phase."""
        if self.written and rng.random() < self.written:
            return written.dialogue(rng)
        return dialogues.dialogue(rng)


@dataclass(frozen=True)
class Plan:
    """Everything that decides the outcome of a training."""

    phases: tuple[Phase, ...] = (
        Phase(10000, seed=2611, rate=1.0, warmup=40, hold=0.1, longest=208),
        Phase(6000, seed=2811, rate=0.4, written=0.5),
        Phase(9200, seed=3011, rate=0.4, written=0.6),
        Phase(6000, seed=3211, rate=0.4, written=0.7, layers=8, kept=0.3),
        Phase(4800, seed=3411, rate=0.3, written=0.7, layers=8, kept=0.3),
    )
    seed: int = 2611
    batch_tokens: int = 4096
    matrix_rate: float = 0.02
    other_rate: float = 3e-3
    width: int = 256
    hidden: int = 512

    @property
    def steps(self) -> int:
        """The steps of all phases."""
        return sum(phase.steps for phase in self.phases)

    def config(self, vocabulary: Vocabulary, layers: int) -> Config:
        return {
            "vocabulary": vocabulary.size,
            "width": self.width,
            "layers": layers,
            "heads": self.width // 64,
            "hidden": self.hidden,
        }

    def phase(self, step: int) -> tuple[Phase, int]:
        """The phase of a step of the training, and which of the phase's steps it is.

        Raises:
            IndexError: the training has no such step.
        """
        for phase in self.phases:
            if step < phase.steps:
                return phase, step
            step -= phase.steps
        raise IndexError(step)


def pool_batches(vocabulary: Vocabulary, plan: Plan, phase: Phase, pool: int) -> list[list[Row]]:
    """The batches of one pool of dialogues: sorted by length, then shuffled."""
    rng = random.Random(f"{phase.seed}/{pool}")
    rows = [vocabulary.dialogue(phase.dialogue(rng)) for _ in range(POOL)]
    rows = sorted(
        (row for row in rows if len(row[0]) <= phase.longest), key=lambda row: len(row[0])
    )
    batches: list[list[Row]] = [[]]
    for row in rows:
        if batches[-1] and (len(batches[-1]) + 1) * (len(row[0]) + 8) > plan.batch_tokens:
            batches.append([])
        batches[-1].append(row)
    rng.shuffle(batches)
    return batches


def batches(vocabulary: Vocabulary, plan: Plan, start: int) -> Iterator[list[Row]]:
    """All batches from step `start` on."""
    before = 0
    for phase in plan.phases:
        first = max(0, start - before)
        before += phase.steps
        if first < phase.steps:
            pools = (pool_batches(vocabulary, plan, phase, pool) for pool in itertools.count())
            yield from itertools.islice(itertools.chain.from_iterable(pools), first, phase.steps)


def pad(rows: list[Row]) -> tuple[Tensor, Tensor]:
    """Token ids and the mask of predicted tokens as rectangular tensors."""
    length = (max(len(ids) for ids, _ in rows) + 7) // 8 * 8 + 1
    tokens = np.full((len(rows), length), PAD, np.int64)
    predicted = np.zeros((len(rows), length), bool)
    for index, (ids, mask) in enumerate(rows):
        tokens[index, : len(ids)] = ids
        predicted[index, : len(ids)] = mask
    return torch.from_numpy(tokens), torch.from_numpy(predicted)


def orthogonalize(gradient: Tensor) -> Tensor:
    """The Newton-Schulz iteration of Muon."""
    x = gradient.bfloat16() if HAS_BFLOAT16 else gradient.float()
    x = x / (x.norm() + 1e-7)
    if gradient.shape[0] > gradient.shape[1]:
        x = x.T
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    if gradient.shape[0] > gradient.shape[1]:
        x = x.T
    scale = max(1.0, gradient.shape[0] / gradient.shape[1]) ** 0.5
    result: Tensor = x.float() * scale
    return result


class Trainer:
    """Network, optimizers and counters of a training."""

    def __init__(self, vocabulary: Vocabulary, plan: Plan) -> None:
        torch.manual_seed(plan.seed)
        self.vocabulary = vocabulary
        self.plan = plan
        self.network = Network(plan.config(vocabulary, plan.phases[0].layers))
        initialize_copying(self.network)
        self._start_optimizers()
        self.phase_start: dict[str, Tensor] = {}
        self.step = 0
        self.tokens = 0
        self.loss = 0.0

    def _start_optimizers(self) -> None:
        named = list(self.network.named_parameters())
        self.matrices = [p for n, p in named if p.ndim == 2 and n != "embedding.weight"]
        self.others = [p for n, p in named if p.ndim == 1 or n == "embedding.weight"]
        self.momenta = [torch.zeros_like(p) for p in self.matrices]
        self.adam = torch.optim.AdamW(
            self.others, lr=self.plan.other_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True
        )

    def update(self, rows: list[Row]) -> None:
        """One optimizer step; before a phase's first one the network grows to its layers."""
        phase, step = self.plan.phase(self.step)
        if phase.layers > self.network.config["layers"]:
            self.network.deepen(phase.layers)
            self._start_optimizers()
        if step == 0:
            self.phase_start = {n: w.clone() for n, w in self.network.state_dict().items()}
        tokens, predicted = pad(rows)
        wanted = tokens[:, 1:][predicted[:, 1:]]
        with torch.autocast("cpu", torch.bfloat16, enabled=HAS_BFLOAT16):
            logits = self.network(tokens[:, :-1], predicted[:, 1:].reshape(-1))
        loss = F.cross_entropy(logits.float(), wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        scale = phase.scale(step)
        self._muon(self.plan.matrix_rate * scale)
        for group in self.adam.param_groups:
            group["lr"] = self.plan.other_rate * scale
        self.adam.step()
        self.adam.zero_grad()
        if step + 1 == phase.steps:
            self._mix_back(phase.kept)
        self.step += 1
        self.tokens += int((tokens != PAD).sum())
        self.loss = loss.item() if self.step == 1 else 0.97 * self.loss + 0.03 * loss.item()

    @torch.no_grad()
    def _mix_back(self, kept: float) -> None:
        for name, weights in self.network.state_dict().items():
            weights.lerp_(self.phase_start[name], kept)

    @torch.no_grad()
    def _muon(self, rate: float) -> None:
        for parameter, momentum in zip(self.matrices, self.momenta, strict=True):
            gradient = parameter.grad
            assert gradient is not None
            momentum.mul_(0.95).add_(gradient)
            parameter.mul_(1 - rate * 0.01)
            parameter.add_(orthogonalize(gradient + 0.95 * momentum), alpha=-rate)
            parameter.grad = None

    def save(self, path: Path) -> None:
        """Writes a checkpoint; an interrupted write leaves the old one in place."""
        state: dict[str, Any] = {
            "plan": asdict(self.plan),
            "config": self.network.config,
            "pieces": self.vocabulary.pieces,
            "weights": self.network.state_dict(),
            "phase_start": self.phase_start,
            "momenta": self.momenta,
            "adam": self.adam.state_dict(),
            "random": torch.get_rng_state(),
            "step": self.step,
            "tokens": self.tokens,
            "loss": self.loss,
        }
        partial = path.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(path)

    def restore(self, path: Path) -> None:
        """Continues from a checkpoint of the same plan."""
        state = torch.load(path, weights_only=True)
        if state["plan"] != asdict(self.plan):
            raise SystemExit(f"{path} belongs to another plan; remove it to start again")
        self.network = Network(state["config"])
        self.network.load_state_dict(state["weights"])
        self.phase_start = state["phase_start"]
        self._start_optimizers()
        for momentum, saved in zip(self.momenta, state["momenta"], strict=True):
            momentum.copy_(saved)
        self.adam.load_state_dict(state["adam"])
        torch.set_rng_state(state["random"])
        self.step, self.tokens, self.loss = state["step"], state["tokens"], state["loss"]


def run(vocabulary: Vocabulary, plan: Plan, checkpoint: Path) -> None:
    """Trains to the end of the plan, from the checkpoint if there is one."""
    trainer = Trainer(vocabulary, plan)
    if checkpoint.exists():
        trainer.restore(checkpoint)
        print(f"continuing at step {trainer.step}", flush=True)
    start, first, last = time.monotonic(), trainer.tokens, plan.steps
    for rows in batches(vocabulary, plan, trainer.step):
        trainer.update(rows)
        if trainer.step % 25 == 0:
            speed = (trainer.tokens - first) / (time.monotonic() - start)
            print(
                f"step {trainer.step}/{last} tokens {trainer.tokens} "
                f"loss {trainer.loss:.4f} {speed:.0f} tokens/s",
                flush=True,
            )
        if trainer.step % 200 == 0:
            trainer.save(checkpoint)
    trainer.save(checkpoint)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    run(Vocabulary.load(options.vocabulary), Plan(), options.checkpoint)


if __name__ == "__main__":
    main()
