"""Which benchmark prints which of the figures to reach, and how a quick run of each is made.

    table_of(rows)            # of every row that was printed, those that are figures to reach

A row belongs to a figure when its name begins as the figure says. A test sees that each beginning
stands in a script, that the README has the same list, and that no script is missing in `QUICK`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Row = tuple[str, ...]
"""As `bench.COLUMNS`."""


@dataclass(frozen=True)
class Target:
    """A figure to reach.

    Attributes:
        names: how the rows that tell it begin.
        why: what holds it where there is nothing to measure, "" where there is.
    """

    part: str
    what: str
    script: str
    names: tuple[str, ...]
    why: str = ""


def _of(part: str, *rows: tuple[str, str, tuple[str, ...]]) -> list[Target]:
    return [Target(part, what, f"bench_{script}", names) for what, script, names in rows]


TARGETS: tuple[Target, ...] = (
    *_of(
        "First contact",
        ("one command, first offline answer; second start", "first_contact", ("first contact: ",)),
        ("tray visible, RSS", "start", ("tray visible", "RSS without a model")),
        ("idle", "start", ("idle processor", "wake-ups a second", "listening ports")),
    ),
    *_of(
        "Starter model",
        ("tool, arguments, whole call, small talk", "models", ("starter: ", "starter, as used: ")),
        ("file, Enter to a complete call", "models", ("starter: file", "starter: Enter")),
    ),
    Target(
        "Starter model",
        "answer quotes the right part of the result",
        "",
        (),
        "results are told by the program in the tool's own words (decision 5), so nothing is quoted"
        " wrongly; the unit tests of the tools hold the words",
    ),
    *_of(
        "Models",
        ("decode and prompt speed", "models", ("models: prompt speed", "models: decoding speed")),
        (
            "prompt tokens from the cache",
            "models",
            ("models: prompt from the", "models: saved state read back"),
        ),
        ("stop pressed", "models", ("models: stop while",)),
        ("worst gap of the window", "models", ("models: worst gap of the window",)),
        ("malformed tool calls", "models", ("models: malformed calls",)),
        ("bad model files and grammars", "models", ("models: bad ",)),
        ("default prompt", "models", ("models: default prompt",)),
    ),
    *_of(
        "Memory",
        ("LoCoMo evidence (--data)", "memory", ("memory: evidence", "memory: held out")),
        ("with the reference's chunks (--data)", "memory", ("memory: r@5 / r@10 / MRR",)),
        ("Chinese, Japanese, mixed", "languages", ("memory: short notes, Chinese",)),
        (
            "whole search, vector stage",
            "memory",
            ("memory: whole search", "memory: vector stage", "memory: recall@"),
        ),
        ("sync of unchanged files", "memory", ("memory: sync of",)),
        ("search from the shell", "memory", ("memory: search from the shell",)),
        ("indexing", "memory", ("memory: indexing inside", "memory: texts embedded again")),
        ("a note saved in an editor", "memory", ("memory: saved among",)),
        (
            "kill -9, corruption, full disk",
            "memory",
            ("memory: kill -9", "memory: damaged", "memory: disk "),
        ),
    ),
    *_of(
        "Agent, gateway, channels",
        ("overhead of one turn", "gateway", ("one turn at", "one turn over")),
        ("messages through one process", "gateway", ("messages through one process",)),
        ("kill -9 of a run", "gateway", ("kill -9 at random points",)),
        ("duplicated and reordered events", "gateway", ("events from a channel",)),
        (
            "a channel's server restarted; stop",
            "channels",
            ("one account, each", "real servers: ", "ten accounts: "),
        ),
        ("72 simulated hours", "gateway", ("72 simulated hours",)),
    ),
    *_of(
        "Safety",
        ("command payloads", "safety", ("command payloads",)),
        ("everyday commands", "safety", ("everyday commands",)),
        ("policy kernel", "safety", ("policy kernel",)),
        ("injection texts", "safety", ("injected texts",)),
        ("path, SSRF, archives", "safety", ("paths that try", "SSRF", "archives", "documents")),
        ("parsers", "safety", ("parsers",)),
    ),
)
QUICK: Mapping[str, tuple[str, ...]] = {
    "bench_backup": ("--every", "60"),
    "bench_channels": ("--quick",),
    "bench_channels_each": ("--quick",),
    "bench_chat_view": ("2",),
    "bench_first_contact": ("--quick",),
    "bench_gateway": ("--quick",),
    "bench_languages": (),
    "bench_memory": ("--quick",),
    "bench_models": (),
    "bench_safety": ("--quick",),
    "bench_schedule": ("--lives", "300"),
    "bench_skills": ("200",),
    "bench_start": ("--rounds", "1", "--idle-seconds", "10"),
    "bench_weather": (),
}
"""Options of a short run. A small count says that it works, and little about the figure."""


def is_of(target: Target, row: Row) -> bool:
    return row[0].strip().startswith(target.names) if target.names else False


def table_of(rows: Sequence[Row]) -> list[Row]:
    """(part, figure, name, value, unit, target), in the order of the figures; a figure that no row
    tells says so. Rows below one that is indented belong to it."""
    found: list[Row] = []
    for target in TARGETS:
        mine = _with_their_own(rows, target)
        if target.why or not mine:
            said = target.why or f"not measured: {target.script}"
            found.append((target.part, target.what, said, "", "", ""))
        for at, row in enumerate(mine):
            head = ("", "") if at else (target.part, target.what)
            found.append((*head, row[0], row[1], row[2], row[3]))
    return found


def _with_their_own(rows: Sequence[Row], target: Target) -> list[Row]:
    found, inside = [], False
    for row in rows:
        inside = is_of(target, row) or (inside and row[0].startswith(" "))
        if inside:
            found.append(row)
    return found
